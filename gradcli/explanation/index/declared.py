"""Operations that are taught as one, though torch takes several nodes with rules of their own for them.

Each has the rules that a course gives it, and the index formulas behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.explanation.index.contractions import called
from gradcli.language.tree import Argument, Binary, Call, Expression, Literal, Name, Number, Unary

Shape = tuple[int, ...]
Given = Mapping[str, tuple[str, Any]]  # what a formula mentions that is no input: words, and the value
Finder = Callable[[Sequence[Any]], Given]  # from the values of the operands
UPSTREAM, OUT = Name(" g"), Name(" out")  # in rules, where no user has these names


@dataclass(frozen=True, slots=True)
class Declared:
    """An operation with the rule of each of its operands, in terms of these, of `OUT` and of `UPSTREAM`.

    `formulas` are the index formulas over `x0`, `x1`, ...; `given` finds the tensors that they mention beside these.
    """

    operands: tuple[Expression, ...]
    rules: tuple[Expression | None, ...]
    formulas: str
    says: str
    given: Finder


def declared(tree: Expression, shapes: Mapping[str, Shape]) -> Declared | None:
    """Return the declaration of an operation over names; None where there is none for its arguments."""
    function, operands, keywords = called(tree)
    if function not in DECLARATIONS or not operands or not isinstance(operands[0], Name):
        return None
    return DECLARATIONS[function](operands, keywords, shapes)


def cross_entropy(
    operands: Sequence[Expression], keywords: Mapping[str, Expression], shapes: Mapping[str, Shape]
) -> Declared | None:
    """Return softmax minus one-hot, for labels without weights."""
    reduction = getattr(keywords.get("reduction", Literal("mean")), "value", "")
    labels = operands[1] if len(operands) == 2 else keywords.get("target")
    scores = operands[0]
    shape = shapes.get(getattr(scores, "id", ""), ())
    is_plain = set(keywords) <= {"reduction", "target"} and reduction in ("mean", "sum", "none")
    if labels is None or not is_plain or len(shape) not in (1, 2) or shapes.get(getattr(labels, "id", "")) == shape:
        return None
    g: Expression = UPSTREAM
    rows, at = (len(shape) > 1, "i,") if len(shape) > 1 else (False, "")
    probability = Call("softmax", (Argument(scores), Argument(Number(len(shape) - 1), "dim")))
    code = Call("one_hot", (Argument(labels), Argument(Number(shape[-1]))))
    if rows and reduction == "none":
        g = Call("unsqueeze", (Argument(g), Argument(Number(1))))
    rule: Expression = Binary("*", g, Binary("-", probability, code))
    share = ""
    if rows and reduction == "mean":
        rule, share = Binary("/", rule, Number(shape[0])), f"/{shape[0]}"
    label = "x1[i]" if rows else "x1"
    term = f"log(Σj exp(x0[{at}j])) - x0[{at}{label}]"
    whole = f"(Σi ({term})){share}" if rows and reduction != "none" else term
    own = "[i]" if rows and reduction == "none" else ""

    def given(values: Sequence[Any]) -> Given:
        scores, labels = values
        share = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        hot = np.equal.outer(labels.astype(int), np.arange(shape[-1])).astype(scores.dtype)
        one = f"softmax({{0}}{', dim=1' if rows else ''})"
        return {
            "p": (one, share / np.sum(share, axis=-1, keepdims=True)),
            "e": (f"one_hot({{1}}, {shape[-1]})", hot.reshape(shape)),
        }

    return Declared(
        (scores, labels),
        (rule, None),
        f"out{own} = {whole}; ∂x0[{at}j] = (p[{at}j] - e[{at}j])·upstream{own}{share}",
        "Each score gets its probability, less 1 for the right class: softmax minus one-hot, times the gradient.",
        given,
    )


def cosine_similarity(
    operands: Sequence[Expression], keywords: Mapping[str, Expression], shapes: Mapping[str, Shape]
) -> Declared | None:
    """Return the rule over the lengths, for vectors and for rows."""
    sizes = [shapes.get(x.id) if isinstance(x, Name) else None for x in operands]
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
    g, out = (_column(name) if rows else name for name in (UPSTREAM, OUT))
    at, own = ("i,", "[i]") if rows else ("", "")

    def rule(x: Expression, y: Expression) -> Expression:
        """Return the part of the other direction that is at right angles to this one, over the length."""
        across = Binary("-", Binary("/", y, _length(y, rows)), Binary("*", out, Binary("/", x, _length(x, rows))))
        return Binary("/", Binary("*", g, across), _length(x, rows))

    def formula(x: int, y: int) -> str:
        a, b = "ab"[x] + own, "ab"[y] + own
        return f"∂x{x}[{at}j] = upstream{own}·(x{y}[{at}j]/{b} - out{own}·x{x}[{at}j]/{a})/{a}"

    def given(values: Sequence[Any]) -> Given:
        words = f"norm({{}}{', dim=1' if rows else ''})"
        return {
            name: (words.format(f"{{{place}}}"), np.linalg.norm(value, axis=-1))
            for place, (name, value) in enumerate(zip("ab", values, strict=True))
        }

    return Declared(
        (x, y),
        (rule(x, y), rule(y, x)),
        f"out{own} = (Σj x0[{at}j]·x1[{at}j])/(a{own}·b{own}); {formula(0, 1)}; {formula(1, 0)}",
        "Each vector is turned: it gets the part of the other's direction at right angles to its own, over its length.",
        given,
    )


def _length(x: Expression, rows: bool) -> Expression:
    options = (Argument(Number(1), "dim"), Argument(Literal(True), "keepdim")) if rows else ()
    return Call("norm", (Argument(x), *options))


def _column(x: Expression) -> Expression:
    return Call("unsqueeze", (Argument(x), Argument(Number(1))))


def number_of(tree: Expression) -> float | None:
    match tree:
        case Number(value):
            return value
        case Unary("-", Number(value)):
            return -value
    return None


DECLARATIONS: dict[str, Callable[..., Declared | None]] = {
    "cross_entropy": cross_entropy,
    "cosine_similarity": cosine_similarity,
}
