"""The paths from the variables of a snippet to what they hold: `agent.critic[2].bias`, `run.opt`."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.python.values.attributes import Facade

DEPTH = 5  # of attributes and items
FEW = 1000  # items of a list that are followed
MOST = 20_000  # values that are looked at


def paths(variables: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the tensors and the objects that variables lead to, each with its name, those with short paths first."""
    named = [(name, value, 0) for name, value in list(variables.items()) if is_name(name)]
    waiting = deque(sorted(named, key=lambda way: isinstance(way[1], list | tuple | dict)))  # a model before its layers
    seen: set[int] = set()
    while waiting and len(seen) < MOST:
        name, value, depth = waiting.popleft()
        if id(value) in seen or not isinstance(value, Tensor | Facade | list | tuple | dict):
            continue
        seen.add(id(value))
        if isinstance(value, Tensor | Facade):
            yield name, value
        if depth < DEPTH and not isinstance(value, Tensor):
            waiting.extend((inner, item, depth + 1) for inner, item in below(name, value))


def below(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object, the parts of a module or the items of a container, with their names."""
    if isinstance(value, Facade):
        attributes = getattr(value, "__dict__", {})
        for table in ("_parameters", "_modules", "_buffers"):
            for key, item in (attributes.get(table) or {}).items():
                yield (f"{name}[{key}]" if str(key).isdigit() else f"{name}.{key}"), item
        if "param_groups" not in attributes:  # an optimizer owns nothing
            yield from ((f"{name}.{key}", item) for key, item in attributes.items() if not key.startswith("_"))
    elif len(value) <= FEW:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        yield from ((f"{name}[{key!r}]", item) for key, item in items if isinstance(key, int | str))


def is_name(name: str) -> bool:
    return name.isidentifier() and not name.startswith("__")
