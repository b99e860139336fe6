"""Rules over lengths: a vector made one long, and the cosine between two vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.explanation.index.declarations.declaration import OUT, UPSTREAM, Declared, Given, column, number_of
from gradcli.language.tree import Argument, Binary, Call, Expression, Literal, Name, Number


def normalize(
    operands: Sequence[Expression], keywords: Mapping[str, Expression], values: Mapping[str, Any]
) -> Declared | None:
    """Return the rule over the length, for a vector and for rows."""
    x = operands[0]
    shape = np.shape(values.get(getattr(x, "id", ""), 0))
    arguments = {**keywords, **dict(zip(("input", "p", "dim"), operands, strict=False))}
    dim = number_of(arguments.get("dim", Number(1)))
    is_known = arguments.keys() <= {"input", "p", "dim"} and number_of(arguments.get("p", Number(2))) == 2
    if not is_known or len(operands) > 3 or len(shape) not in (1, 2) or dim not in (len(shape) - 1, -1):
        return None
    rows = len(shape) > 1
    at, row_index = ("i,", "[i]") if rows else ("", "")
    per_row = (Argument(Number(1), "dim"), Argument(Literal(True), "keepdim")) if rows else ()
    size = Call("clamp_min", (Argument(_length(x, rows)), Argument(Number(SHORTEST))))
    radial = Call("sum", (Argument(Binary("*", UPSTREAM, OUT)), *per_row))

    def lengths(values: Sequence[Any]) -> Given:
        words = f"clamp_min(norm({{0}}{', dim=1' if rows else ''}), {SHORTEST})"
        return {"n": (words, np.maximum(np.linalg.norm(values[0], axis=-1), SHORTEST))}

    return Declared(
        (x,),
        (Binary("/", Binary("-", UPSTREAM, Binary("*", OUT, radial)), size),),
        f"out[{at}j] = x0[{at}j]/n{row_index}; "
        f"∂x0[{at}j] = (upstream[{at}j] - out[{at}j]·(Σk upstream[{at}k]·out[{at}k]))/n{row_index}",
        "The vector is turned: it gets the part of the gradient at right angles to it, over its length.",
        lengths,
    )


def cosine_similarity(
    operands: Sequence[Expression], keywords: Mapping[str, Expression], values: Mapping[str, Any]
) -> Declared | None:
    """Return the rule over the lengths, for vectors and for rows."""
    sizes = [np.shape(values[x.id]) if isinstance(x, Name) and x.id in values else None for x in operands]
    dim = number_of(operands[2] if len(operands) > 2 else keywords.get("dim", Number(1)))
    shape = sizes[0]
    if (
        len(operands) not in (2, 3)
        or operands[0] == operands[1]
        or not set(keywords) <= {"dim"}
        or shape is None
        or sizes[1] != shape
    ):
        return None
    if len(shape) not in (1, 2) or dim not in (len(shape) - 1, -1):
        return None
    rows = len(shape) > 1
    x, y = operands[:2]
    g, result = (column(name) if rows else name for name in (UPSTREAM, OUT))
    at, per_row = ("i,", "[i]") if rows else ("", "")

    def rule(x: Expression, y: Expression) -> Expression:
        """Return the part of the other direction that is at right angles to this one, over the length."""
        across = Binary("-", Binary("/", y, _length(y, rows)), Binary("*", result, Binary("/", x, _length(x, rows))))
        return Binary("/", Binary("*", g, across), _length(x, rows))

    def formula(x: int, y: int) -> str:
        a, b = "ab"[x] + per_row, "ab"[y] + per_row
        return f"∂x{x}[{at}j] = upstream{per_row}·(x{y}[{at}j]/{b} - out{per_row}·x{x}[{at}j]/{a})/{a}"

    def lengths(values: Sequence[Any]) -> Given:
        words = f"norm({{}}{', dim=1' if rows else ''})"
        return {
            name: (words.format(f"{{{place}}}"), np.linalg.norm(value, axis=-1))
            for place, (name, value) in enumerate(zip("ab", values, strict=True))
        }

    return Declared(
        (x, y),
        (rule(x, y), rule(y, x)),
        f"out{per_row} = (Σj x0[{at}j]·x1[{at}j])/(a{per_row}·b{per_row}); {formula(0, 1)}; {formula(1, 0)}",
        "Each vector is turned: it gets the part of the other's direction at right angles to its own, over its length.",
        lengths,
    )


def _length(x: Expression, rows: bool) -> Expression:
    options = (Argument(Number(1), "dim"), Argument(Literal(True), "keepdim")) if rows else ()
    return Call("norm", (Argument(x), *options))


SHORTEST = 1e-12  # the length that torch divides by at least
