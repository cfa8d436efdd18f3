"""The definition of a tool: what hosts list, and the function that answers a call."""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from mcp_types import Tool, ToolAnnotations

from canfetch.web.mcp.arguments import Arguments, parse_arguments
from canfetch.web.mcp.results import Result
from canfetch.web.mcp.schemas import compact_schema, input_schema
from canfetch.web.mcp.service import Service

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
