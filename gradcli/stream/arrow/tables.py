"""Arrow batches in and out: columns of numbers as arrays of numpy, and results as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.source import visible
from gradcli.stream.arrow.casting import rows_of
from gradcli.stream.arrow.computation import (
    BOOL,
    DOUBLE,
    Array,
    Computation,
    Computed,
    Form,
    Forms,
    Inputs,
    check_names,
    error_text,
    listed,
    refuse_large,
)
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.plan import Result, Task

VALUE, ERROR = "value", "error"
FREE = "result_"  # a prefix that may help
Arrow = Any  # an array, a type, a schema or a batch of pyarrow
SIZED = "cast it to lists of one fixed size (gradcli batch --cast); Spark has none, there give a column for each entry"
KINDS = {  # of columns that have no numbers, by pyarrow's test of a type
    "is_decimal": ("decimals", "cast the column to float64, which rounds them (gradcli batch --cast)"),
    "is_dictionary": ("a dictionary", "decode it, and cast the column to float64"),
    "is_string": ("strings", "cast the column to float64"),
    "is_large_string": ("strings", "cast the column to float64"),
    "is_string_view": ("strings", "cast the column to float64"),
    "is_null": ("nothing but nulls", "give each row a number, or leave the column out"),
    "is_list": ("lists of any length", SIZED),
    "is_large_list": ("lists of any length", SIZED),
}


def with_results(computation: Computation, batch: Arrow) -> Arrow:
    """Return the batch with the columns of its results."""
    schema, forms = planned(computation, batch.schema)
    result = computation.compute(inputs_of(computation, batch), forms)
    return assembled(batch, result, schema, forms, has_nulls=computation.plan.task.nonfinite == "null")


def assembled(batch: Arrow, result: Computed, schema: Arrow, forms: Forms, *, has_nulls: bool = False) -> Arrow:
    """Return a batch with computed columns, in the schema from `planned`; null if not finite and `has_nulls`."""
    failed = None
    if result.errors:
        failed = np.zeros(len(batch), bool)
        failed[list(result.errors)] = True
    columns = [(result.value, forms.value), *((result.gradients[name], form) for name, form in forms.gradients.items())]
    added = [arrow_of(*column, len(batch), failed, has_nulls) for column in columns]
    added.append(errors_of(result.errors, len(batch)))
    return pyarrow().record_batch([*batch.columns, *added], schema=schema)


def planned(computation: Computation, schema: Arrow) -> tuple[Arrow, Forms]:
    """Return the schema of the results for a schema, and their forms.

    Raises GradcliError where a column is missing, has no numbers or has the name of a result.
    """
    pa, names = pyarrow(), set(schema.names)
    check_names(computation.plan, schema.names)
    forms = computation.forms(forms_of(computation, schema))
    fields = [(VALUE, forms.value), *((f"d_{name}", form) for name, form in forms.gradients.items())]
    prefix = computation.plan.task.prefix
    types = [*((name, type_of(form)) for name, form in fields), (ERROR, pa.string())]
    added = [pa.field(f"{prefix}{name}", type) for name, type in types]
    if twice := [field.name for field in added if field.name in names]:
        raise EvaluationError("E228", f"the input has a column {twice[0]} already", help=f"add --prefix {FREE}")
    return pa.schema([*schema, *added], schema.metadata), forms


def is_at_once(computation: Computation, schema: Arrow) -> bool:
    """Return whether all rows of a batch of a schema are computed at once."""
    return computation.is_at_once(forms_of(computation, schema))


def forms_of(computation: Computation, schema: Arrow) -> dict[str, Form]:
    """Return the forms of the columns that the program takes; EvaluationError where one has no numbers."""
    names = set(schema.names)
    return {name: form_of(name, field_of(schema, name).type) for name in computation.plan.names if name in names}


def field_of(schema: Arrow, name: str) -> Arrow:
    """Return the field of a name; EvaluationError where there are two."""
    if len(schema.get_all_field_indices(name)) > 1:
        raise EvaluationError("E228", f"the input has {name} twice", help="rename one of them")
    return schema.field(name)


def form_of(name: str, type: Arrow) -> Form:
    """Return the form of a column of a type; EvaluationError where it has no numbers."""
    types = pyarrow("types")
    shape, inner = rows_of(type)
    if not (types.is_integer(inner) or types.is_floating(inner) or types.is_boolean(inner)):
        kind, help = next((words for test, words in KINDS.items() if getattr(types, test)(inner)), (f"{inner}", ""))
        raise EvaluationError(
            "E207", f"the column {name} has {kind}, not numbers", help=help or "give floats, integers or booleans"
        )
    form = Form(BOOL if types.is_boolean(inner) else DOUBLE, shape)
    refuse_large(name, form)
    return form


def inputs_of(computation: Computation, batch: Arrow) -> Inputs:
    """Return the columns that the program takes, as numpy has them."""
    values: dict[str, Array] = {}
    missing: dict[str, Array] = {}
    for name in computation.plan.names:
        if batch.schema.get_field_index(name) >= 0:
            values[name], mask = array_of(batch.column(name))
            if mask is not None:
                missing[name] = mask
    return Inputs(len(batch), values, missing)


def array_of(column: Arrow) -> tuple[Array, Array | None]:
    """Return the numbers of a column, and a mask of the rows in which one is null; None where there is no such row."""
    pa, types = pyarrow(), pyarrow("types")
    count, shape, mask = len(column), [len(column)], None
    while True:
        if column.null_count:
            mask_here = column.is_null().to_numpy(zero_copy_only=False).reshape(count, -1).any(axis=1)
            mask = mask_here if mask is None else mask | mask_here
        if not types.is_fixed_size_list(column.type):
            break
        size = column.type.list_size
        shape.append(size)
        column = column.values.slice(column.offset * size, len(column) * size)
    if not types.is_boolean(column.type):
        column = column.cast(pa.float64(), safe=False)
    if column.null_count:
        column = column.fill_null(False if types.is_boolean(column.type) else 0.0)
    return column.to_numpy(zero_copy_only=False).reshape(shape), mask


def type_of(form: Form | None) -> Arrow:
    """Return the type of a column; one that has nothing but nulls is of doubles."""
    pa = pyarrow()
    if form is None:
        return pa.float64()
    type = pa.from_numpy_dtype(form.dtype)
    for size in reversed(form.shape):
        type = pa.list_(type, size)
    return type


def arrow_of(array: Array | None, form: Form | None, count: int, failed: Array | None, has_nulls: bool) -> Arrow:
    """Return an array as a column, null in the rows that failed, and if it `has_nulls` where it is not finite."""
    pa = pyarrow()
    if array is None or form is None:
        return pa.nulls(count, type_of(form))
    odd = ~np.isfinite(array) if has_nulls else None
    if not form.shape:
        return pa.array(array, mask=failed if odd is None else odd | failed if failed is not None else odd)
    column = pa.array(array.reshape(-1), mask=None if odd is None else odd.reshape(-1))
    for size in reversed(form.shape[1:]):
        column = pa.FixedSizeListArray.from_arrays(column, size)
    mask = None if failed is None else pa.array(failed)
    return pa.FixedSizeListArray.from_arrays(column, form.shape[0], mask=mask)


def errors_of(errors: Mapping[int, GradcliError], count: int) -> Arrow:
    """Return the column of errors, null in the rows that have none."""
    pa = pyarrow()
    if not errors:
        return pa.nulls(count, pa.string())
    return pa.array([error_text(errors[row]) if row in errors else None for row in range(count)], pa.string())


# A program as a function from columns to columns.


class Columns:
    """A program as a function from columns to columns, made by `gradcli.columns`.

    It pickles as the program and the fixed values. `errors` are those of the last result.
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
        computed is nan, with its error in `errors` of the result, by the number of the row; a result that is no
        floating point number becomes one for it.
        Raises EvaluationError where a column is missing, has no numbers, or is of another length.
        """
        self._refuse_others(columns)
        inputs = self.inputs_of(columns)
        computed = self.computation.compute(inputs, self.computation.forms(inputs.forms))
        errors = self.errors = {row: error_text(error) for row, error in sorted(computed.errors.items())}
        rows = list(errors)
        gradients = {name: g if g is None else spoiled(g, rows) for name, g in computed.gradients.items()}
        return Result(spoiled(computed.value, rows), gradients, errors)

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
