"""Jacobians, Hessians and derivatives of higher order of a program, in numbers and as formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError
from gradcli.explanation.build import check_wrt, explain
from gradcli.explanation.derivatives.matrix import by_number, jacobian
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.formulas.checking import checked
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Value
from gradcli.explanation.values import CONSTANTS, constant
from gradcli.explanation.variables import Variables, check_bindings
from gradcli.guard import guarded, tell
from gradcli.language.parser import parse_program
from gradcli.language.tree import Expression, List, Name, Number, Program, names
from gradcli.language.unparser import unparse
from gradcli.source import Source

MOST = 2**16  # entries of one derivative
MOST_PASSES = 2**14  # backward passes


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of the output by the variables `by`, one after the other.

    `value` has the shape of the output and then of each variable. `formula` is over the variables; where a tensor is
    differentiated, it is a linear map: it gives the gradient for the upstream gradients `given` by name.
    """

    by: tuple[str, ...]
    value: Value | None
    formula: Expression | None = None
    given: tuple[str, ...] = ()


def orders(wrt: Sequence[str], order: int, *, mixed: bool) -> list[tuple[str, ...]]:
    """Return the variables by which one differentiates: each with itself, or `mixed` all combinations."""
    return list(combinations_with_replacement(wrt, order)) if mixed else [(name,) * order for name in wrt]


def derivatives(
    program: Program,
    values: Mapping[str, Any],
    order: int,
    *,
    mixed: bool,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    dtype: str = "float64",
) -> tuple[Derivative, ...]:
    """Differentiate `order` times: one backward pass for each entry of what is differentiated."""
    needed = Variables.of(program)
    check_bindings(needed, values)
    check_wrt(needed, wrt)
    evaluation = evaluate(program, values, wrt=wrt, of=of, dtype=np.dtype(dtype), variables=needed)
    output = evaluation.output
    assert output is not None
    leaves = {x.name: x.tensor for x in evaluation.lines if x.is_variable and x.tensor.requires_grad}
    with np.errstate(all="ignore"):
        return tuple(
            Derivative(by, _value(output, [leaves[name] for name in by]))
            for by in orders(list(leaves), order, mixed=mixed)
        )


def _value(output: Tensor, by: Sequence[Tensor]) -> Value:
    shape = sum((x.shape for x in by), output.shape)
    passes = sum(math.prod(sum((x.shape for x in by[:place]), output.shape)) for place in range(len(by)))
    if math.prod(shape) > MOST or passes > MOST_PASSES:
        raise EvaluationError(
            "E210",
            f"this derivative has {math.prod(shape):,} entries and takes {passes:,} backward passes",
            help=f"at most {MOST:,} and {MOST_PASSES:,}: try it at a smaller size",
        )
    parts: list[Tensor | None] = [output]
    for place, (part_of, x) in enumerate(pairwise((output, *by)), 1):  # what each part has the shape of, and by what
        size = math.prod(part_of.shape)
        parts = [row for part in parts for row in _rows(part, x, size, create_graph=place < len(by))]
    zeros = np.zeros(by[-1].shape, output.dtype)
    return np.reshape([zeros if part is None else part.value for part in parts], shape).astype(output.dtype)[()]


def _rows(part: Tensor | None, x: Tensor, size: int, *, create_graph: bool) -> Iterator[Tensor | None]:
    """Yield the gradient of every entry; None where it does not depend on x."""
    if part is None or part.node is None:
        yield from [None] * size
        return
    for entry in range(size):
        seed = np.zeros(size, part.dtype)
        seed[entry] = 1
        (found,) = grad(
            [part], [x], [Tensor(seed.reshape(part.shape)[()])], retain_graph=True, create_graph=create_graph,
            allow_unused=True,
        )  # fmt: skip
        yield found


def formulas(
    program: Program,
    values: Mapping[str, Any],
    order: int,
    *,
    mixed: bool,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    is_raw: bool = False,
) -> tuple[Derivative, ...]:
    """Differentiate the formula of the derivative before, `order` times; at `values`, though they do not matter."""
    first = explain(program, values, wrt=wrt, of=of, upstream=ones_like_output(program, values, of))
    leaves = [leaf.name for leaf in first.leaves]
    return tuple(_formula(program, values, by, of, is_raw=is_raw) for by in orders(leaves, order, mixed=mixed))


def _formula(
    program: Program, values: Mapping[str, Any], by: Sequence[str], of: str | None, *, is_raw: bool
) -> Derivative:
    point, given = dict(values), list[str]()
    tree: Expression | None = None
    for name in by:
        needed = Variables.of(program)
        if name not in needed.places:
            return Derivative(tuple(by), None, Number(0), tuple(given))
        point = {**point, **{known: constant(s.value, program.source) for known, s in needed.literals.items()}}
        used = {known: value for known, value in point.items() if known in needed.places}
        seed = ones_like_output(program, used, of)
        explanation = explain(program, used, wrt=[name], of=of, upstream=seed, is_seed_named=True)
        tree = _gradient(explanation, is_raw=is_raw)
        if tree is None:
            return Derivative(tuple(by), None, None, tuple(given))
        if seed is not None:
            given.append(explanation.seed_name)
            point[explanation.seed_name] = seed
        program, of = parse_program(Source(unparse(tree))), None
    if tree is not None and len(given) == 1:
        outer = tree
        found = guarded(
            "simplification", lambda: jacobian(outer, given[0], point) or by_number(outer, given[0], point), None
        )
        if found is not None:
            found = found if is_raw else guarded("simplification", partial(short, found, point), found)
            return Derivative(tuple(by), None, found, ())
    return Derivative(tuple(by), None, tree, tuple(given))


def short(tree: Expression, point: Mapping[str, Any]) -> Expression:
    """Return a matrix, or each entry of a list, as a person writes it."""
    if isinstance(tree, List):
        return List(tuple(checked(one, point) for one in tree.items))
    return checked(tree, point)


def ones_like_output(program: Program, values: Mapping[str, Any], of: str | None) -> Any:
    """Return ones in the shape of the output; None for a number."""
    output = evaluate(program, values, of=of, dtype=np.dtype(np.float64)).output
    assert output is not None
    return np.ones(output.shape) if output.shape else None


def _gradient(explanation: Explanation, *, is_raw: bool) -> Expression | None:
    """Return the gradient of the one leaf over variables and upstream gradients."""
    (raw,) = (leaf.formula_raw for leaf in explanation.leaves)
    if is_raw:
        return raw
    found = simplified(explanation, at_any_point=True)
    (short,) = (leaf.formula for leaf in found.leaves)
    for note in found.notes:
        if note.code == "internal":
            tell(note.message, note.node)
    over = {node.name for node in explanation.nodes if node.expression == Name(node.name)} | {explanation.seed_name}
    return short if short is not None and names(short) <= over | set(CONSTANTS) else raw
