"""Torch's message for a call that fits none, or more than one, of the ways in which a function can be called.

The ways are recorded. Those that have room for so many arguments are plausible; of a single plausible one torch tells
the mistake, and else it lists them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, NamedTuple

from gradcli.script.torch.operations.readers import kind_name, missing, too_many
from gradcli.source import shipped

FILE = "overloads.txt"
OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool pin_memory = False, "
    "bool requires_grad = False"
)
SHORT = "@"  # what stands for them in the file


class Way(NamedTuple):
    """One way to call a function: `(Tensor input, *, Tensor out = None)`."""

    text: str
    parts: list[str]

    def has_room(self, count: int) -> bool:
        return self.least <= count <= len(self.named)

    @property
    def named(self) -> list[str]:
        return [part for part in self.parts if part not in ("*", "")]

    @property
    def least(self) -> int:
        """How many arguments it needs."""
        return sum(" = " not in part for part in self.named)

    @property
    def most(self) -> int:
        """How many arguments may come without their names."""
        return self.parts.index("*") if "*" in self.parts else len(self.named)

    def names(self) -> set[str]:
        return {part.rpartition(" ")[2] for part in self.parts}  # torch reads no name before a default


@cache
def ways() -> dict[str, list[Way]]:
    """Return the ways by name; methods have a point before theirs."""
    text = shipped(Path(__file__).with_name(FILE)).replace(SHORT, OPTIONS)
    found = {}
    for line in text.splitlines():
        name, _, options = line.partition(": ")
        found[name] = [Way(option, option[1:-1].split(", ")) for option in options.split(" | ")]
    return found


TAKES = "() takes "
MISSING = re.compile(r"missing (\d+) required positional arguments?: (.*)")


def with_refusal(name: str, function: Callable[..., Any], *, method: bool = False) -> Callable[..., Any]:
    """The function, whose TypeErrors list in torch's words how it can be called."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            words = MISSING.search(str(error))
            if words is not None:
                error = TypeError(missing(name, re.findall(r"'(\w+)'", words[2])))
            raise TypeError(refusal(name, arguments, keywords, str(error), method=method)) from None

    return call


def with_python_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose TypeErrors name missing arguments as Python does, for torch has written it in Python."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            words = MISSING.search(str(error))
            if words is None:
                raise
            names = [f"'{one}'" for one in re.findall(r"\w+", words[2])]
            listed = f"{', '.join(names[:-1])}{',' * (len(names) > 2)} and {names[-1]}" if names[1:] else names[0]
            start, plural = str(error)[: words.start()], "s" * (len(names) > 1)
            raise TypeError(f"{start}missing {words[1]} required positional argument{plural}: {listed}") from None

    return call


def _written_or_named(given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Tell a call of `scatter` with the one source that it needs, of the kind that its name asks for."""
    values = [*given[2:3], *(named[name] for name in ("src", "value") if name in named)]
    needs_tensor = "src" in named and type(named["src"]).__name__ in ("int", "float", "bool")
    return len(given) + len({"dim", "index"} & named.keys()) < 2 or (len(values) == 1 and not needs_tensor)


def _of_one_kind(given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    values = [*given, *(named[name] for name in ("source", "destination") if name in named)]
    return len({isinstance(value, tuple | list) for value in values}) < 2


def _bounds_alike(given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    bounds = [*given, *(named[name] for name in ("min", "max") if name in named)]
    is_number = any(isinstance(bound, int | float) for bound in bounds)
    return not (is_number and any(getattr(bound, "ndim", 0) or getattr(bound, "requires_grad", 0) for bound in bounds))


# What tells a call that fits, for functions that take less here than their annotations say.
FITTING: dict[str, Callable[[tuple[Any, ...], dict[str, Any]], bool]] = {
    "clamp": _bounds_alike,
    "clip": _bounds_alike,
    "movedim": _of_one_kind,
    "moveaxis": _of_one_kind,
    "scatter": _written_or_named,
    "squeeze": lambda given, named: None not in (*given, *named.values()),
}


def refusal(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], single: str, *, method: bool) -> str:
    """The message; `single` where that tells of the one plausible way."""
    given = arguments[1:] if method else arguments
    options = ways().get(f".{name}" if method else name, [])
    count = len(given) + len(keywords)
    plausible = [option for option in options if option.has_room(count)]
    if not options or "failed to unpack" in single or len(plausible) == 1:
        if not (plausible and TAKES in single):
            return single
        return too_many(name, plausible[0].least, plausible[0].most, len(given))
    shown = [kind_name(value) for value in given] + [
        f"{key}={kind_name(value)}" for key, value in reversed(keywords.items())
    ]
    got = ", ".join(shown) + ", " * (bool(keywords) and not given)
    words = f"{name}() received an invalid combination of arguments - got ({got}), but expected "
    if len(options) == 1:
        return words + options[0].text
    return f"{words}one of:\n" + "".join(f" * {option.text}\n{_why(option, given, keywords)}" for option in options)


def _why(option: Way, given: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """Return the reason why a signature with that many parameters did not fit."""
    if len(given) + len(keywords) != len(option.parts):
        return ""
    wrong = [key for key in keywords if key not in option.names()]
    if wrong:
        return f"      didn't match because some of the keywords were incorrect: {', '.join(wrong)}\n"
    kinds = [part.partition(" ")[0] for part in option.parts]
    shown = [_marked(kind, "", value) for kind, value in zip(kinds, given, strict=False)]
    shown += [_marked("", f"{key}=", value) for key, value in keywords.items()]
    return f"      didn't match because some of the arguments have invalid types: ({', '.join(shown)})\n"


def _marked(kind: str, key: str, value: Any) -> str:
    name = kind_name(value)
    if isinstance(value, tuple | list) and type(value) in (tuple, list):
        inner = ", ".join(map(kind_name, value))
        inner += "," * (isinstance(value, tuple) and len(value) == 1)
        return f"!{key}{name} of ({inner})!" if isinstance(value, tuple) else f"!{key}{name} of [{inner}]!"
    return f"{key}{name}" if kind == kind_name(value) else f"!{key}{name}!"
