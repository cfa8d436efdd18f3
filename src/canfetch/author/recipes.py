"""Files that many sites want, by name: each is a draft, made of few parameters.

Source: Google, "Create a robots.txt file", useful rules; the others are ours, and say so.
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
    """What a recipe is given: its name, what it is, an example, what it is where none is given, and whether many."""

    name: str
    description: str
    example: str
    default: str | None = None
    multiple: bool = False


class Recipe(NamedTuple):
    """A named file: what it does, what it is given, and how it is made."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    build: Callable[[dict[str, Sequence[str]]], Draft]

    def draft(self, **given: str | Sequence[str]) -> Draft:
        """Make the draft.

        Args: given: the parameters by name, underscores for hyphens; several values as a list.
        Raises: InvalidOption: one is missing, unknown, or given several times; InvalidDraft: it cannot be meant;
            TypeError: no text.
        """
        values: dict[str, Sequence[str]] = {}
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            parameter = known.get(name)
            if parameter is None:
                known_names = unknown_choice("parameter", name, known) if known else "expected no parameters"
                raise InvalidOption(f"recipe {self.name}: {known_names}")
            values[name] = _texts(value, name)
            if len(values[name]) > 1 and not parameter.multiple:
                raise InvalidOption(f"recipe {self.name} takes one {name}: give one")
        for parameter in self.parameters:
            if not values.get(parameter.name):
                if parameter.default is None:
                    raise InvalidOption(
                        f"recipe {self.name} needs {parameter.name}, {parameter.description}: give one such as "
                        f"{quoted(parameter.example)}"
                    )
                values[parameter.name] = [parameter.default]
        return self.build(values)


_CRAWLER: Final = Parameter("crawler", "whom it is for, by its product token", "Googlebot", EVERYONE)
_DIRECTORIES: Final = Parameter("path", "a directory, with a slash at both ends", "/calendar/", None, multiple=True)
_PAGE: Final = Parameter("path", "the page's path", "/private_file.html", None, multiple=True)


def _rules(crawlers: Sequence[str], *, allow: Sequence[str] = (), disallow: Sequence[str] = ()) -> Draft:
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


def _block_directories(given: dict[str, Sequence[str]]) -> Draft:
    for path in given["path"]:
        if not path.endswith("/"):
            raise InvalidDraft(
                f"{quoted(path)} is no directory: end it with '/', or everything that begins so is meant"
            )
    return _rules(given["crawler"], disallow=[literal_path(path) for path in given["path"]])


def _only(crawlers: Sequence[str]) -> Draft:
    draft = Draft()
    draft.group(*crawlers).allow_everything()
    return _with_others(draft, allowed=False)


def _texts(value: object, name: str) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} is a str or a list of such, not {type(value).__name__}")
    return [validate_str(text, name) for text in value]


def _file_types(types: Sequence[str]) -> list[str]:
    for ending in types:
        if not ending.strip(".").isalnum() or not ending.isascii():
            raise InvalidDraft(f"{quoted(ending)} is no file type: give letters and digits, such as 'gif'")
    return [f"/*.{ending.strip('.')}$" for ending in types]


def _ends_with(endings: Sequence[str]) -> list[str]:
    if "" in endings:
        raise InvalidDraft("every URL ends with the ending '': give a text, such as '.xls'")
    return [f"/*{literal_path('/' + ending)[1:]}$" for ending in endings]


def _blocked_purposes(*purposes: Purpose) -> Draft:
    policy = SitePolicy(
        everyone=Intent(Audience("everyone")),
        purposes=tuple(Intent(Audience("purpose", purpose), fetch=False) for purpose in purposes),
    )
    return compile_policy(policy)


def _block_documents(given: dict[str, Sequence[str]]) -> Draft:
    return _rules(given["crawler"], disallow=_file_types(["pdf", "doc", "docx", "ppt", "pptx", "xls", "xlsx"]))


def _block_queries(given: dict[str, Sequence[str]]) -> Draft:
    return _rules(given["crawler"], disallow=["/*?"])


_ALL: Final = (
    Recipe("allow-all", "Everyone may fetch everything.", (), lambda _: _with_others(Draft(), allowed=True)),
    Recipe("block-all", "Nobody may fetch anything.", (), lambda _: _with_others(Draft(), allowed=False)),
    Recipe("block-directories", "Directories, and all in them.", (_CRAWLER, _DIRECTORIES), _block_directories),
    Recipe(
        "only-one-crawler",
        "One crawler may fetch everything, all others nothing.",
        (Parameter("crawler", "who may, by its product token", "Googlebot-News"),),
        lambda given: _only(given["crawler"]),
    ),
    Recipe(
        "all-but-one",
        "One crawler may fetch nothing, all others everything.",
        (Parameter("crawler", "who may not, by its product token", "Unnecessarybot"),),
        lambda given: _with_others(_rules(given["crawler"], disallow=["/"]), allowed=True),
    ),
    Recipe(
        "block-page",
        "A page, and whatever begins with its path.",
        (_CRAWLER, _PAGE),
        lambda given: _rules(given["crawler"], disallow=[literal_path(path) for path in given["path"]]),
    ),
    Recipe(
        "block-image",
        "An image, for Google Images.",
        (
            Parameter("crawler", _CRAWLER.description, _IMAGES, _IMAGES),
            Parameter("path", "the image's path", "/images/dogs.jpg", None, multiple=True),
        ),
        lambda given: _rules(given["crawler"], disallow=[literal_path(path) for path in given["path"]]),
    ),
    Recipe(
        "block-all-images",
        "All images, for Google Images.",
        (Parameter("crawler", _CRAWLER.description, _IMAGES, _IMAGES),),
        lambda given: _rules(given["crawler"], disallow=["/"]),
    ),
    Recipe(
        "block-file-type",
        "Files of a type.",
        (_CRAWLER, Parameter("file_type", "the ending behind the dot", "gif", None, multiple=True)),
        lambda given: _rules(given["crawler"], disallow=_file_types(given["file_type"])),
    ),
    Recipe(
        "only-adsense",
        "AdSense may fetch everything, so that pages show advertisements; all others nothing.",
        (),
        lambda _: _only(["Mediapartners-Google"]),
    ),
    Recipe(
        "block-ends-with",
        "All URLs that end with a text.",
        (_CRAWLER, Parameter("ending", "the text", ".xls", None, multiple=True)),
        lambda given: _rules(given["crawler"], disallow=_ends_with(given["ending"])),
    ),
    Recipe(
        "block-ai-training",
        "Crawlers that collect for the training of models, by the registry, each by name; all others may.",
        (),
        lambda _: _blocked_purposes("training"),
    ),
    Recipe(
        "block-seo", "Crawlers that count links for others, by the registry.", (), lambda _: _blocked_purposes("seo")
    ),
    Recipe("block-queries", "All URLs with a query.", (_CRAWLER,), _block_queries),
    Recipe("block-documents", "PDF files and those of office programs.", (_CRAWLER,), _block_documents),
)
RECIPES: Final[dict[str, Recipe]] = {recipe.name: recipe for recipe in _ALL}


def recipe_draft(name: str, **given: str | Sequence[str]) -> Draft:
    """Make the file of a recipe.

    Args:
        name: one of `canfetch init --list`.
        given: its parameters by name.
    Raises: InvalidOption: there is no such recipe, or its parameters are others; InvalidDraft.

    >>> print(recipe_draft("block-file-type", crawler="Googlebot", file_type="gif").render().decode(), end="")
    User-agent: Googlebot
    Disallow: /*.gif$
    """
    recipe = RECIPES.get(name)
    if recipe is None:
        raise InvalidOption(unknown_choice("recipe", name, RECIPES))
    return recipe.draft(**given)
