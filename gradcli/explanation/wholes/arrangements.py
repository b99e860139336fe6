"""Reasons for the rule of an operation in which one node computes and other nodes arrange entries around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.explanation.index.arrangements import (
    UPSTREAM,
    Arranged,
    Outside,
    Positions,
    Shape,
    between,
    is_order,
    pointwise,
)
from gradcli.explanation.index.formulas import Formulas, formulas
from gradcli.explanation.index.views import picks
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Local, Why
from gradcli.explanation.refusals import in_line
from gradcli.explanation.wholes.grouping import is_layout, prepares
from gradcli.explanation.why import MOST_DIMENSIONS, Reason, line_without_graphs, without_graph
from gradcli.facts import dataclass
from gradcli.language.tree import Name

LARGEST = 2**20  # entries of a tensor that are followed


def attach_arranged_reasons(
    lines: Sequence[Line], locals: Sequence[Local], upstream_name: str, gradient: Any
) -> list[Local]:
    """Return the edges of an operation of several lines, with the reasons for their rules if one line computes."""
    mains = [line for line in lines if line.application and not prepares(line.application)]
    arrangement = arrangement_of(lines, mains[0] if mains else lines[-1]) if len(mains) < 2 else None
    if arrangement is None:
        return [*locals]
    names, order = [x.name for x in arrangement.outer], {line.name: place for place, line in enumerate(lines)}
    reached = [order[(chain[0] if chain else arrangement.main).name] for chain in arrangement.before]
    latest_first = sorted(range(len(names)), key=lambda place: (-reached[place], place))  # as the way back goes
    explained, numbers = list[Local](), dict[str, int]()
    for local in locals:
        places = [place for place in latest_first if names[place] == local.input]
        edges = sum(edge.input == local.input for edge in locals)
        number = numbers[local.input] = numbers.get(local.input, -1) + 1
        chosen = places if edges == 1 else places[number : number + 1]
        reason = ArrangedReason(arrangement.main, chosen[0], gradient, upstream_name, arrangement, tuple(chosen))
        explained.append(local if local.formula is not None else replace(local, reason=reason))
    return explained


@dataclass(frozen=True)
class Arrangement:
    """The line that computes, the lines that arrange its result, and the lines that arrange each input, outer first.

    `last` is the result of all lines, and `outer` are the lines that the inputs come from; none of them keeps a graph.
    """

    main: Line
    behind: tuple[Line, ...]
    before: tuple[tuple[Line, ...], ...]
    last: Line
    outer: tuple[Line, ...]


def arrangement_of(lines: Sequence[Line], main: Line) -> Arrangement | None:
    """Return the lines around the line that computes; None where these do more than arrange entries."""
    names = {line.name for line in lines}
    last = lines[-1]
    behind, *before = (_chain(x, main, names) for x in (last, *main.inputs))
    if behind is None or (behind[0].inputs[0] if behind else last) is not main:
        return None
    chains = [chain for chain in before if chain is not None]
    if len(chains) < len(before):
        return None
    outer = tuple(
        without_graph(chain[0].inputs[0] if chain else x) for chain, x in zip(chains, main.inputs, strict=True)
    )
    result = Line(last.name, Tensor(last.tensor.value), last.whole or last.written, last.span, inputs=outer)
    behind, *chains = ([line_without_graphs(line) for line in chain] for chain in (behind, *chains))
    return Arrangement(line_without_graphs(main), tuple(behind), tuple(map(tuple, chains)), result, outer)


def _chain(line: Line, main: Line, names: set[str]) -> list[Line] | None:
    """Return the lines that lead to a line, from the main line or one outside on; None where one of them computes."""
    chain: list[Line] = []
    while line.name in names and line is not main:
        if line.application is None or not (picks(line.application.primitive) or is_layout(line.application)):
            return None
        chain.append(line)
        line = line.inputs[0]
    return chain[::-1]


def arranged(name: str, shape: Shape, chain: Sequence[Line]) -> Arranged:
    """Return a tensor of some shape as a chain arranges it."""
    positions: Positions = np.arange(prod(shape)).reshape(shape)
    dims: tuple[int, ...] | None = (*range(len(shape)),)
    for line in chain:
        assert line.application is not None
        primitive, before, options = line.application.primitive, positions.shape, line.application.options
        positions = np.asarray(primitive.forward(positions, **options))
        dims = None if dims is None else followed(dims, primitive.name, options, before, positions.shape)
    return Arranged(name, shape, positions, dims)


def followed(
    dims: tuple[int, ...], primitive: str, options: Mapping[str, Any], before: Shape, after: Shape
) -> tuple[int, ...] | None:
    """Return the origin of each dimension after a change of shape, -1 for a new dimension; None where uncertain."""
    dim = options.get("dim")
    if primitive in ("permute", "transpose", "t"):
        return None if 1 in before else dims
    if isinstance(dim, int) and len(after) == len(before) + 1:
        return (*dims[: dim % len(after)], -1, *dims[dim % len(after) :])
    if isinstance(dim, int) and len(after) == len(before) - 1:
        return (*dims[: dim % len(before)], *dims[dim % len(before) + 1 :])
    if before == after:
        return dims
    sizes_kept = [dims[place] for place, size in enumerate(before) if size != 1]
    if 1 in (before if len(after) > len(before) else after) or len(sizes_kept) != sum(size != 1 for size in after):
        return None
    dims_left = iter(sizes_kept)
    return tuple(-1 if size == 1 else next(dims_left) for size in after)


@dataclass(eq=False)
class ArrangedReason(Reason):
    """The reason for a rule, with the entries of the tensors outside; `chosen` are the inputs that are one edge."""

    arrangement: Arrangement
    chosen: tuple[int, ...]

    @cached_property
    def original_why(self) -> Why | None:
        from gradcli.explanation.index import reasons

        lines = self.arrangement
        with np.errstate(all="ignore"):
            if is_as_before(lines):
                alone = replace(self.line, name=lines.last.name, inputs=lines.outer)
                return reasons.structured(alone, self.position, self.gradient, self.upstream_name)
            forms = self.formulas
            if forms is None:
                return None
            return reasons.reason_in_names(lines.last, self.position, forms, self.gradient, self.upstream_name)

    @cached_property
    def formulas(self) -> Formulas | None:
        """The formulas over `x0`, `x1`, ..., the inputs of all; None where there are none."""
        return _formulas(self.line, self)


def is_as_before(lines: Arrangement) -> bool:
    """Return whether a computation has a differential, and the lines around it leave all entries in their places."""
    application = lines.main.application
    return (
        application is not None
        and bool(application.primitive.differential)
        and all(
            np.array_equal(t.positions, np.arange(prod(t.shape)).reshape(t.shape))
            for x, chain in zip((lines.main, *lines.outer), (lines.behind, *lines.before), strict=True)
            for t in [arranged(x.name, x.tensor.shape, chain)]
        )
    )


@in_line
def _formulas(main: Line, reason: ArrangedReason) -> Formulas | None:
    lines, application = reason.arrangement, main.application
    tensors = {f"x{place}": x.tensor.value for place, x in enumerate(lines.outer)}
    values = [main.tensor.value, lines.last.tensor.value, *tensors.values()]
    if application is None or any(np.ndim(x) > MOST_DIMENSIONS or np.size(x) > LARGEST for x in values):
        return None
    operands = [
        arranged(name, np.shape(x), chain) for (name, x), chain in zip(tensors.items(), lines.before, strict=True)
    ]
    behind = arranged("out", main.tensor.shape, lines.behind)
    find = structured if application.primitive.structured else elementwise
    result = find(main, behind, operands, reason.chosen)
    if result is None:
        return None
    forward, gradient, extra = result
    result_value, names = lines.last.tensor.value, (*tensors,)
    tensors.update({f"∂{name}": value for name, value in tensors.items()}, out=result_value)
    tensors[UPSTREAM] = np.ones_like(result_value) if reason.gradient is None else reason.gradient
    tensors.update({name: value for name, (_, value) in extra.items()})
    words = {name: text for name, (text, _) in extra.items()}
    return Formulas(forward, gradient, tensors, UPSTREAM, "out", names, words)


def structured(main: Line, behind: Arranged, operands: Sequence[Arranged], chosen: Sequence[int]) -> Outside | None:
    application, value = main.application, main.tensor.value
    assert application is not None
    inputs = [x.value if isinstance(x, Tensor) else x for x in application.inputs]
    inner = formulas(application.primitive, np.ones_like(value), value, inputs, application.options, chosen[0])
    if inner is None or not is_order(behind.positions, value.shape):
        return None
    operand_of = dict(zip(inner.inputs, operands, strict=True))
    return between(inner, turned(behind), operand_of, [inner.inputs[place] for place in chosen])


def turned(behind: Arranged) -> Arranged:
    """Return the result outside as it is seen from the computation, from how the computation is seen outside."""
    positions = np.argsort(behind.positions, axis=None).reshape(behind.shape)
    dims = behind.dims
    if dims is not None:
        dims = tuple(dims.index(dim) if dim in dims else -1 for dim in range(len(behind.shape)))
    return Arranged(behind.name, behind.positions.shape, positions, dims)


def is_number(line: Line) -> bool:
    return not line.tensor.shape and not isinstance(line.spelling, Name)


def elementwise(main: Line, behind: Arranged, operands: Sequence[Arranged], chosen: Sequence[int]) -> Outside | None:
    """Return the formulas over the indices of the result, or over the computation's indices where that is simpler."""
    application, shape = main.application, main.tensor.shape
    assert application is not None
    formulas_in = [
        Formula(line.written if is_number(line) else Name(x.name), getattr(value, "value", value))
        for x, value, line in zip(operands, application.inputs, main.inputs, strict=True)
    ]
    result, upstream = (Formula(Name(name), main.tensor.value) for name in ("out", UPSTREAM))
    rules = application.primitive.rules_for(formulas_in)
    trees = {
        operands[place].name: rule(upstream, result, *formulas_in, **application.options).tree
        for place in chosen
        if (rule := rules[place]) is not None
    }
    tree = application.primitive.notation(formulas_in, application.options)
    copied = [replace(x, positions=np.broadcast_to(x.positions, shape), dims=None) for x in operands]
    order = np.arange(behind.positions.size).reshape(behind.positions.shape)
    read_views = [replace(x, positions=x.positions.reshape(-1)[behind.positions]) for x in copied]

    def over(result: Arranged, operands: Sequence[Arranged]) -> Outside | None:
        return pointwise(tree, trees, result, {x.name: x for x in operands})

    outside = over(Arranged("out", order.shape, order, (*range(order.ndim),)), read_views)
    is_plain = outside is None or not outside[-1] or not is_order(behind.positions, shape)
    return outside if is_plain else over(turned(behind), copied)
