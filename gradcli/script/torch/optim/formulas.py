"""The update of a parameter as lines for a reader, `buf = momentum*buf + grad`, worked out for one entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.language.parser import parse_program
from gradcli.language.tree import Binary, Call, Compare, Expression, Name, Number, Statement, Unary, fold, names
from gradcli.script.timeline.model import Told, UpdateLine
from gradcli.source import Source

FUNCTIONS: dict[str, Any] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "**": np.power, "<": np.less, ">": np.greater,
    "abs": np.abs, "clip": np.clip, "maximum": np.maximum, "sign": np.sign, "sqrt": np.sqrt, "where": np.where,
}  # fmt: skip


TECHNICAL = ("foreach", "fused", "capturable", "differentiable")  # options that change how, and not what, is computed
PAIRS = {"betas": ("beta1", "beta2"), "etas": ("shrink", "grow"), "step_sizes": ("least", "most")}


def told(
    parameter: Tensor, state: Mapping[str, Any], lines: Callable[..., Iterable[str]], symbols: Mapping[str, str],
    options: Mapping[str, Any],
) -> Told:  # fmt: skip
    """Return the facts of an update before it happens: for the entry whose gradient is the largest."""
    assert parameter.grad is not None
    x, g = np.asarray(parameter.value), np.asarray(parameter.grad.value)
    entry = tuple(map(int, np.unravel_index(np.argmax(np.abs(g)), g.shape))) if g.size else None
    numbers = by_name(options)
    text = "; ".join([*decayed(options), *lines(state, **options)])
    # Options that a first step does not use yet count too: its momentum is one of the second.
    begun = {
        "step": np.float64(1),
        **dict.fromkeys(symbols.values()),
        **state,
    }
    later = "; ".join(lines(begun, **options))
    used = frozenset[str]().union(*(names(x.value) for x in (*statements(text), *statements(later))))
    shown = tuple(
        (name, value) for name, value in numbers.items() if name in used or (value is True and name not in TECHNICAL)
    )
    if entry is None:
        return parameter, (), shown, ()
    step = state["step"].item() + 1 if "step" in state else 1
    values = {"w": x[entry], "grad": g[entry], "t": int(step), **numbers}
    for symbol, name in symbols.items():
        held = np.asarray(state[name].value if name in state else 0.0)
        values[symbol] = held[entry] if held.ndim else held[()]
    return parameter, entry, shown, worked(text, values)


def by_name(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are numbers, each of a pair by a name of its own."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        if name in PAIRS:
            found.update(zip(PAIRS[name], value, strict=True))
        elif isinstance(value, int | float):
            found[name] = value
    return found


def decayed(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that all optimizers have in common."""
    if options.get("maximize"):
        yield "grad = -grad"
    if options.get("weight_decay"):
        is_apart = options.get("decoupled_weight_decay")
        yield "w = w - lr*weight_decay*w" if is_apart else "grad = grad + weight_decay*w"


@cache
def statements(text: str) -> tuple[Statement, ...]:
    return parse_program(Source(text, "update")).statements


def worked(text: str, values: Mapping[str, Any]) -> tuple[UpdateLine, ...]:
    """Return the lines of an update with the numbers that each of them takes and gives, one line after another."""
    known, lines = dict(values), []
    for statement in statements(text):
        target, formula = statement.target or "", statement.value
        operands = tuple((name, known[name]) for name in sorted(names(formula)))
        with np.errstate(all="ignore"):
            known[target] = fold(formula, lambda node, parts: evaluated(node, parts, known, _computed))
        lines.append(UpdateLine(target, formula, operands, known[target]))
    return tuple(lines)


def evaluated(
    node: Expression, parts: Sequence[Any], known: Mapping[str, Any], call: Callable[[str, Sequence[Any]], Any]
) -> Any:
    """Return the value of a node of an update from those of its parts; `call` computes operators and functions."""
    match node:
        case Number():
            return node.value
        case Name():
            return known[node.id]
        case Unary():
            return -parts[0]
        case Binary() | Compare():
            return call(node.operator, parts)
        case Call():
            return call(node.function, parts)
    raise TypeError(node)


def _computed(name: str, parts: Sequence[Any]) -> Any:
    return FUNCTIONS[name](*parts)
