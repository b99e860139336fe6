"""The numbers of a snippet that may be others: those that are given to a name first, `w = torch.tensor([1.5, 2.0])`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.facts import dataclass

UNREAD = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, or a list of numbers, with its place in the bytes of the text; perhaps the first one of a call."""

    value: Any
    start: int
    end: int
    is_tensor: bool


def literals(text: str) -> dict[str, Literal] | None:
    """Return the numbers of a snippet by the names that they are given to first; None for a text that is no snippet."""
    try:
        tree = ast.parse(text)
    except UNREAD:
        return None
    by_name: dict[str, Literal] = {}
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            for number in literal(node.value, starts):
                by_name.setdefault(ast.unparse(node.targets[0]), number)
    return by_name


def literal(node: ast.expr, starts: list[int]) -> Iterator[Literal]:
    """Yield the numbers of an expression, if they are all that it is, or are given to a call."""
    call = node if isinstance(node, ast.Call) and node.args else None
    of = call.args[0] if call else node
    with suppress(*UNREAD):
        value = np.asarray(ast.literal_eval(of))
        if value.dtype.kind in "iuf" and value.size:
            start = starts[of.lineno - 1] + of.col_offset
            end = starts[(of.end_lineno or 1) - 1] + (of.end_col_offset or 0)
            yield Literal(value, start, end, call is not None and ast.unparse(call.func).endswith("tensor"))


def filled(text: str, at: Mapping[str, Any]) -> str:
    """Return a snippet with other numbers; whole ones get a point in a tensor that had some, and none elsewhere."""
    known, data = literals(text) or {}, text.encode()
    for name in sorted(at.keys() & known.keys(), key=lambda name: known[name].start, reverse=True):
        old, value = known[name], np.asarray(at[name])
        if old.value.dtype.kind != "f" and np.all(value == np.rint(value)):
            value = value.astype(np.int64)
        elif old.value.dtype.kind == "f" and old.is_tensor:
            value = value.astype(np.float64)  # a tensor of whole numbers has no gradient
        data = data[: old.start] + repr(value.tolist()).encode() + data[old.end :]
    return data.decode()
