"""Columns that are no numbers as they stand: decimals as floats, lists of any length as lists of one length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.errors import EvaluationError
from gradcli.source import visible
from gradcli.stream.arrow.library import pyarrow

Arrow = Any  # a type, a schema or a batch of pyarrow


def cast_schema(schema: Arrow, names: Sequence[str], first: Arrow) -> Arrow:
    """Return the schema with other types for some columns: the first row of a batch that has a list says how long."""
    for place, field in enumerate(schema):
        if field.name in names:
            column = None if first is None else first.column(place).drop_null()
            example = column[0].as_py() if column else []
            schema = schema.set(place, field.with_type(cast_type(field.type, example)))
    return schema


def cast_type(type: Arrow, example: Any) -> Arrow:
    """Return a type of numbers, or of lists as long as in the example; the type itself where it is neither."""
    pa, types = pyarrow(), pyarrow("types")
    if types.is_decimal(type):
        return pa.float64()
    if types.is_list(type) or types.is_large_list(type) or types.is_fixed_size_list(type):
        size = type.list_size if types.is_fixed_size_list(type) else len(example)
        return pa.list_(cast_type(type.value_type, example[0] if example else []), size)
    return type


def cast_batch(batch: Arrow, schema: Arrow) -> Arrow:
    """Return the batch in a schema of `cast_schema`; EvaluationError where a list has another length."""
    pa = pyarrow()
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        try:
            columns.append(column if column.type.equals(field.type) else column.cast(field.type))
        except pa.ArrowInvalid:
            message = f"not all rows of {visible(field.name)} have the shape {rows_of(field.type)[0]} of the first"
            raise EvaluationError("E207", message, help="give each row a list of the same length") from None
    return pa.record_batch(columns, schema=schema)


def rows_of(type: Arrow) -> tuple[tuple[int, ...], Arrow]:
    """Return the shape of a row of lists of fixed sizes, and the type of its entries."""
    shape: list[int] = []
    while pyarrow("types").is_fixed_size_list(type):
        shape.append(type.list_size)
        type = type.value_type
    return tuple(shape), type
