"""The methods of Python's own values that snippets may call: those that could grow without bound measure first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.script.errors import python_class
from gradcli.script.machine import running
from gradcli.script.python.attributes import describe
from gradcli.script.python.formatting import REPRESENTATIONS, format_text, represent
from gradcli.script.python.operators import bounded


def _fits(size: int, what: str = "the text") -> None:
    running.machine.budget.fits(size, what)


def _padded(method: Callable[..., str]) -> Callable[..., str]:
    def pad(value: str, width: int, *fill: str) -> str:
        _fits(width)
        return method(value, width, *fill)

    return pad


def _join(value: str, items: Any) -> str:
    parts = list(bounded(items))
    _fits(sum(len(part) + len(value) for part in parts if isinstance(part, str)))
    return value.join(parts)


def _replace(value: str, old: str, new: str, count: int = -1) -> str:
    _fits(len(value) + (value.count(old) if count < 0 else count) * len(new))
    return value.replace(old, new, count)


def _expandtabs(value: str, tabsize: int = 8) -> str:
    _fits(len(value) + value.count("\t") * tabsize)
    return value.expandtabs(tabsize)


def _extend(value: list[Any], items: Any) -> None:
    if hasattr(items, "__len__"):
        _fits(len(value) + len(items), "this list")
    value.extend(items)


def _listed(kind: type, names: str) -> dict[str, Callable[..., Any]]:
    return {name: getattr(kind, name) for name in names.split()}


STRING = _listed(
    str,
    "upper lower strip lstrip rstrip split rsplit splitlines startswith endswith find rfind index rindex count title "
    "capitalize swapcase casefold isdigit isalpha isalnum isspace isupper islower isnumeric isdecimal isidentifier "
    "partition rpartition removeprefix removesuffix",
)
STRING |= {name: _padded(getattr(str, name)) for name in ("center", "ljust", "rjust", "zfill")}
STRING |= {"join": _join, "replace": _replace, "expandtabs": _expandtabs, "format": format_text}
SEQUENCE = "index count"

describe(str, methods=STRING)
describe(
    list,
    methods=_listed(list, f"{SEQUENCE} append insert pop remove clear copy reverse sort") | {"extend": _extend},
)
describe(tuple, methods=_listed(tuple, SEQUENCE))
describe(
    range,
    methods=_listed(range, SEQUENCE),
    getters={name: lambda value, name=name: getattr(value, name) for name in ("start", "stop", "step")},
)
describe(dict, methods=_listed(dict, "get keys values items pop popitem setdefault update clear copy"))
describe(
    set,
    methods=_listed(
        set,
        "add discard remove pop clear copy update union intersection difference symmetric_difference issubset "
        "issuperset isdisjoint",
    ),
)
describe(frozenset, methods=_listed(frozenset, "copy union intersection difference issubset issuperset isdisjoint"))
describe(
    float,
    methods=_listed(float, "is_integer as_integer_ratio hex"),
    getters={"real": lambda value: value, "imag": lambda value: 0.0},
)
describe(
    int,
    methods=_listed(int, "bit_length conjugate"),
    getters={"real": lambda value: value, "imag": lambda value: 0, "numerator": int, "denominator": lambda value: 1},
)
describe(slice, getters={name: lambda value, name=name: getattr(value, name) for name in ("start", "stop", "step")})
describe(property, methods=_listed(property, "setter getter deleter"))


def _exception_text(error: BaseException) -> str:
    return f"{python_class(error).__name__}({', '.join(map(represent, error.args))})"


REPRESENTATIONS[BaseException] = _exception_text
