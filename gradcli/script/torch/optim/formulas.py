"""The update of a parameter as a formula, `buf = momentum*buf + grad; w = w - lr*buf`: computed, and worked out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Binary, Call, Compare, Expression, Name, Number, Statement, Unary, fold, names
from gradcli.script.timeline.model import UpdateFacts, UpdateLine
from gradcli.source import Source

OPERATORS: dict[str, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "**": np.power}
TECHNICAL = ("foreach", "fused", "capturable", "differentiable")  # options that change no result


class Update:
    """The formula of a step: the names that it reads, how often it assigns to each name, and the function that runs."""

    def __init__(self, text: str) -> None:
        tree = ast.parse(text)
        name_nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        targets = [node.id for node in name_nodes if isinstance(node.ctx, ast.Store)]
        self.text = text
        self.counts = {name: targets.count(name) for name in targets}
        called = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        read_names = [node.id for node in name_nodes if isinstance(node.ctx, ast.Load) and node.id not in called]
        self.reads = list(dict.fromkeys(read_names))
        results = ", ".join(f"'{name}': {name}" for name in self.counts)
        namespace: dict[str, Any] = {name: getattr(np, name) for name in called}
        exec(f"def run({', '.join(self.reads)}): {text}; return {{{results}}}", namespace)
        self._run = namespace["run"]

    def __call__(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of the names that the formula assigns to."""
        results: dict[str, Any] = self._run(*map(values.get, self.reads))
        return results


update = cache(Update)


def numbers(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are numbers, or tensors of one, by name; the two betas each by a name of its own."""
    pair = options.get("betas")
    named = {**options, **({} if pair is None else {"beta1": pair[0], "beta2": pair[1]})}
    values = {name: value.item() if isinstance(value, Tensor) else value for name, value in named.items()}
    return {name: value for name, value in values.items() if isinstance(value, int | float)}


def decay(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that all optimizers have in common."""
    if options.get("maximize"):
        yield "grad = -grad"
    if options.get("weight_decay"):
        is_decoupled = options.get("decoupled_weight_decay")
        yield "w = w - lr*weight_decay*w" if is_decoupled else "grad = grad + weight_decay*w"


def for_reader(
    parameter: Tensor, text: str, later: str, values: Mapping[str, Any], options: Mapping[str, Any]
) -> UpdateFacts:
    """Return the facts of an update before it happens, for the entry whose gradient is the largest.

    `later` are the lines of the next steps, whose options count too: the momentum of a first step is one of the second.
    """
    gradient = np.asarray(values["grad"])
    used = frozenset[str]().union(*(names(x.value) for x in (*statements(text), *statements(later))))
    option_values = numbers(options)
    names_in_order = [n for name in options for n in (("beta1", "beta2") if name == "betas" else (name,))]
    shown = tuple(
        (name, option_values[name])
        for name in names_in_order
        if name in option_values and (name in used or (option_values[name] is True and name not in TECHNICAL))
    )
    if not gradient.size:
        return parameter, (), shown, ()
    entry = tuple(map(int, np.unravel_index(np.argmax(np.abs(gradient)), gradient.shape)))
    at_entry = {name: x[entry] if isinstance(x, np.ndarray) and x.ndim else x for name, x in values.items()}
    return parameter, entry, shown, worked(text, {**at_entry, "t": int(values["t"])})


@cache
def statements(text: str) -> tuple[Statement, ...]:
    from gradcli.language.parser import parse_program  # needed for readers only

    return parse_program(Source(text, "update")).statements


def worked(text: str, values: Mapping[str, Any]) -> tuple[UpdateLine, ...]:
    """Return the lines of an update with the numbers that each of them takes and gives, one line after another."""
    results, lines = dict(values), []
    for statement in statements(text):
        target, formula = statement.target or "", statement.value
        operands = tuple((name, results[name]) for name in sorted(names(formula)))
        with np.errstate(all="ignore"):
            results[target] = fold(formula, lambda node, parts: evaluated(node, parts, results))
        lines.append(UpdateLine(target, formula, operands, results[target]))
    return tuple(lines)


def evaluated(node: Expression, parts: Sequence[Any], results: Mapping[str, Any]) -> Any:
    """Return the value of a node of a formula from those of its parts."""
    match node:
        case Number():
            return node.value
        case Name():
            return results[node.id]
        case Unary():
            return -parts[0]
        case Binary() | Compare():
            return OPERATORS[node.operator](*parts)
        case Call():
            return getattr(np, node.function)(*parts)
    raise TypeError(node)
