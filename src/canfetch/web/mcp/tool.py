"""The definition of a tool: what hosts list, and the function that answers a call.

The JSON schemas are as short as possible, because every conversation of a model starts with them.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, Generic, NamedTuple, TypeVar

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel

from canfetch.web.mcp.arguments import Arguments, parse_arguments
from canfetch.web.mcp.results import Result
from canfetch.web.mcp.service import Service

# Their keys are names, and not keywords of JSON schema.
_NAMED: Final = frozenset({"properties", "$defs"})
_EMPTY: Final[tuple[object, ...]] = (None, [])


def compact_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model, without titles, null defaults and the docstrings of its parts."""
    schema = model.model_json_schema()
    schema.pop("description", None)
    for definition in schema.get("$defs", {}).values():
        definition.pop("description", None)
    compact: dict[str, Any] = _compact(schema)
    return compact


def input_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of arguments, without null as a value: models would send it."""
    schema = compact_schema(model)
    for name, declared in schema["properties"].items():
        options = [option for option in declared.get("anyOf", ()) if option != {"type": "null"}]
        if options:
            schema["properties"][name] = {**options[0], "description": declared["description"]}
    return schema


def _compact(value: Any) -> Any:
    if isinstance(value, list):
        return [_compact(item) for item in value]
    if not isinstance(value, dict):
        return value
    compact = {
        key: {name: _compact(part) for name, part in item.items()} if key in _NAMED else _compact(item)
        for key, item in value.items()
        if key != "title" and not (key == "default" and item in _EMPTY)
    }
    options = compact.get("anyOf")
    if isinstance(options, list) and all(option.keys() == {"type"} for option in options):
        compact["type"] = [option["type"] for option in compact.pop("anyOf")]
    return compact


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


class Answer(NamedTuple):
    """The structured result, and a text for models whose hosts show only text."""

    result: Result
    text: str


class ToolDefinition(NamedTuple, Generic[ArgumentsT]):
    """A tool.

    Attributes:
        name: The name.
        title: The name for people.
        description: When to call it, and what the result means.
        arguments: The model of the arguments.
        result: The model of the structured result.
        answer: Answers a call.
    """

    name: str
    title: str
    description: str
    arguments: type[ArgumentsT]
    result: type[Result]
    answer: Callable[[Service, ArgumentsT], Coroutine[Any, Any, Answer]]

    def declare(self) -> Tool:
        """Return the declaration that hosts list."""
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=input_schema(self.arguments),
            output_schema=compact_schema(self.result),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=True,
            ),
        )

    async def call(self, service: Service, values: Mapping[str, Any] | None) -> Answer:
        """Answer a call.

        Raises: CallerError: An argument is invalid, or the question cannot be answered now.
        """
        arguments = parse_arguments(self.arguments, values)
        return await service.answer(self.answer(service, arguments))
