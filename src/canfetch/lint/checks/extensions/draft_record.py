"""A record that only a draft defines."""

from collections.abc import Iterator

from canfetch.lint.analysis.extension_records import extensions_named
from canfetch.lint.check import Check, Occurrence
from canfetch.lint.linted_file import LintedFile
from canfetch.lint.severity import Severities, Severity


def find(file: LintedFile) -> Iterator[Occurrence]:
    """Find `Agentmap` and `Schemamap` lines."""
    for extension, record, span in extensions_named(file, "agentmap", "schemamap"):
        key = file.text(file.key(record))
        yield Occurrence(record.key or span, {"key": key, "draft": extension.source})


CHECK = Check(
    code="CF630",
    name="draft-record",
    severities=Severities(rfc=Severity.INFO),
    title="A line that only a draft defines",
    message="`{key}` comes from a draft, {draft}: search engines ignore it",
    why="`Agentmap` and `Schemamap` link to catalogs for AI agents. No search engine documents that it reads them, and "
    "some checkers report them as unknown.",
    how_to_fix="Keep the line if agents should find the catalog. It does not affect what crawlers may fetch.",
    source="Agentic Resource Discovery v0.91; NLWeb",
    bad=b"Agentmap: https://example.com/.well-known/ard.json\n\nUser-agent: *\nDisallow: /private/\n",
    good=b"Sitemap: https://example.com/sitemap.xml\n\nUser-agent: *\nDisallow: /private/\n",
    find=find,
    needs=("agentmap", "schemamap"),
)
