"""Jacobians, Hessians and derivatives of higher order of a program, in numbers and as formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import combinations_with_replacement, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError, GradcliError
from gradcli.explanation.build import build, build_leaves, check_wrt, checked_evaluation
from gradcli.explanation.derivatives.matrix import by_number, jacobian
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.formulas.checking import simplify_checked
from gradcli.explanation.formulas.simplified import MOST_WHOLE, over_variables, size_of
from gradcli.explanation.model import Explanation, Local, Node, Value
from gradcli.explanation.values import Variables, check_bindings, constant, value_of
from gradcli.facts import dataclass
from gradcli.guard import guarded, tell
from gradcli.language.tree import Expression, List, Number, Program, Statement, names

MOST = 2**16  # entries of one derivative
MOST_PASSES = 2**14  # backward passes
MOST_WORK = 8_000  # nodes of formulas that are simplified
ZERO = Number(0)


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of the output by the variables `by`, one after the other.

    `value` has the shape of the output and then of each variable. `formula` is over the variables; where a tensor is
    differentiated, it is a linear map: it gives the gradient for the upstream gradients of the names `upstreams`.
    """

    by: tuple[str, ...]
    value: Value | None
    formula: Expression | None = None
    upstreams: tuple[str, ...] = ()


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
        parts = [row for tensor in parts for row in _rows(tensor, x, size, create_graph=place < len(by))]
    zeros = np.zeros(by[-1].shape, output.dtype)
    return np.reshape([zeros if tensor is None else tensor.value for tensor in parts], shape).astype(output.dtype)[()]


def _rows(result: Tensor | None, x: Tensor, size: int, *, create_graph: bool) -> Iterator[Tensor | None]:
    """Yield the gradient of every entry; None where it does not depend on x."""
    if result is None or result.node is None:
        yield from [None] * size
        return
    for entry in range(size):
        seed = np.zeros(size, result.dtype)
        seed[entry] = 1
        (gradient,) = grad(
            [result], [x], [Tensor(seed.reshape(result.shape)[()])], retain_graph=True, create_graph=create_graph,
            allow_unused=True,
        )  # fmt: skip
        yield gradient


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
    return tuple(_Formulas(program, values, wrt, of, is_raw=is_raw).all(order, mixed=mixed))


@dataclass(frozen=True, slots=True)
class _Map:
    """A derivative as a formula, None where it would be too long, over variables and upstream gradients by name."""

    tree: Expression | None
    upstreams: Mapping[str, Value] = field(default_factory=dict)


class _Formulas:
    """The derivatives of a program by each sequence of variables; sequences that begin alike share derivatives."""

    def __init__(
        self, program: Program, values: Mapping[str, Any], wrt: Sequence[str] | None, of: str | None, *, is_raw: bool
    ) -> None:
        literals = Variables.of(program).literals
        self.point = {name: constant(s.value, program.source) for name, s in literals.items()} | dict(values)
        self.is_raw = is_raw
        self.left = MOST_WORK
        self.known = self.gradients(program, values, wrt, of, ())
        self.variables = [name for (name,) in self.known]

    def all(self, order: int, *, mixed: bool) -> Iterator[Derivative]:
        sequences = orders(self.variables, order, mixed=mixed)
        for end in range(1, order):
            next_of: dict[tuple[str, ...], dict[str, None]] = {}
            for by in sequences:
                next_of.setdefault(by[:end], {})[by[end]] = None
            for before, names_after in next_of.items():
                self.differentiate(before, [*names_after])
        yield from map(self.derivative, sequences)

    def derivative(self, by: tuple[str, ...]) -> Derivative:
        """Return the derivative by variables; a matrix where it is one."""
        linear = self.known[by]
        if linear.tree is not None and linear.tree != ZERO and len(linear.upstreams) == 1:
            point, (vector,) = {**self.point, **linear.upstreams}, linear.upstreams
            tree = linear.tree
            matrix = guarded(
                "simplification", lambda: jacobian(tree, vector, point) or by_number(tree, vector, point), None
            )
            if matrix is not None:
                short_matrix = guarded("simplification", partial(simplify_matrix, matrix, point), matrix)
                return Derivative(by, None, matrix if self.is_raw else short_matrix, ())
        return Derivative(by, None, linear.tree, (*linear.upstreams,))

    def differentiate(self, by: tuple[str, ...], variables: Sequence[str]) -> None:
        """Differentiate a derivative by several variables, in one backward pass."""
        tree, seeds = self.known[by].tree, self.known[by].upstreams
        used_names = frozenset() if tree is None else names(tree)
        wrt = [name for name in variables if name in used_names]
        self.known |= {(*by, name): _Map(None if tree is None or name in wrt else ZERO, seeds) for name in variables}
        if tree is not None and wrt and self.left >= 0:
            values = {name: value for name, value in {**self.point, **seeds}.items() if name in used_names}
            self.known |= self.gradients(Program((Statement(None, tree),)), values, wrt, None, by, seeds)

    def gradients(
        self,
        program: Program,
        values: Mapping[str, Any],
        wrt: Sequence[str] | None,
        of: str | None,
        by: tuple[str, ...],
        upstreams: Mapping[str, Value] = MappingProxyType({}),
    ) -> dict[tuple[str, ...], _Map]:
        """Return the formulas of the gradients of a program, which is the derivative by some variables."""
        evaluation = checked_evaluation(program, values, wrt, of, np.float64)
        assert evaluation.output is not None
        seed = np.ones(evaluation.output.shape) if evaluation.output.shape else None
        with np.errstate(all="ignore"):
            if len(evaluation.lines) > MOST_WHOLE:  # where nobody looks for operations of several nodes
                explanation = build_leaves(evaluation, seed)
            else:
                explanation = build(evaluation, seed, is_seed_named=True)
        for note in explanation.notes:
            if note.code == "internal":
                tell(note.message, note.node)
        if seed is not None:
            upstreams = {**upstreams, explanation.seed_name: seed}
        trees = {leaf.name: leaf.formula_raw for leaf in explanation.leaves}
        if not self.is_raw:
            trees = guarded("simplification", partial(over_variables, explanation, self.left), trees)
        self.left -= sum(size_of(leaf.formula_raw) for leaf in explanation.leaves)
        unreached = {leaf.name for leaf in explanation.leaves if leaf.gradient is None}
        return {(*by, name): _Map(ZERO if name in unreached else tree, upstreams) for name, tree in trees.items()}


def simplify_matrix(tree: Expression, point: Mapping[str, Any]) -> Expression:
    """Return a matrix, or each entry of a list, as a person writes it."""
    if isinstance(tree, List):
        return List(tuple(simplify_checked(x, point) for x in tree.items))
    return simplify_checked(tree, point)


def ones_like_output(program: Program, values: Mapping[str, Any], of: str | None) -> Any:
    """Return ones in the shape of the output; None for a number."""
    output = evaluate(program, values, of=of, dtype=np.dtype(np.float64)).output
    assert output is not None
    return np.ones(output.shape) if output.shape else None


# Local Jacobians, dense where they are small: the rule of an edge, evaluated for each basis vector.


WRITTEN = 100  # entries of a Jacobian that is written out


def with_jacobians(explanation: Explanation) -> Explanation:
    """Return the explanation with the Jacobian on each edge between tensors that has few entries."""
    point = {node.id: node.value for node in explanation.nodes}
    upstream = explanation.upstream_name
    return replace(explanation, nodes=tuple(_node(node, point, upstream) for node in explanation.nodes))


def _node(node: Node, point: Mapping[str, Any], upstream: str) -> Node:
    locals = tuple(replace(x, jacobian=_jacobian(node, x, point, upstream)) for x in node.locals)
    return replace(node, locals=locals) if locals else node


def _jacobian(node: Node, local: Local, point: Mapping[str, Any], upstream: str) -> Value | None:
    rows, columns = np.size(node.value), np.size(point[local.input])
    if rows * columns > WRITTEN or (not node.shape and not np.ndim(point[local.input])):
        return None
    matrix = np.zeros((rows, columns), node.dtype)
    for row, basis in enumerate(np.eye(rows, dtype=node.dtype)):
        try:
            flow = value_of(local.rule, {**point, upstream: basis.reshape(node.shape)[()]})
        except GradcliError:
            return None
        matrix[row] = np.broadcast_to(flow, np.shape(point[local.input])).ravel()
    return matrix
