"""The lines of the forward pass, which evaluating a program leaves."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import wraps
from typing import Any, Self, TypeVar

import numpy as np

from gradcli.engine.backward import drain, walk
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import Application, replay
from gradcli.engine.rites import Rites
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError, GradcliError
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, List, Name, Number, Program, Tuple, Unary, children, postorder
from gradcli.language.unparser import unparse
from gradcli.ops.support.arguments import too_large
from gradcli.source import Source, Span

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


# Additions to a refusal where the program is known: the place, the operands with their shapes, a plain reason.


T = TypeVar("T")
WIDEST = 30  # characters of an operand
MOST = 4  # operands
NUMERALS = (Number, Unary, List)
# Besides errors of ours: limits of the machine, and whatever numpy raises where it cannot compute.
FAILURES = (GradcliError, MemoryError, ArithmeticError, ValueError, IndexError)


def refused(error: Exception, node: Expression, values: Sequence[Any], source: Source | None) -> GradcliError:
    """Return the error of a node with its place; torch's errors name the operands, which have `values`, too."""
    refusal = failed(error)
    if isinstance(refusal, AutogradError) and not refusal.label:
        refusal.label = operands(node, values)
    return refusal.at(node.span, source)


def failed(error: Exception) -> GradcliError:
    """Return the error of the program for one of `FAILURES`; other exceptions are bugs, and pass through."""
    if isinstance(error, GradcliError):
        return error
    if isinstance(error, MemoryError):
        return EvaluationError("E210", "this needs more memory than there is", help="try it at a smaller size")
    if isinstance(error, OverflowError):
        return EvaluationError("E212", "a number here is too large for a size or a place", help="use a smaller one")
    if isinstance(error, ValueError | IndexError) and " 64" in str(error):
        return EvaluationError("E210", "a tensor has at most 64 dimensions", help="try it with fewer")
    return EvaluationError("E214", f"this cannot be computed: {error}", help="change the values or the arguments")


def in_line(function: Callable[..., T]) -> Callable[..., T]:
    """Decorate a function so that its errors have the place of the line, which is its first or second argument."""

    @wraps(function)
    def placed(*arguments: Any) -> T:
        try:
            return function(*arguments)
        except FAILURES as error:
            line = arguments[0] if hasattr(arguments[0], "span") else arguments[1]
            raise failed(error).at(line.span) from None

    return placed


def operands(node: Expression, values: Sequence[Any]) -> str:
    """`x (2,) and y (3,)`: the tensors that a node was given, as they are written, with their shapes."""
    texts = [f"{_cut(unparse(tree))} {value.shape}" for tree, value in _tensors(children(node), values)]
    if len(texts) > MOST:
        texts[MOST - 1 :] = [f"{len(texts) - MOST + 1} more"]
    *first, last = texts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _tensors(trees: Sequence[Expression], values: Sequence[Any]) -> Iterator[tuple[Expression, Any]]:
    for tree, value in zip(trees, values, strict=True):
        if isinstance(value, Tensor):
            yield tree, value
        elif isinstance(tree, List) and all(isinstance(x, NUMERALS) for x in postorder(tree)):
            yield tree, np.asarray(value, object)  # which may be ragged
        elif isinstance(tree, List | Tuple):
            yield from _tensors(tree.items, value)


def _cut(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."


def numbers(value: Any, what: str) -> Any:
    """Return a value as an array of real numbers or of booleans; EvaluationError where it is none."""
    if isinstance(value, np.ndarray) and np.any(getattr(value, "mask", False)):  # numpy.ma would be imported to ask it
        raise EvaluationError("E207", f"{what} is masked in places", help="fill them first, such as x.filled(0)")
    try:
        array = np.asarray(None if hasattr(value, "_fields") else value)  # several results are no list
    except ValueError:  # rows of different lengths, or more than 64 dimensions
        array = np.asarray(None)
    if array.dtype.kind not in "fiub":
        raise no_numbers(what)
    return array


def no_numbers(what: str) -> EvaluationError:
    return EvaluationError(
        "E207",
        f"{what} is neither a number nor a list of numbers with rows of one length",
        label="not numbers",
        help="write a value such as 2, -1/2 or [[1, 2], [3, 4]]",
    )


def check_total(entries: int) -> None:
    """Refuse a program whose values add up to more than a machine should hold."""
    if entries > mode.largest:
        raise too_large(f"the values of this program have {entries:,} entries so far")
