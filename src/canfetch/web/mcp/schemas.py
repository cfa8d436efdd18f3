"""JSON schemas of the tools, as short as possible, because every conversation of a model starts with them."""

from typing import Any, Final

from pydantic import BaseModel

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
