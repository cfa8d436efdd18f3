"""Link the names of sources to their documents: a Sphinx extension.

The first mention of a document in each section of a page, and in each cell of a table, becomes a link.
"""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from source_names import PAGE, document_urls, mention_pattern, mention_url
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

# Text in these elements has its own link or is not prose.
_EXCLUDED = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title, nodes.FixedTextElement)


class SourceLinks(SphinxPostTransform):
    """Replaces mentions of sources with links."""

    default_priority = 900

    def run(self, **_options: Any) -> None:
        """Link the mentions of a page."""
        if self.env.docname == PAGE.stem:
            return
        urls = document_urls()
        pattern = mention_pattern(urls)
        linked: set[tuple[int, str]] = set()
        for text in list(self.document.findall(nodes.Text)):
            ancestors = list(_ancestors(text))
            if any(isinstance(ancestor, _EXCLUDED) for ancestor in ancestors):
                continue
            scope = next((node for node in ancestors if isinstance(node, nodes.entry | nodes.section)), self.document)
            parts: list[nodes.Node] = []
            position = 0
            for mention in pattern.finditer(text):
                url = mention_url(mention, urls)
                if (id(scope), url) in linked:
                    continue
                linked.add((id(scope), url))
                parts += [nodes.Text(text[position : mention.start()]), nodes.reference("", mention[0], refuri=url)]
                position = mention.end()
            if parts and text.parent is not None:
                text.parent.replace(text, [*parts, nodes.Text(text[position:])])


def _ancestors(node: nodes.Node) -> Iterator[nodes.Node]:
    while (parent := node.parent) is not None:
        yield parent
        node = parent


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_post_transform(SourceLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
