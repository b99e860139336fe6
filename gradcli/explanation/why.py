"""The reason for the rule of an edge, entry by entry, in the names of the program and the numbers of the point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    from gradcli.explanation.index.formulas import Finder

MOST_DIMENSIONS = 6  # of a tensor; nobody reads a formula with more indices


def attach_reasons(line: Line, locals: Mapping[int, Local], gradient: Any, upstream_name: str) -> Mapping[int, Local]:
    """Return the edges of a line, with a reason for each rule that has index formulas; `gradient` is the line's."""
    application = line.application
    if application is None or all(local.formula is not None for local in locals.values()):
        return locals
    primitive = application.primitive
    if primitive.structured and not (primitive.index or primitive.differential):
        return locals
    if max(x.tensor.value.ndim for x in (line, *line.inputs)) > MOST_DIMENSIONS:
        return locals
    alone = line_without_graphs(line)
    return {
        position: local
        if local.formula is not None
        else replace(local, reason=Reason(alone, position, gradient, upstream_name))
        for position, local in locals.items()
    }


def reserve_names(nodes: Iterable[Node]) -> None:
    """Give each reason the one-letter names of the program, so that no index has one of them."""
    nodes = [*nodes]
    names_in_use = frozenset(node.name for node in nodes if len(node.name) == 1)
    for node in nodes if names_in_use else ():
        for local in (*node.locals, *(node.whole.locals if node.whole else ())):
            if isinstance(local.reason, Reason):
                local.reason.names_in_use = names_in_use


def without_graph(line: Line) -> Line:
    """Return the line of an input with its value alone, so that what explains a rule keeps no graph alive."""
    is_variable = line.is_variable or line.application is not None
    return Line(line.name, Tensor(line.tensor.value), line.written, line.span, is_variable=is_variable)


def line_without_graphs(line: Line) -> Line:
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
    result = Tensor(line.tensor.value)
    application_alone = Application(application.primitive, values, application.options, result)
    return Line(line.name, result, line.written, line.span, application_alone, inputs)


@dataclass(eq=False)
class Reason:
    """The reason for the rule of an edge, computed when it is called: a page shows few edges of a long program."""

    line: Line
    position: int
    gradient: Any
    upstream_name: str
    names_in_use: frozenset[str] = field(default=frozenset(), init=False)  # of one letter, which no index has

    def __call__(self) -> Why | None:
        return self.renamed_why

    @cached_property
    def renamed_why(self) -> Why | None:
        from gradcli.explanation.index.reasons import rename_indices

        return None if self.original_why is None else rename_indices(self.original_why, self.names_in_use)

    @cached_property
    def original_why(self) -> Why | None:
        assert self.line.application is not None
        from gradcli.explanation.index import reasons

        is_structured = self.line.application.primitive.structured
        tell = reasons.structured if is_structured else reasons.elementwise
        with np.errstate(all="ignore"):
            return tell(self.line, self.position, self.gradient, self.upstream_name)


@dataclass(eq=False)
class ReasonOfWhole(Reason):
    """The reason for the rule of an operation of several applications, by the text of its index formulas."""

    text: str
    finder: Finder | None = None

    @cached_property
    def original_why(self) -> Why | None:
        from gradcli.explanation.index import reasons

        return reasons.operation(self.line, self.position, self.gradient, self.upstream_name, self.text, self.finder)
