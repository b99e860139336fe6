"""The results of a program over columns: at once where it is elementwise, else row by row with the same bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import accumulate
from typing import Any
from warnings import catch_warnings

import numpy as np

from gradcli.engine.modes import ENGINE
from gradcli.engine.stacked import Stack
from gradcli.errors import EvaluationError, GradcliError
from gradcli.facts import dataclass
from gradcli.source import did_you_mean, visible
from gradcli.stream.plan import Plan, Task
from gradcli.stream.records import fixed_twice
from gradcli.workers.notes import part

# The forms of columns: the dtype and the shape of one row, known before any row is computed.


DOUBLE = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
LITTLE = 256  # rows that are computed together where not all can be
LARGEST = 2**24  # entries of a row
LONGEST = 60  # characters of a name in a message


@dataclass(frozen=True)
class Form:
    """The dtype and the shape of the value in each row of a column; a number has the shape ()."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...] = ()

    @classmethod
    def of(cls, value: Any) -> Form:
        """Return the form of a value at one point."""
        array = np.asarray(value)
        return cls(array.dtype, array.shape)

    def __str__(self) -> str:
        return f"the shape {self.shape}" if self.shape else "a number"


@dataclass(frozen=True)
class Forms:
    """The forms of what a program gives; a gradient is None where the output does not depend on the variable."""

    value: Form
    gradients: Mapping[str, Form | None]
    stack: Stack | None = None  # computes all rows of such columns at once


def check_names(plan: Plan, names: list[str]) -> None:
    """Refuse columns that leave a variable without values; EvaluationError."""
    if twice := [name for name in plan.task.fixed if name in names]:
        raise fixed_twice(twice[0], "column")
    if missing := [name for name in plan.required if name not in names]:
        close = did_you_mean(missing[0], [name for name in names if name not in plan.names])
        raise EvaluationError(
            "E201",
            f"no column for {', '.join(missing)}: there {'is' if len(names) == 1 else 'are'} {listed(names)}",
            help=f"did you mean {close}?" if close else f"a value for all rows can be given as {missing[0]}=1",
        )


def listed(names: list[str], limit: int = 20) -> str:
    """Return names with commas between, the first of very many, on one line."""
    omitted = [f"{len(names) - limit:,} more"] if len(names) > limit else []
    return ", ".join([*(visible(name)[:LONGEST] for name in names[:limit]), *omitted]) or "none"


def forms(plan: Plan, form_of_column: Mapping[str, Form]) -> Forms:
    """Return what the program gives for columns of these forms, tried at made-up points.

    Raises the error of the first of them where the program refuses all of them.
    """
    first: GradcliError | None = None
    for point in trial_points(form_of_column):
        try:
            with catch_warnings(action="ignore"):
                result = plan.at(point)
        except GradcliError as error:
            first = first or error
            continue
        gradient_forms = {name: Form.of(g) for name, g in result.gradients.items() if g is not None}
        is_columnar = plan.is_columnar and plan.takes(point)
        stacks = () if is_columnar else filter(None, map(plan.stack, trial_points(form_of_column)))
        stack = next(iter(stacks), None)
        return Forms(Form.of(result.value), {name: gradient_forms.get(name) for name in plan.differentiated}, stack)
    assert first is not None
    raise first


def trial_points(form_of_column: Mapping[str, Form]) -> Iterator[dict[str, Any]]:
    """Yield points: all different fractions; then, for programs that refuse them, 0, 1, and unit matrices."""
    for fill in (_fractions, lambda form, _: np.zeros(form.shape), lambda form, _: np.ones(form.shape), _unit):
        yield {name: _as(form, fill(form, place)) for place, (name, form) in enumerate(form_of_column.items())}


def _fractions(form: Form, place: int) -> Any:
    count = int(np.prod(form.shape))
    return (0.9 / (2 + place) * (1 + np.arange(count) / (count + 1))).reshape(form.shape)


def _unit(form: Form, place: int) -> Any:
    is_square = len(form.shape) > 1 and form.shape[-1] == form.shape[-2]
    return np.broadcast_to(np.eye(form.shape[-1]), form.shape) if is_square else _fractions(form, place)


def _as(form: Form, array: Any) -> Any:
    """Return the value as a row has it: a number of Python, or an array."""
    array = array != 0 if form.dtype == BOOL else array
    return array if form.shape else array.item()


def refuse_large(name: str, form: Form) -> None:
    """Refuse a row that no program could take; EvaluationError."""
    if not 0 < np.prod(form.shape, dtype=float) <= LARGEST:
        raise EvaluationError("E207", f"a row of {name} has the shape {form.shape}", help="give smaller rows")


Array = Any  # of numpy


@dataclass(frozen=True)
class Inputs:
    """The columns that a program takes: arrays of doubles or booleans, and a mask of the rows that lack a value."""

    count: int
    values: Mapping[str, Array]
    missing: Mapping[str, Array]  # only columns in which a row lacks one

    @property
    def incomplete(self) -> Array | None:
        """A mask of the rows that lack a value; None where there is none."""
        return np.logical_or.reduce(list(self.missing.values())) if self.missing else None

    def rows(self, start: int, stop: int) -> Inputs:
        """Return some of the rows."""
        rows_chosen = slice(start, stop)
        return Inputs(
            stop - start,
            {name: column[rows_chosen] for name, column in self.values.items()},
            {name: mask[rows_chosen] for name, mask in self.missing.items() if mask[rows_chosen].any()},
        )

    def split(self) -> list[Inputs]:
        """Return a few rows each, of which those without an error can still be computed at once."""
        return [self.rows(start, min(start + LITTLE, self.count)) for start in range(0, max(self.count, 1), LITTLE)]

    @property
    def forms(self) -> dict[str, Form]:
        return {name: Form(column.dtype, column.shape[1:]) for name, column in self.values.items()}


@dataclass(frozen=True)
class Computed:
    """The columns of the results, and the error of each row that has none."""

    value: Array
    gradients: dict[str, Array | None]
    errors: dict[int, GradcliError]

    @property
    def count(self) -> int:
        return len(self.value)


class Computation:
    """A program made ready for columns, from which its results are computed."""

    def __init__(self, task: Task) -> None:
        with ENGINE:
            self.plan = Plan(task)
        self.known: dict[tuple[tuple[str, Form], ...], Forms] = {}  # by the forms of the columns

    def forms(self, form_of_column: Mapping[str, Form]) -> Forms:
        """Return the forms of the results; GradcliError where the program can take no such columns."""
        check_names(self.plan, list(form_of_column))
        key = tuple(form_of_column.items())
        with ENGINE:
            if key not in self.known:
                self.known[key] = forms(self.plan, form_of_column)
            return self.known[key]

    def compute(self, inputs: Inputs, forms: Forms) -> Computed:
        """Compute all rows."""
        return self.at_once(inputs, forms) or joined(
            [self.at_once(rows, forms) or self.one_by_one(rows, forms) for rows in inputs.split()]
        )

    def at_once(self, inputs: Inputs, forms: Forms) -> Computed | None:
        """Compute all rows in one go; None where the program is not for that, or a row fails."""
        if not self.is_at_once(inputs.forms) and forms.stack is None:
            return None
        with ENGINE, suppress(Exception):  # whatever it is, it is the error of one of the rows: alone it shows of which
            return Computed(*self._at_once(inputs, forms, inputs.incomplete), errors_of_incomplete(inputs))
        return None

    def is_at_once(self, form_of_column: Mapping[str, Form]) -> bool:
        """Return whether all rows are computed at once."""
        return self.plan.is_columnar and all(form == Form(DOUBLE) for form in form_of_column.values())

    def _at_once(self, inputs: Inputs, forms: Forms, incomplete: Array | None) -> tuple[Array, dict[str, Array | None]]:
        over = partial(self.plan.over_stack, forms.stack) if forms.stack is not None else self.plan.over
        if incomplete is None:
            result = over(inputs.values, inputs.count)
            return result.value, {name: result.gradients.get(name) for name in forms.gradients}
        mask = ~incomplete
        result = over({name: column[mask] for name, column in inputs.values.items()}, int(mask.sum()))
        value, gradients = blank(forms, inputs.count)
        value[mask] = result.value
        for name, gradient in gradients.items():
            if gradient is not None:
                gradient[mask] = result.gradients[name]
        return value, gradients

    def one_by_one(self, inputs: Inputs, forms: Forms) -> Computed:
        """Compute each row alone, and note which, for an owner of this process."""
        value, gradients = blank(forms, inputs.count)
        errors = errors_of_incomplete(inputs)
        for row in range(inputs.count):
            if row in errors:
                continue
            part(str(row))
            point = {name: c[row] if c.ndim > 1 else c[row].item() for name, c in inputs.values.items()}
            try:
                with ENGINE:
                    result = self.plan.at(point)
                fill(value, row, "the value", result.value)
                for name, gradient in gradients.items():
                    fill(gradient, row, f"the gradient of {name}", result.gradients.get(name))
            except GradcliError as error:
                errors[row] = error
        return Computed(value, gradients, errors)


def joined(parts: list[Computed]) -> Computed:
    """Return results that follow each other as one."""
    if len(parts) == 1:
        return parts[0]
    starts = accumulate((part.count for part in parts), initial=0)
    errors = {start + row: e for start, part in zip(starts, parts, strict=False) for row, e in part.errors.items()}
    columns = {name: [g for part in parts if (g := part.gradients[name]) is not None] for name in parts[0].gradients}
    gradients = {name: np.concatenate(arrays) if arrays else None for name, arrays in columns.items()}
    return Computed(np.concatenate([part.value for part in parts]), gradients, errors)


def blank(forms: Forms, count: int) -> tuple[Array, dict[str, Array | None]]:
    """Return columns for results that are still to come."""

    def column(form: Form | None) -> Array | None:
        return None if form is None else np.zeros((count, *form.shape), form.dtype)

    return column(forms.value), {name: column(form) for name, form in forms.gradients.items()}


def fill(column: Array | None, row: int, what: str, value: Any) -> None:
    """Put a value into its row; EvaluationError where it has another form than the column."""
    if column is None or value is None:
        if column is not value and value is not None:
            raise EvaluationError("E230", f"{what} is there in this row only", help="give each row the same form")
        if column is not None:
            raise EvaluationError("E230", f"{what} is there in other rows only", help="give each row the same form")
        return
    if np.shape(value) != column.shape[1:]:
        raise EvaluationError(
            "E230",
            f"{what} has the shape {np.shape(value)} in this row, and its column {column.shape[1:]}",
            help="a column has one shape: give each row the same",
        )
    column[row] = value


def errors_of_incomplete(inputs: Inputs) -> dict[int, GradcliError]:
    """Return the error of each row without all of its values."""
    incomplete = inputs.incomplete
    rows = [] if incomplete is None else np.flatnonzero(incomplete).tolist()
    names = {row: ", ".join(name for name, mask in inputs.missing.items() if mask[row]) for row in rows}
    return {
        row: EvaluationError("E207", f"the value of {name} is null", help="give each row a number")
        for row, name in names.items()
    }


def error_text(error: GradcliError) -> str:
    """Return an error as a cell has it."""
    facts = error.facts()
    return f"{facts['code']}: {facts['message']}"
