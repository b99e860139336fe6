"""The reason for the rule of an edge, entry by entry, in the names of the program and the numbers of the point."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Local, Node, Why
from gradcli.facts import dataclass

if TYPE_CHECKING:
    from gradcli.explanation.index.taught.declaration import Finder

MOST_DIMENSIONS = 6  # of a tensor; nobody reads a formula with more indices


def with_reasons(line: Line, locals: dict[int, Local], gradient: Any, upstream_name: str) -> dict[int, Local]:
    """Return the edges of a line, each that has an index formula with it; `gradient` is that of the line, if any."""
    application = line.application
    if application is None or all(local.formula is not None for local in locals.values()):
        return locals
    primitive = application.primitive
    if primitive.structured and not (primitive.index or primitive.differential):
        return locals
    if max(x.tensor.value.ndim for x in (line, *line.inputs)) > MOST_DIMENSIONS:
        return locals
    alone = applied_alone(line)
    return {
        position: local
        if local.formula is not None
        else replace(local, reason=Reason(alone, position, gradient, upstream_name))
        for position, local in locals.items()
    }


def name_apart(nodes: Iterable[Node]) -> None:
    """Tell each reason the names of the program, of which an index has none."""
    nodes = [*nodes]
    taken = frozenset(node.name for node in nodes if len(node.name) == 1)
    for node in nodes if taken else ():
        for local in (*node.locals, *(node.whole.locals if node.whole else ())):
            if isinstance(local.reason, Reason):
                local.reason.taken = taken


def without_graph(line: Line) -> Line:
    """Return the line of an input with its value alone, so that what explains a rule keeps no graph alive."""
    is_variable = line.is_variable or line.application is not None
    return Line(line.name, Tensor(line.tensor.value), line.written, line.span, is_variable=is_variable)


def applied_alone(line: Line) -> Line:
    """Return a line and its application without graphs."""
    application = line.application
    assert application is not None
    inputs = tuple(map(without_graph, line.inputs))
    values = tuple(
        (x.tensor if x.tensor.value.dtype == value.value.dtype else Tensor(value.value))
        if isinstance(value, Tensor)
        else value
        for x, value in zip(inputs, application.inputs, strict=True)
    )
    out = Tensor(line.tensor.value)
    kept = Application(application.primitive, values, application.options, out)
    return Line(line.name, out, line.written, line.span, kept, inputs)


@dataclass(eq=False)
class Reason:
    """The reason for the rule of an edge, found when it is asked for: of a long program a page shows few edges."""

    line: Line
    position: int
    gradient: Any
    upstream_name: str
    taken: frozenset[str] = field(default=frozenset(), init=False)  # the names of the program, which no index has

    def __call__(self) -> Why | None:
        return self.told

    @cached_property
    def told(self) -> Why | None:
        from gradcli.explanation.index.letters import apart_from

        return None if self.found is None else apart_from(self.found, self.taken)

    @cached_property
    def found(self) -> Why | None:
        assert self.line.application is not None
        from gradcli.explanation.index import telling

        is_structured = self.line.application.primitive.structured
        tell = telling.structured if is_structured else telling.elementwise
        with np.errstate(all="ignore"):
            return tell(self.line, self.position, self.gradient, self.upstream_name)


@dataclass(eq=False)
class ReasonOfWhole(Reason):
    """The reason for the rule of an operation that is no application of its own, by the text of its formulas."""

    text: str
    given: Finder | None = None

    @cached_property
    def found(self) -> Why | None:
        from gradcli.explanation.index import telling

        return telling.whole(self.line, self.position, self.gradient, self.upstream_name, self.text, self.given)
