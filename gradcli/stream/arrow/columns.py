"""A program as a function from columns to columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.source import visible
from gradcli.stream.arrow.computation import Array, Computation, Inputs, error_text
from gradcli.stream.arrow.forms import BOOL, DOUBLE, Form, check_names, listed, refuse_large
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.arrow.tables import array_of, form_of, planned, with_results
from gradcli.stream.plan import Result, Task


class Columns:
    """A program as a function from columns to columns, made by `gradcli.columns`.

    It pickles as the program and the fixed values. `errors` are the errors of the last call, by the number of the row.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.computation = Computation(task)
        self.errors: dict[int, str] = {}

    def __reduce__(self) -> tuple[type[Columns], tuple[Task]]:
        return type(self), (self.task,)

    def __repr__(self) -> str:
        return f"<columns of {self.task.program!r}>"

    def __call__(self, /, **columns: Any) -> Result:
        """Return the value and the gradients at every row: arrays with a row each, as long as the given ones.

        A row that lacks a value (masked in a masked array, null in a column of pandas, Polars or Arrow) or cannot be
        computed is nan, with its error in `errors`; a result that is no floating point number becomes one for it.
        Raises EvaluationError where a column is missing, has no numbers, or is of another length.
        """
        self._refuse_others(columns)
        inputs = self.inputs_of(columns)
        computed = self.computation.compute(inputs, self.computation.forms(inputs.forms))
        self.errors = {row: error_text(error) for row, error in sorted(computed.errors.items())}
        rows = list(self.errors)
        gradients = {name: g if g is None else spoiled(g, rows) for name, g in computed.gradients.items()}
        return Result(spoiled(computed.value, rows), gradients)

    def record_batch(self, batch: Any) -> Any:
        """Return a pyarrow.RecordBatch with its results: its columns, then value, a d_NAME each, and error.

        `error` is null but for a row that lacks a value or cannot be computed, whose results are null.
        """
        refuse_other("RecordBatch", batch, help="map it over the batches of a table: table.to_batches()")
        return with_results(self.computation, batch)

    def schema(self, schema: Any) -> Any:
        """Return the pyarrow.Schema that `record_batch` gives for batches of a schema, without computing a row.

        Raises GradcliError where the program can take no such batch.
        """
        refuse_other("Schema", schema, help="give the schema of a batch: batch.schema")
        return planned(self.computation, schema)[0]

    def inputs_of(self, columns: Mapping[str, Any]) -> Inputs:
        """Read the columns that the program takes; EvaluationError where one has no numbers, or another length."""
        check_names(self.computation.plan, list(columns))
        columns_read = {name: column_of(name, columns[name]) for name in self.computation.plan.names if name in columns}
        counts = {name: len(array) for name, (array, _) in columns_read.items()}
        if len(set(counts.values())) > 1:
            lengths = ", ".join(f"{name} has {count:,} rows" for name, count in counts.items())
            raise EvaluationError("E226", f"columns of different lengths: {lengths}", help="give each as many rows")
        values = {name: array for name, (array, _) in columns_read.items()}
        missing = {name: mask for name, (_, mask) in columns_read.items() if mask is not None}
        return Inputs(next(iter(counts.values()), 0), values, missing)

    def _refuse_others(self, columns: Mapping[str, Any]) -> None:
        unknown_names = [name for name in columns if name not in (*self.computation.plan.names, *self.task.fixed)]
        if unknown_names:
            raise UsageError(
                "E006",
                f"the program takes no column {unknown_names[0]}",
                help=f"its columns are {listed(self.computation.plan.names)}",
            )


def column_of(name: str, column: Any) -> tuple[Array, Array | None]:
    """Return a column as doubles or booleans, and a mask of the rows that lack a value; EvaluationError for others."""
    try:
        if (arrow := in_arrow(column)) is not None:
            form_of(name, arrow.type)
            return array_of(arrow.combine_chunks() if isinstance(arrow, pyarrow().ChunkedArray) else arrow)
        mask: Array | None = np.ma.getmaskarray(column) if np.ma.is_masked(column) else nulls(column)
        array = np.ma.getdata(column) if isinstance(column, np.ma.MaskedArray) else np.asarray(column)
    except GradcliError:
        raise
    except Exception as error:  # whatever a library says of a column that is no array
        reason = visible(str(error).partition("\n")[0])
        raise EvaluationError("E207", f"{name} is no array: {reason}", help="give rows of one shape") from None
    if mask is not None and array.dtype == object and {type(x) for x in array[~mask]} <= {bool}:
        array = np.where(mask, False, array).astype(bool)  # numpy has no booleans that may be missing
    if array.ndim == 0 or array.dtype.kind not in "fiub":
        kind = "one value" if array.ndim == 0 else f"a column of {getattr(column, 'dtype', array.dtype)}"
        raise EvaluationError(
            "E207", f"{name} is {kind}, not a column of numbers", help="give an array of floats, integers or booleans"
        )
    refuse_large(name, Form(array.dtype, array.shape[1:]))
    if mask is not None:
        mask = mask.reshape(len(mask), -1).any(axis=1)
    return (array if array.dtype == BOOL else np.ascontiguousarray(array, DOUBLE)), mask


def in_arrow(column: Any) -> Any:
    """Return a column as Arrow has it, if it is of Arrow, or if numpy would lose a part of it; None for others.

    Numpy has no nulls inside of lists, and takes a record for a list of numbers.
    """
    if type(column).__module__.startswith("pyarrow."):
        return column
    kind = getattr(column, "dtype", None)
    if hasattr(kind, "pyarrow_dtype"):  # of pandas
        return pyarrow().array(column)
    if kind is not None and hasattr(kind, "is_nested") and kind.is_nested():  # of Polars
        return column.to_arrow()
    return None


def nulls(column: Any) -> Array | None:
    """Return a mask of the rows that are null, which in numpy would be nan; None where there are none.

    Numpy's own arrays have none, and so pandas has none in them.
    """
    ask = getattr(column, "is_null", None) or getattr(column, "isna", None)  # of Arrow and Polars, or of pandas
    if ask is None or getattr(column, "ndim", 1) > 1 or isinstance(getattr(column, "dtype", None), np.dtype):
        return None
    mask = np.asarray(ask(), bool)
    return mask if mask.any() else None


def refuse_other(kind: str, value: Any, help: str) -> None:
    """Refuse what is not of a kind of pyarrow; UsageError."""
    if not isinstance(value, getattr(pyarrow(), kind)):
        raise UsageError("E008", f"this takes a {kind} of pyarrow, not {type(value).__name__}", help=help)


def spoiled(column: Array, rows: list[int]) -> Array:
    """Return the column with nan in the rows."""
    if not rows:
        return column
    column = column if column.dtype.kind == "f" else column.astype(DOUBLE)
    column[rows] = np.nan
    return column
