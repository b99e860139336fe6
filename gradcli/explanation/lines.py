"""The lines of the forward pass, which evaluating a program leaves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Self

import numpy as np

from gradcli.engine.backward import drain, walk
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import switched
from gradcli.engine.recorder import Application, replay
from gradcli.engine.rites import Rites
from gradcli.engine.tensor import Tensor
from gradcli.explanation.refusals import NUMERALS, check_total
from gradcli.facts import dataclass
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
    def op(self) -> str:
        """The name of the operation that computed it; empty where none did."""
        return "" if self.application is None else self.application.primitive.name

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

    program: Program = Program(())
    lines: list[Line] = field(default_factory=list)
    line_of: dict[int, Line] = field(default_factory=dict)  # by id() of the tensor, which its line keeps alive
    scope: dict[str, Any] = field(default_factory=dict)
    output: Tensor | None = None
    entries: int = 0
    tape: Sequence[Application] = ()

    def count(self, tensor: Tensor) -> None:
        self.entries += tensor.value.size
        check_total(self.entries)

    def add(self, line: Line) -> None:
        self.count(line.tensor)
        self.lines.append(line)
        self.line_of[id(line.tensor)] = line


@dataclass(frozen=True)
class Replay:
    """An evaluation that runs again, at other values of the same shapes, as often as wanted.

    It holds where the program computes nothing from values but by the applications on its tape.
    """

    tape: Sequence[Application]
    variables: Mapping[str, Tensor]
    output: Tensor
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, evaluation: Evaluation, dtype: np.dtype[Any]) -> Self | None:
        """Return the replay of an evaluation; None where a tensor that is no number comes from outside its tape."""
        tape = [line.application for line in evaluation.lines if line.application is not None]
        variables = {line.name: line.tensor for line in evaluation.lines if line.is_variable}
        tensors = {id(x) for x in (*variables.values(), *(application.out for application in tape))}
        inputs = [x for application in tape for x in application.inputs if isinstance(x, Tensor) and x.shape]
        output = evaluation.output
        if output is None or not all(id(x) in tensors for x in (*inputs, output)):
            return None
        return cls(tape, variables, output, dtype)

    def __call__(self, values: Mapping[str, Any], upstream: Any) -> tuple[Any, dict[str, Any]]:
        """Return the output and the gradients; the values are lent."""
        leaves: dict[str, Tensor] = {}
        with switched(default_dtype=self.dtype, tape=None), np.errstate(all="ignore"):
            for name, variable in self.variables.items():
                leaf = leaves[name] = Tensor(values[name].astype(self.dtype, copy=False))
                if variable.requires_grad:
                    leaf.node = AccumulateGrad(leaf)
            tensors = {id(variable): leaves[name] for name, variable in self.variables.items()}
            replay(self.tape, tensors)
            output = tensors[id(self.output)]
            differentiated = {name: leaf for name, leaf in leaves.items() if leaf.node is not None}
            if differentiated and output.node is not None:
                gradients = captured(output, np.asarray(upstream, output.dtype), differentiated)
            else:
                gradients = dict.fromkeys(differentiated)
        for leaf in leaves.values():
            leaf.node = None  # a leaf and its node hold each other: without this, memory waits for a collection
        return output.value, gradients


def captured(output: Tensor, upstream: Any, leaves: Mapping[str, Tensor], rites: Rites | None = None) -> dict[str, Any]:
    """Return the gradients of leaves by a backward pass that leaves the graph as it was; None where none arrives."""
    captured_gradients: dict[Any, Any] = {leaf.node: None for leaf in leaves.values()}
    rites = Rites() if rites is None else rites
    rites.captured = captured_gradients
    with np.errstate(all="ignore"):
        drain(walk([output], [upstream], retain_graph=True, into=captured_gradients, rites=rites, events=False), False)
    return {name: captured_gradients[leaf.node] for name, leaf in leaves.items()}
