"""A program that is run at many points: read once, and over whole columns of points where that gives the same.

Where every operation is elementwise and every value a number, one array a variable holds many points, and the engine
computes them all at once. A single point is then an array of one entry, because numpy gives an entry of an array the
same bits at every length (measured over every operation for lengths from 1 to 10,000), but may give a plain number
others, in the last digit of a general power for example. Other programs are run a point at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import chain
from typing import Any
from warnings import catch_warnings, warn

import numpy as np

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.hidden import Hidden
from gradcli.engine.modes import switched
from gradcli.engine.numerics.summation import THREADED
from gradcli.engine.stacked import Stack, stack
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.build import backward_events, check_wrt
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.lines import FAILURES, Evaluation, Line, Replay, captured, numbers
from gradcli.explanation.values import CONSTANTS, Variables, check_bindings, constant
from gradcli.facts import dataclass
from gradcli.language.parser import parse_program
from gradcli.source import Source, did_you_mean
from gradcli.stream.records import fixed_twice

MANY = 2**16  # points that are computed at once, at most
LARGE = 2**14  # entries of all values at one point, from which Python's own time does not count
ENTRIES = 2**20  # of all values of a program at these points, so that they fit into a processor's cache
MOST_ENTRIES = 2**24  # of all values of the records of a block that are computed at once
FEW = 16  # records of one form, for which a stack is not worth its making
STACKS = 64  # that are kept ready


@dataclass(frozen=True)
class Task:
    """A program and the quantities wanted at every point; `fixed` are the values that hold for all."""

    program: str
    name: str = "expression"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    wrt: tuple[str, ...] | None = None
    of: str | None = None
    upstream: Any = None
    dtype: str = "float64"
    is_forward_only: bool = False
    prefix: str = ""  # of the names of the columns of results
    nonfinite: str = "string"  # how nan and the infinities are written: as `string`, or as `null`
    is_cast: bool = False  # whether decimals are read as floats, and lists of any length as long as the first


@dataclass(frozen=True)
class Result:
    """The output and its gradients by variable, None where it does not depend on one; at one point, or at many."""

    value: Any
    gradients: dict[str, Any]
    errors: Mapping[int, str] = field(default_factory=dict)  # by the number of the row, of those that have one


class Plan:
    """A task made ready; raises the errors of the program and the options, whatever the points are."""

    def __init__(self, task: Task, *, is_columnar: bool = True) -> None:
        self.task = task
        self.program = parse_program(Source(task.program, task.name))
        self.needed = Variables.of(self.program)
        constants = [name for name in CONSTANTS if name not in task.fixed and name not in self.needed.literals]
        self.variables = [name for name in self.needed.places if name not in constants]
        self.names = [name for name in self.variables if name not in task.fixed]
        check_bindings(self.needed, {**dict.fromkeys(self.names), **task.fixed})
        if idle := [name for name in task.fixed if name not in self.needed.places]:
            warn(f"the program does not use {', '.join(idle)}", stacklevel=2)
        check_wrt(self.needed, task.wrt)
        self._check_output()
        self.required = self.needed.missing(task.fixed)
        self.wrt = () if task.is_forward_only else task.wrt
        self.defaults = self._defaults()
        self.width = 1
        self.replay: Replay | None = None
        self.stacks: dict[tuple[Any, ...], Stack | None] = {}  # by the form of the points
        self.is_columnar = is_columnar and self._is_columnar()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "replay": None, "stacks": {}}  # which have functions without names

    def _check_output(self) -> None:
        of, names = self.task.of, dict.fromkeys([*self.needed.places, *(s.target for s in self.program.statements)])
        if of is not None and of not in names:
            choices = [name for name in names if name]
            close = did_you_mean(of, choices)
            hint = f"--of {close}" if close else f"--of takes one of {', '.join(choices)}"
            raise UsageError("E010", f"the program has no {of}", help=hint)

    @property
    def differentiated(self) -> list[str]:
        """The variables that have a gradient."""
        if self.task.is_forward_only:
            return []
        return [name for name in self.variables if self.wrt is None or name in self.wrt]

    def check(self, point: Mapping[str, Any]) -> None:
        """Refuse a point that leaves a variable without a value, or gives one to a computed name; EvaluationError."""
        values = {**point, **self.task.fixed}
        if missing := self.needed.missing(values):
            raise EvaluationError(
                "E201",
                f"no value for {', '.join(missing)}",
                span=self.needed.places[missing[0]],
                help=f"the program needs {', '.join(self.required)}",
                source=self.program.source,
            )
        check_bindings(self.needed, values)

    def check_header(self, names: Sequence[str]) -> None:
        """Refuse a table that leaves a variable without a column, for no row of it can be computed; EvaluationError."""
        if twice := [name for name in self.task.fixed if name in names]:
            raise fixed_twice(twice[0], "column")
        if missing := [name for name in self.required if name not in names]:
            raise EvaluationError(
                "E201",
                f"no column for {', '.join(missing)}: the header has {', '.join(names)}",
                help=f"the first line names the columns; a value for all rows can be given as {missing[0]}=1",
            )

    def takes(self, values: Mapping[str, Any]) -> bool:
        """Return whether a point can be one of a column: a number for each variable."""
        return all(name in values for name in self.required) and all(type(v) is float for v in values.values())

    def at(self, values: Mapping[str, Any]) -> Result:
        """The result at one point: numbers or arrays by variable; EvaluationError where there is none."""
        if self.is_columnar and self.takes(values):
            result = self.over({name: np.array([value]) for name, value in values.items()}, 1)
            gradients = {name: g if g is None else g[0] for name, g in result.gradients.items()}
            return Result(result.value[0], gradients)
        return self._run({**self.task.fixed, **values}, self.task.upstream)

    def over(self, columns: Mapping[str, Any], count: int) -> Result:
        """The results at `count` points, for a columnar plan: an array of doubles a variable."""
        arrays: list[Any] = []  # the value and each gradient, None where there is none
        for start in range(0, max(count, 1), self.width):
            rows = slice(start, min(start + self.width, count))
            width = rows.stop - start
            values = {name: np.full(width, value) for name, value in self.defaults.items()}
            values.update({name: column[rows] for name, column in columns.items()})
            share = self._run_share(values, np.full(width, 1.0 if self.task.upstream is None else self.task.upstream))
            names, news = list(share.gradients), [np.broadcast_to(share.value, (width,)), *share.gradients.values()]
            arrays = arrays or [None if x is None else np.empty(count, x.dtype) for x in news]
            for array, x in zip(arrays, news, strict=True):
                if array is not None:
                    array[rows] = x
        return Result(arrays[0], dict(zip(names, arrays[1:], strict=True)))

    def form(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return what points that can be computed together have in common: the shapes of their values."""
        if self.is_columnar and self.takes(values):
            return ()
        return tuple((name, np.shape(value), np.result_type(value) == np.bool_) for name, value in values.items())

    def together(self, points: Sequence[Mapping[str, Any]]) -> Result | None:
        """Return the results at points of one form, computed at once; None where the program is not for that."""
        if not (form := self.form(points[0])):
            values = [{**self.defaults, **point} for point in points]
            columns = {name: np.array([point[name] for point in values], np.float64) for name in self.variables}
            return self.over(columns, len(points))
        if len(points) < FEW:
            return None
        if form not in self.stacks:
            if len(self.stacks) == STACKS:
                self.stacks.clear()
            self.at(points[0])  # which warns, and raises what holds for all
            self.stacks[form] = self.stack(points[0])
        stack = self.stacks[form]
        if stack is None or stack.output.dtype.kind != "f" or sum(stack.sizes()) * len(points) > MOST_ENTRIES:
            return None
        columns = {
            name: np.array([point[name] for point in points], np.bool_ if is_bool else self.task.dtype)
            for name, _, is_bool in form
        }
        return self.over_stack(stack, columns, len(points))

    def stack(self, point: Mapping[str, Any]) -> Stack | None:
        """Return how the program is done at once to many points with values of these shapes, if it can be."""
        dtype = np.dtype(self.task.dtype)
        arrays = {name: np.asarray(value) for name, value in point.items() if name in self.needed.places}
        if not arrays:
            return None
        hidden = {name: Hidden(x if x.dtype == np.bool_ else x.astype(dtype)) for name, x in arrays.items()}

        def program() -> tuple[Tensor, dict[str, Tensor], Any]:
            values = {**self.task.fixed, **{name: Tensor(x) for name, x in hidden.items()}}
            evaluation = self._evaluate(values, is_bare=True)
            assert evaluation.output is not None
            leaves = {line.name: line.tensor for line in leaves_of(evaluation)}
            return evaluation.output, leaves, self._seed(evaluation.output, self.task.upstream)

        try:
            with (
                switched(default_dtype=dtype, tape=None),
                catch_warnings(action="ignore"),
            ):  # the points will be warned of
                stacked = stack(hidden, program)
        except Exception:  # whatever the reason is, the points are computed one by one
            return None
        return stacked if sum(stacked.sizes()) <= LARGE else None

    def over_stack(self, stack: Stack, columns: Mapping[str, Any], count: int) -> Result:
        """The results at many points, by a stack; none of its values has many entries at a time."""
        dtype = np.dtype(self.task.dtype)
        width = max(1, THREADED // max(stack.sizes()))
        results = []
        for start in range(0, count, width):
            rows = {name: columns[name][start : start + width] for name in stack.variables}
            rows = {name: x if x.dtype == np.bool_ else x.astype(dtype, copy=False) for name, x in rows.items()}
            results.append(stack(rows, min(width, count - start)))
        values, gradients = zip(*results, strict=True)
        joined = {
            name: None if gradients[0][name] is None else np.concatenate([each[name] for each in gradients])
            for name in gradients[0]
        }
        return Result(np.concatenate(values), joined)

    def _run_share(self, values: Mapping[str, Any], upstream: Any) -> Result:
        """The results at the points of columns; what has run before is replayed, which reads no program."""
        if self.replay is not None:
            with suppress(Exception):  # the program itself says where it arises
                return Result(*self.replay(values, upstream))
        return self._run(values, upstream)

    def _run(self, values: Mapping[str, Any], upstream: Any) -> Result:
        evaluation = self._evaluate(values)
        result = self._differentiate(evaluation, upstream)
        for line in leaves_of(evaluation):
            line.tensor.node = None  # a leaf and its node hold each other: without this, memory waits for a collection
        return result

    def _differentiate(self, evaluation: Evaluation, upstream: Any) -> Result:
        output, leaves = evaluation.line_of[id(evaluation.output)], leaves_of(evaluation)
        gradients: dict[str, Any] = {line.name: None for line in leaves}
        if leaves and output.tensor.node is not None:
            seed = self._seed(output.tensor, upstream)
            try:
                gradients = captured(output.tensor, seed, {line.name: line.tensor for line in leaves})
            except FAILURES:
                backward_events(evaluation, seed)  # which fails as well, and says where
                raise
        return Result(output.tensor.value, gradients)

    def _seed(self, output: Tensor, upstream: Any) -> Any:
        if upstream is None:
            return None
        return numbers(upstream, "the upstream gradient").astype(output.dtype)[()]

    def _evaluate(self, values: Mapping[str, Any], *, is_bare: bool = False) -> Evaluation:
        task = self.task
        dtype = np.dtype(task.dtype)
        return evaluate(
            self.program,
            values,
            wrt=self.wrt,
            of=task.of,
            dtype=dtype,
            variables=self.needed,
            is_lent=True,
            is_bare=is_bare,
        )

    def _defaults(self) -> dict[str, Any]:
        """The values of the variables that a point need not give: from the options, or from the program itself."""
        literals = {}
        with suppress(Exception):  # said again, with its place, wherever a point needs the value
            for name, statement in self.needed.literals.items():
                literals[name] = constant(statement.value, self.program.source)
        return {**literals, **{name: value for name, value in self.task.fixed.items() if name in self.needed.places}}

    def _is_columnar(self) -> bool:
        """Return whether columns of points may be computed at once: tried at made-up points, alone and as a column.

        The two must leave the same tape of elementwise operations, with the same options and constants.
        """
        numbers_given = [*self.defaults.values(), 0 if self.task.upstream is None else self.task.upstream]
        if not all(type(value) in (int, float, np.float64) for value in numbers_given):
            return False
        points = {
            name: np.array([0.9, 0.8, 0.7]) / (2 + position)
            for position, name in enumerate(chain(self.names, self.task.fixed))
        }
        try:
            with catch_warnings(action="ignore"):  # the points will be warned of
                column = self._evaluate(points)
                alone = self._evaluate({name: values[0] for name, values in points.items()})
                self._differentiate(column, np.ones(3))
        except Exception:  # not for columns, or for no point at all: which, a point will tell
            return False
        self.width = max(1, min(MANY, ENTRIES // len(column.lines)))
        self.replay = Replay.of(column, np.dtype(self.task.dtype))
        output = alone.output
        return (
            output is not None
            and output.dtype.kind == "f"
            and len(alone.lines) == len(column.lines)
            and all(map(_are_alike, alone.lines, column.lines))
        )


def leaves_of(evaluation: Evaluation) -> list[Line]:
    return [line for line in evaluation.lines if isinstance(line.tensor.node, AccumulateGrad)]


def _are_alike(alone: Line, column: Line) -> bool:
    """Return whether a line of a program does the same to each entry of a column as to a number."""
    if not _match(alone.tensor, column.tensor):
        return False
    one_point, many_points = alone.application, column.application
    if one_point is None or many_points is None:
        return one_point is many_points
    return (
        one_point.primitive is many_points.primitive
        and not one_point.primitive.structured
        and not one_point.primitive.view
        and repr(one_point.options) == repr(many_points.options)
        and all(map(_match, one_point.inputs, many_points.inputs))
    )


def _match(x: Any, xs: Any) -> bool:
    """Return whether two inputs are the same number, or the second a column of three where the first is a number."""
    if not isinstance(x, Tensor) or not isinstance(xs, Tensor):
        return type(x) is type(xs) and repr(x) == repr(xs)
    if x.shape != () or x.dtype != xs.dtype:
        return False
    return xs.shape == (3,) or (xs.shape == () and bool(np.array_equal(x.value, xs.value, equal_nan=True)))
