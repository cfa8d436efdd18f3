"""What the editor supports, read once from its capabilities."""

from typing import NamedTuple

from lsprotocol import types


class ClientFeatures(NamedTuple):
    """What the editor supports. All are False for an editor that declares nothing.

    Attributes:
        pulls_diagnostics: It requests diagnostics, so that none are sent unasked.
        refreshes_diagnostics: It requests diagnostics again if the server sends a refresh request.
        related_information: Diagnostics may refer to other lines.
        unnecessary, deprecated: Diagnostics may have this tag.
        code_description: Diagnostics may link to the page of their check.
        diagnostic_version: Diagnostics may name the version of the document.
        code_action_literals: Code actions may be objects instead of commands.
        resolves_edits: The edit of a code action may be computed when it is selected.
        versioned_edits: Edits may name the version of the document.
        markdown_hover, markdown_completion: Texts may be Markdown.
        nested_symbols: Symbols may have children.
        configuration: It answers `workspace/configuration`.
        registers_configuration: It accepts a request for notifications of changed settings.
        registers_watchers: It accepts a request to watch files.
    """

    pulls_diagnostics: bool = False
    refreshes_diagnostics: bool = False
    related_information: bool = False
    unnecessary: bool = False
    deprecated: bool = False
    code_description: bool = False
    diagnostic_version: bool = False
    code_action_literals: bool = False
    resolves_edits: bool = False
    versioned_edits: bool = False
    markdown_hover: bool = False
    markdown_completion: bool = False
    nested_symbols: bool = False
    configuration: bool = False
    registers_configuration: bool = False
    registers_watchers: bool = False


def read_client_features(capabilities: types.ClientCapabilities) -> ClientFeatures:
    """Return what an editor with these capabilities supports."""

    def get(name: str) -> object:
        value: object = capabilities
        for attribute in name.split("."):
            value = getattr(value, attribute, None)
        return value

    def contains(name: str, value: str) -> bool:
        values = get(name)
        return isinstance(values, list | tuple) and value in values

    pulls = get("text_document.diagnostic") is not None
    # An editor that pulls declares the properties of diagnostics there, or as for those that are sent unasked.
    places = ("text_document.diagnostic", "text_document.publish_diagnostics")
    tags = [tag for place in places for tag in _tags(get(f"{place}.tag_support.value_set"))]
    return ClientFeatures(
        pulls_diagnostics=pulls,
        refreshes_diagnostics=bool(get("workspace.diagnostics.refresh_support")),
        related_information=any(get(f"{place}.related_information") for place in places),
        unnecessary=types.DiagnosticTag.Unnecessary in tags,
        deprecated=types.DiagnosticTag.Deprecated in tags,
        code_description=any(get(f"{place}.code_description_support") for place in places),
        diagnostic_version=bool(get("text_document.publish_diagnostics.version_support")),
        code_action_literals=get("text_document.code_action.code_action_literal_support") is not None,
        resolves_edits=contains("text_document.code_action.resolve_support.properties", "edit")
        and bool(get("text_document.code_action.data_support")),
        versioned_edits=bool(get("workspace.workspace_edit.document_changes")),
        markdown_hover=contains("text_document.hover.content_format", types.MarkupKind.Markdown),
        markdown_completion=contains(
            "text_document.completion.completion_item.documentation_format", types.MarkupKind.Markdown
        ),
        nested_symbols=bool(get("text_document.document_symbol.hierarchical_document_symbol_support")),
        configuration=bool(get("workspace.configuration")),
        registers_configuration=bool(get("workspace.did_change_configuration.dynamic_registration")),
        registers_watchers=bool(get("workspace.did_change_watched_files.dynamic_registration")),
    )


def _tags(values: object) -> list[object]:
    return list(values) if isinstance(values, list | tuple) else []
