"""The results of a program over columns: at once where it is elementwise, else row by row with the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.engine.modes import ENGINE
from gradcli.errors import EvaluationError, GradcliError
from gradcli.facts import dataclass
from gradcli.stream.arrow.forms import DOUBLE, Form, Forms, check_names, forms
from gradcli.stream.plan import Plan, Task
from gradcli.workers.notes import part

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
        return self.at_once(inputs, forms) or self.one_by_one(inputs, forms)

    def at_once(self, inputs: Inputs, forms: Forms) -> Computed | None:
        """Compute all rows in one go; None where the program is not elementwise, a value no number, or a row fails."""
        if not self.is_at_once(inputs.forms):
            return None
        with ENGINE, suppress(Exception):  # whatever it is, it is the error of one of the rows: alone it shows of which
            return Computed(*self._at_once(inputs, forms, inputs.incomplete), errors_of_incomplete(inputs))
        return None

    def is_at_once(self, form_of_column: Mapping[str, Form]) -> bool:
        """Return whether all rows are computed at once."""
        return self.plan.is_columnar and all(form == Form(DOUBLE) for form in form_of_column.values())

    def _at_once(self, inputs: Inputs, forms: Forms, incomplete: Array | None) -> tuple[Array, dict[str, Array | None]]:
        if incomplete is None:
            result = self.plan.over(inputs.values, inputs.count)
            return result.value, {name: result.gradients.get(name) for name in forms.gradients}
        mask = ~incomplete
        result = self.plan.over({name: column[mask] for name, column in inputs.values.items()}, int(mask.sum()))
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
