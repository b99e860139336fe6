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
class Given:
    """The columns that a program takes: arrays of doubles or booleans, and a mask of the rows that lack a value."""

    count: int
    values: Mapping[str, Array]
    missing: Mapping[str, Array]  # only columns in which a row lacks one

    @property
    def spoilt(self) -> Array | None:
        """A mask of the rows that lack a value; None where there is none."""
        return np.logical_or.reduce(list(self.missing.values())) if self.missing else None

    def rows(self, start: int, stop: int) -> Given:
        """Return some of the rows."""
        here = slice(start, stop)
        return Given(
            stop - start,
            {name: column[here] for name, column in self.values.items()},
            {name: mask[here] for name, mask in self.missing.items() if mask[here].any()},
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

    def forms(self, given: Mapping[str, Form]) -> Forms:
        """Return the forms of the results; GradcliError where the program can take no such columns."""
        check_names(self.plan, list(given))
        key = tuple(given.items())
        with ENGINE:
            if key not in self.known:
                self.known[key] = forms(self.plan, given)
            return self.known[key]

    def compute(self, given: Given, forms: Forms) -> Computed:
        """Compute all rows."""
        return self.at_once(given, forms) or self.one_by_one(given, forms)

    def at_once(self, given: Given, forms: Forms) -> Computed | None:
        """Compute all rows in one go; None where the program is not elementwise, a value no number, or a row fails."""
        if not self.is_at_once(given.forms):
            return None
        with ENGINE, suppress(Exception):  # whatever it is, it is the error of one of the rows: alone it shows of which
            return Computed(*self._at_once(given, forms, given.spoilt), lacking(given))
        return None

    def is_at_once(self, given: Mapping[str, Form]) -> bool:
        """Return whether all rows are computed at once."""
        return self.plan.is_columnar and all(form == Form(DOUBLE) for form in given.values())

    def _at_once(self, given: Given, forms: Forms, spoilt: Array | None) -> tuple[Array, dict[str, Array | None]]:
        if spoilt is None:
            result = self.plan.over(given.values, given.count)
            return result.value, {name: result.gradients.get(name) for name in forms.gradients}
        kept = ~spoilt
        result = self.plan.over({name: column[kept] for name, column in given.values.items()}, int(kept.sum()))
        value, gradients = blank(forms, given.count)
        value[kept] = result.value
        for name, gradient in gradients.items():
            if gradient is not None:
                gradient[kept] = result.gradients[name]
        return value, gradients

    def one_by_one(self, given: Given, forms: Forms) -> Computed:
        """Compute each row alone, and note which, for an owner of this process."""
        value, gradients = blank(forms, given.count)
        errors = lacking(given)
        for row in range(given.count):
            if row in errors:
                continue
            part(str(row))
            point = {name: c[row] if c.ndim > 1 else c[row].item() for name, c in given.values.items()}
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


def fill(column: Array | None, row: int, whose: str, value: Any) -> None:
    """Put a value into its row; EvaluationError where it has another form than the column."""
    if column is None or value is None:
        if column is not value and value is not None:
            raise EvaluationError("E230", f"{whose} is there in this row only", help="give each row the same form")
        if column is not None:
            raise EvaluationError("E230", f"{whose} is there in other rows only", help="give each row the same form")
        return
    if np.shape(value) != column.shape[1:]:
        raise EvaluationError(
            "E230",
            f"{whose} has the shape {np.shape(value)} in this row, and its column {column.shape[1:]}",
            help="a column has one shape: give each row the same",
        )
    column[row] = value


def lacking(given: Given) -> dict[int, GradcliError]:
    """Return the error of each row without all of its values."""
    spoilt = given.spoilt
    rows = [] if spoilt is None else np.flatnonzero(spoilt).tolist()
    names = {row: ", ".join(name for name, mask in given.missing.items() if mask[row]) for row in rows}
    return {
        row: EvaluationError("E207", f"the value of {name} is null", help="give each row a number")
        for row, name in names.items()
    }


def told(error: GradcliError) -> str:
    """Return an error as a cell has it."""
    facts = error.facts()
    return f"{facts['code']}: {facts['message']}"
