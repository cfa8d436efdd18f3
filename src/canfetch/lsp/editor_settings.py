"""The settings of the editor, and the linter that results from them and from the configuration file of a document.

The settings have the keys of the linter's configuration file, and `profile`. They override the file, as options of
`canfetch lint` do.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from canfetch.core.profiles import get_profile
from canfetch.errors import CanfetchError, InvalidOption
from canfetch.lint import Catalogue, Linter, Severity, load_catalogue
from canfetch.lint.configuration import LintSettings, parse_settings
from canfetch.lint.configuration_file import find_settings

SECTION: Final = "canfetch"
DEFAULT_PROFILE: Final = "rfc9309"
_WHERE: Final = "settings of the editor"
_PROFILE: Final = "profile"
# No editor shows more findings of one check in a useful way.
_FINDINGS_LIMIT: Final = 250


class EditorSettings(NamedTuple):
    """The settings of the editor.

    Attributes:
        given: The keys that the editor has set.
        lint: The linter's settings.
        profile: The parsing profile for symbols, completion, and crawlers that are not in the registry.
    """

    given: frozenset[str] = frozenset()
    lint: LintSettings = LintSettings()
    profile: str = DEFAULT_PROFILE


class DocumentSettings(NamedTuple):
    """The settings of one document.

    Attributes:
        linter: The linter.
        catalogue: The language of messages.
        show: The lowest severity to show.
        fix_for: The parsing profiles whose verdicts safe fixes preserve. Empty means all of them.
        problem: Why a setting or a configuration file is ignored, or None.
    """

    linter: Linter
    catalogue: Catalogue
    show: Severity
    fix_for: tuple[str, ...] = ()
    problem: str | None = None


def parse_editor_settings(value: object) -> EditorSettings:
    """Validate the settings that an editor sends. Values that are null are not set.

    Raises: InvalidOption: The settings are not an object, a key is unknown, or a value is invalid.
    """
    if value is None:
        return EditorSettings()
    if not isinstance(value, Mapping):
        raise InvalidOption(f"{_WHERE}: expected an object, such as {{'severities': 'google'}}")
    table: dict[str, Any] = {str(key): item for key, item in value.items() if item is not None}
    profile = table.pop(_PROFILE, DEFAULT_PROFILE)
    if not isinstance(profile, str):
        raise InvalidOption(f"{_WHERE}, {_PROFILE}: expected a name, such as '{DEFAULT_PROFILE}'")
    try:
        get_profile(profile)
    except CanfetchError as error:
        raise InvalidOption(f"{_WHERE}, {_PROFILE}: {error}") from None
    lint = parse_settings(table, _WHERE)
    settings = EditorSettings(frozenset(table), lint, profile)
    # Reports unknown checks now, and not for each document.
    lint.make_linter()
    return settings


def settings_for(path: str | None, editor: EditorSettings) -> DocumentSettings:
    """Return the settings of a document. An invalid configuration file is ignored and reported as `problem`.

    Args:
        path: The document's path, or None if it has none. Its folder is where the search for the file starts.
        editor: The settings of the editor.
    """
    problem = None
    file_settings = LintSettings()
    if path is not None:
        try:
            file_settings = find_settings(Path(path).parent)
            file_settings.make_linter()
        except CanfetchError as error:
            problem = str(error)
            file_settings = LintSettings()
        except (OSError, ValueError) as error:
            problem = f"cannot search for the configuration file: {error}"
    merged = _merge(file_settings, editor)
    return DocumentSettings(
        merged.make_linter(findings_limit=_FINDINGS_LIMIT),
        load_catalogue(merged.language),
        merged.show or Severity.INFO,
        merged.fix_for,
        problem,
    )


def _merge(file: LintSettings, editor: EditorSettings) -> LintSettings:
    own = editor.lint
    return file._replace(
        severities=own.severities if "severities" in editor.given else file.severities,
        select=own.select or file.select,
        ignore=(*file.ignore, *own.ignore),
        fix_for=own.fix_for or file.fix_for,
        severity_overrides={**file.severity_overrides, **own.severity_overrides},
        ignore_in={**file.ignore_in, **own.ignore_in},
        show=own.show or file.show,
        language=own.language if "language" in editor.given else file.language,
    )
