"""The forms of columns: the dtype and the shape of one row, known before any row is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from warnings import catch_warnings

import numpy as np

from gradcli.errors import EvaluationError, GradcliError
from gradcli.facts import dataclass
from gradcli.source import did_you_mean, visible
from gradcli.stream.plan import Plan
from gradcli.stream.records import fixed_twice

DOUBLE = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
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
        return Forms(Form.of(result.value), {name: gradient_forms.get(name) for name in plan.differentiated})
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
