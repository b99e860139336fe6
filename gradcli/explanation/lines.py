"""The lines of the forward pass, which evaluating a program leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.explanation.refusals import NUMERALS, check_total
from gradcli.language.tree import Expression, Name, Program
from gradcli.language.unparser import unparse
from gradcli.source import Span

SHORT = 8  # entries of a list that is written out wherever it is used


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the forward pass: a tensor, its name, how it is written, and how it was computed, if it was.

    Of an operation for which torch takes several nodes, all but the last line are `part_of` the last one by name; that
    has the `whole` as the user wrote it, if the lines are all of it.
    """

    name: str
    tensor: Tensor
    written: Expression
    span: Span
    application: Application | None = None
    inputs: tuple[Line, ...] = ()
    is_variable: bool = False
    part_of: str = ""
    whole: Expression | None = None

    @property
    def spelling(self) -> Expression:
        """The expression that stands for it in other lines: its name, or a number or short list as it is written."""
        computed = self.application is not None or self.is_variable or not isinstance(self.written, NUMERALS)
        return Name(self.name) if computed or self.tensor.value.size > SHORT else self.written

    @property
    def smooth_for(self) -> str:
        """Where the operation is finite and smooth, `0 < x`; empty if that is everywhere, or up to numbers in it."""
        if self.application is None:
            return ""
        text = self.application.primitive.domain_for(self.application.options).text
        positions = {int(position) for position in re.findall(r"{(\d)}", text)}
        is_open = any(isinstance(self.inputs[position].spelling, Name) for position in positions)
        return text.format(*(unparse(x.spelling) for x in self.inputs)) if is_open else ""


@dataclass
class Evaluation:
    """An evaluated program: lines in evaluation order, each tensor's line, the last value of each name that is assigned
    or given, and the output.
    """

    program: Program = Program(())  # noqa: RUF009  frozen
    lines: list[Line] = field(default_factory=list)
    line_of: dict[int, Line] = field(default_factory=dict)  # by id() of the tensor, which its line keeps alive
    scope: dict[str, Any] = field(default_factory=dict)
    output: Tensor | None = None
    entries: int = 0

    def add(self, line: Line) -> None:
        self.entries += line.tensor.value.size
        check_total(self.entries)
        self.lines.append(line)
        self.line_of[id(line.tensor)] = line
