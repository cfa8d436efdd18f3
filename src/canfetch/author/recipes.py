"""Recipes: common robots.txt files by name, built from a few parameters.

Source: Google, "Create a robots.txt file", useful rules; canfetch for the others.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from canfetch.agents.crawler import Purpose
from canfetch.author.draft import Draft
from canfetch.author.policy_compiler import compile_policy
from canfetch.author.site_policy import Audience, Intent, SitePolicy
from canfetch.author.validation import literal_path, validate_str
from canfetch.core.choices import unknown_choice
from canfetch.core.quoting import quoted
from canfetch.errors import InvalidDraft, InvalidOption

EVERYONE: Final = "*"
_IMAGES: Final = "Googlebot-Image"


class Parameter(NamedTuple):
    """A parameter of a recipe.

    Attributes:
        name: The name.
        description: A noun phrase that describes the value.
        example: An example.
        default: The default, or None if a value is required.
        multiple: Whether it takes several values.
    """

    name: str
    description: str
    example: str
    default: str | None = None
    multiple: bool = False


class Recipe(NamedTuple):
    """A robots.txt with a name.

    Attributes:
        name: The name.
        description: What the file does, in one sentence.
        parameters: The parameters.
        build: The function that builds the draft from the values of all parameters.
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    build: Callable[[dict[str, Sequence[str]]], Draft]

    def draft(self, **arguments: str | Sequence[str]) -> Draft:
        """Return the draft.

        Args: arguments: The parameters by name, each a str or a list of str.
        Raises: InvalidOption: A parameter is missing, unknown, or has too many values; InvalidDraft: A value is
            invalid; TypeError: A value is neither a str nor a list of str.

        >>> draft = RECIPES["block-file-type"].draft(crawler="Googlebot", file_type="gif")
        >>> print(draft.render().decode(), end="")
        User-agent: Googlebot
        Disallow: /*.gif$
        """
        values: dict[str, Sequence[str]] = {}
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in arguments.items():
            parameter = known.get(name)
            if parameter is None:
                problem = unknown_choice("parameter", name, known) if known else f"unexpected parameter {quoted(name)}"
                raise InvalidOption(f"recipe {self.name}: {problem}")
            values[name] = _to_list(value, name)
            if len(values[name]) > 1 and not parameter.multiple:
                raise InvalidOption(f"recipe {self.name}: expected one {name}, got {len(values[name])}")
        for parameter in self.parameters:
            if not values.get(parameter.name):
                if parameter.default is None:
                    raise InvalidOption(
                        f"recipe {self.name}: missing parameter {parameter.name}: expected {parameter.description}, "
                        f"such as {quoted(parameter.example)}"
                    )
                values[parameter.name] = [parameter.default]
        return self.build(values)


_CRAWLER: Final = Parameter("crawler", "the product token of a crawler", "Googlebot", EVERYONE)
_DIRECTORIES: Final = Parameter(
    "path", "the path of a directory, with a final slash", "/calendar/", None, multiple=True
)
_PAGE: Final = Parameter("path", "the path of a page", "/private_file.html", None, multiple=True)


def _single_group(crawlers: Sequence[str], *, allow: Sequence[str] = (), disallow: Sequence[str] = ()) -> Draft:
    draft = Draft()
    draft.group(*crawlers).allow(*allow).disallow(*disallow)
    return draft


def _with_others(draft: Draft, *, allowed: bool) -> Draft:
    others = draft.group(EVERYONE)
    if allowed:
        others.allow_everything()
    else:
        others.disallow("/")
    return draft


def _block_directories(values: dict[str, Sequence[str]]) -> Draft:
    for path in values["path"]:
        if not path.endswith("/"):
            raise InvalidDraft(
                f"invalid directory {quoted(path)}: expected a path that ends with '/', because rules match prefixes"
            )
    return _single_group(values["crawler"], disallow=[literal_path(path) for path in values["path"]])


def _closed() -> Draft:
    draft = Draft()
    draft.comment("canfetch: allow-file whole-site-blocked -- the site is closed on purpose")
    return draft


def _only(crawlers: Sequence[str], draft: Draft) -> Draft:
    draft.group(*crawlers).allow_everything()
    return _with_others(draft, allowed=False)


def _to_list(value: object, name: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a str or a list of str, not {type(value).__name__}")
    return [validate_str(text, name) for text in value]


def _file_types(types: Sequence[str]) -> list[str]:
    for ending in types:
        if not ending.strip(".").isalnum() or not ending.isascii():
            raise InvalidDraft(f"invalid file type {quoted(ending)}: expected letters and digits, such as 'gif'")
    return [f"/*.{ending.strip('.')}$" for ending in types]


def _ends_with(endings: Sequence[str]) -> list[str]:
    if "" in endings:
        raise InvalidDraft("invalid ending '': expected at least one character, such as '.xls'")
    return [f"/*{literal_path('/' + ending)[1:]}$" for ending in endings]


def _blocked_purposes(*purposes: Purpose) -> Draft:
    policy = SitePolicy(
        everyone=Intent(Audience("everyone")),
        purposes=tuple(Intent(Audience("purpose", purpose), fetch=False) for purpose in purposes),
    )
    return compile_policy(policy)


def _block_documents(values: dict[str, Sequence[str]]) -> Draft:
    return _single_group(values["crawler"], disallow=_file_types(["pdf", "doc", "docx", "ppt", "pptx", "xls", "xlsx"]))


def _block_queries(values: dict[str, Sequence[str]]) -> Draft:
    # Without scripts and styles, search engines cannot render pages, and many sites add a version to their URLs.
    return _single_group(values["crawler"], allow=["/*.css?", "/*.js?"], disallow=["/*?"])


_ALL: Final = (
    Recipe("allow-all", "Allow everything for all crawlers.", (), lambda _: _with_others(Draft(), allowed=True)),
    Recipe("block-all", "Disallow everything for all crawlers.", (), lambda _: _with_others(_closed(), allowed=False)),
    Recipe("block-directories", "Disallow directories.", (_CRAWLER, _DIRECTORIES), _block_directories),
    Recipe(
        "only-one-crawler",
        "Allow everything for one crawler, and nothing for the others.",
        (Parameter("crawler", "the product token of the crawler to allow", "Googlebot-News"),),
        lambda values: _only(values["crawler"], Draft()),
    ),
    Recipe(
        "all-but-one",
        "Disallow everything for one crawler, and nothing for the others.",
        (Parameter("crawler", "the product token of the crawler to block", "Unnecessarybot"),),
        lambda values: _with_others(_single_group(values["crawler"], disallow=["/"]), allowed=True),
    ),
    Recipe(
        "block-page",
        "Disallow pages, and all paths that start with theirs.",
        (_CRAWLER, _PAGE),
        lambda values: _single_group(values["crawler"], disallow=[literal_path(path) for path in values["path"]]),
    ),
    Recipe(
        "block-image",
        "Disallow images for Google Images.",
        (
            Parameter("crawler", _CRAWLER.description, _IMAGES, _IMAGES),
            Parameter("path", "the path of an image", "/images/dogs.jpg", None, multiple=True),
        ),
        lambda values: _single_group(values["crawler"], disallow=[literal_path(path) for path in values["path"]]),
    ),
    Recipe(
        "block-all-images",
        "Disallow all images for Google Images.",
        (Parameter("crawler", _CRAWLER.description, _IMAGES, _IMAGES),),
        lambda values: _single_group(values["crawler"], disallow=["/"]),
    ),
    Recipe(
        "block-file-type",
        "Disallow files of a type.",
        (_CRAWLER, Parameter("file_type", "the file extension", "gif", None, multiple=True)),
        lambda values: _single_group(values["crawler"], disallow=_file_types(values["file_type"])),
    ),
    Recipe(
        "only-adsense",
        "Allow everything for AdSense, so that pages show ads, and nothing for the others.",
        (),
        lambda _: _only(["Mediapartners-Google"], _closed()),
    ),
    Recipe(
        "block-ends-with",
        "Disallow URLs with an ending.",
        (_CRAWLER, Parameter("ending", "the ending of a URL", ".xls", None, multiple=True)),
        lambda values: _single_group(values["crawler"], disallow=_ends_with(values["ending"])),
    ),
    Recipe(
        "block-ai-training",
        "Disallow everything for crawlers whose purpose is training models, each by name.",
        (),
        lambda _: _blocked_purposes("training"),
    ),
    Recipe("block-seo", "Disallow everything for SEO crawlers, each by name.", (), lambda _: _blocked_purposes("seo")),
    Recipe("block-queries", "Disallow URLs with a query, except scripts and styles.", (_CRAWLER,), _block_queries),
    Recipe("block-documents", "Disallow PDF and office documents.", (_CRAWLER,), _block_documents),
)
RECIPES: Final[dict[str, Recipe]] = {recipe.name: recipe for recipe in _ALL}
