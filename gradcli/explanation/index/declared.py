"""Operations that are taught as one, though torch takes several nodes with rules of their own for them.

Each has the rules that a course gives it, and the index formulas behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.explanation.index.contractions import called
from gradcli.language.simplify.facts.shapes import plain
from gradcli.language.tree import Argument, Binary, Call, Expression, Index, List, Literal, Name, Number, Unary
from gradcli.language.unparser import unparse

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
    """Return softmax minus one-hot for labels; with weights, smoothing or probabilities minus what they make of it."""
    given = {**keywords, **dict(zip(("input", "target", "weight"), operands, strict=False))}
    reduction = getattr(given.get("reduction", Literal("mean")), "value", "")
    scores, target, weight = operands[0], given.get("target"), given.get("weight", Literal(None))
    smoothing = number_of(given.get("label_smoothing", Number(0)))
    shape = shapes.get(getattr(scores, "id", ""), ())
    is_known = given.keys() <= {"input", "target", "weight", "reduction", "label_smoothing"} and len(operands) <= 3
    if target is None or not is_known or reduction not in ("mean", "sum", "none") or smoothing is None:
        return None
    if len(shape) not in (1, 2) or not isinstance(weight, Name | List | Literal):
        return None
    return _CrossEntropy(
        scores, target, None if weight == Literal(None) else weight, smoothing, reduction, shapes
    ).whole()


@dataclass(frozen=True)
class _CrossEntropy:
    """A cross entropy of a vector of scores, or of rows of scores."""

    scores: Expression
    target: Expression
    weight: Expression | None
    smoothing: float
    reduction: str
    shapes: Mapping[str, Shape]

    @cached_property
    def shape(self) -> Shape:
        return self.shapes[getattr(self.scores, "id", "")]

    @cached_property
    def is_of_probabilities(self) -> bool:
        return self.shapes.get(getattr(self.target, "id", "")) == self.shape

    @cached_property
    def is_plain(self) -> bool:
        return self.weight is None and not self.smoothing and not self.is_of_probabilities

    def whole(self) -> Declared:
        rows = len(self.shape) > 1
        own, at = ("[i]" if rows and self.reduction == "none" else ""), ("i," if rows else "")
        g: Expression = _column(UPSTREAM) if own else UPSTREAM
        share = self.divisor()
        over = "" if share is None else f"/{'s' if self.weight and not self.is_of_probabilities else unparse(share)}"
        mass = self.mass()
        probability = Call("softmax", (Argument(self.scores), Argument(Number(len(self.shape) - 1), "dim")))
        per_row = () if not rows else (Argument(Number(1), "dim"), Argument(Literal(True), "keepdim"))
        is_share = self.weight is None and not self.is_of_probabilities  # the masses of a row add up to 1
        found = probability if is_share else Binary("*", probability, Call("sum", (Argument(mass), *per_row)))
        rule: Expression = Binary("*", g, Binary("-", found, mass))
        rule = rule if share is None else Binary("/", rule, share)
        label = unparse(self.target) if isinstance(self.target, Number) else f"x1{'[i]' if rows else ''}"
        term = f"log(Σj exp(x0[{at}j])) - x0[{at}{label}]"
        loss = term if self.is_plain else f"-(Σj q[{at}j]·log(p[{at}j]))"
        whole = f"(Σi ({loss})){over}" if rows and not own else f"({loss}){over}" if over else loss
        up = f"upstream{own}{over}"
        e, total = ("e", "") if self.is_plain else ("q", "" if is_share else f"·(Σk q[{at}k])")
        formulas = f"out{own} = {whole}; ∂x0[{at}j] = (p[{at}j]{total} - {e}[{at}j])·{up}"
        slope: Expression | None = None
        if self.is_of_probabilities:
            formulas += f"; ∂x1[{at}j] = -{'w[j]·' if self.weight else ''}{1 - self.smoothing}·log(p[{at}j])·{up}"
            logs = Call("log_softmax", (Argument(self.scores), Argument(Number(len(self.shape) - 1), "dim")))
            scaled = Binary("*", Number(1 - self.smoothing), logs)
            whole_slope = Unary("-", Binary("*", g, Binary("*", self.weight, scaled) if self.weight else scaled))
            slope = whole_slope if share is None else Binary("/", whole_slope, share)
        inputs = (self.scores, *([] if isinstance(self.target, Number) else [self.target]))
        inputs = (*inputs, *([self.weight] if isinstance(self.weight, Name) else []))
        rules = (rule, *([] if isinstance(self.target, Number) else [slope]))
        rules = (*rules, *([None] if isinstance(self.weight, Name) else []))
        return Declared(inputs, rules, formulas, PLAIN if self.is_plain else MASSES, self.given)

    def mass(self) -> Expression:
        """Return how much is asked of each class: one-hot or probabilities, smoothed and weighted."""
        classes = self.shape[-1]
        hot = Call("one_hot", (Argument(self.target), Argument(Number(classes))))
        mass: Expression = self.target if self.is_of_probabilities else hot
        if self.smoothing:
            share = Binary("/", Number(self.smoothing), Number(classes))
            mass = Binary("+", Binary("*", Number(1 - self.smoothing), mass), share)
        return mass if self.weight is None else Binary("*", self.weight, mass)

    def divisor(self) -> Expression | None:
        """Return by what a mean divides: the number of rows, or the weights of their labels."""
        if self.reduction != "mean":
            return None
        if self.weight is None or self.is_of_probabilities:
            return Number(self.shape[0]) if len(self.shape) > 1 else None
        chosen = Index(self.weight, (self.target,))
        return Call("sum", (Argument(chosen),)) if len(self.shape) > 1 else chosen

    def given(self, values: Sequence[Any]) -> Given:
        shifted = np.exp(values[0] - np.max(values[0], axis=-1, keepdims=True))
        target = plain(self.target) if isinstance(self.target, Number) else values[1]
        weight = 1.0 if self.weight is None else values[-1] if isinstance(self.weight, Name) else plain(self.weight)
        labels = None if self.is_of_probabilities else np.asarray(target).astype(int)
        hot = target if labels is None else np.equal.outer(labels, np.arange(self.shape[-1])).astype(values[0].dtype)
        mass = np.asarray(weight) * ((1 - self.smoothing) * hot.reshape(self.shape) + self.smoothing / self.shape[-1])
        word = unparse(self.mass())
        found = {
            "p": (
                f"softmax({{0}}{', dim=1' if len(self.shape) > 1 else ''})",
                shifted / shifted.sum(-1, keepdims=True),
            ),
            "e" if self.is_plain else "q": (word, mass),
        }
        if self.weight is not None and self.is_of_probabilities:
            found["w"] = (unparse(self.weight), np.asarray(weight))
        elif self.weight is not None and labels is not None and self.reduction == "mean":
            found["s"] = (unparse(self.divisor() or Number(1)), np.sum(np.asarray(weight, np.float64)[labels]))
        return found


PLAIN = "Each score gets its probability, less 1 for the right class: softmax minus one-hot, times the gradient."
MASSES = "Each score gets its probability, times all that is asked of the classes, less what is asked of its own."


def normalize(
    operands: Sequence[Expression], keywords: Mapping[str, Expression], shapes: Mapping[str, Shape]
) -> Declared | None:
    """Return the rule over the length, for a vector and for rows."""
    x = operands[0]
    shape = shapes.get(getattr(x, "id", ""), ())
    given = {**keywords, **dict(zip(("input", "p", "dim"), operands, strict=False))}
    dim = number_of(given.get("dim", Number(1)))
    is_known = given.keys() <= {"input", "p", "dim"} and number_of(given.get("p", Number(2))) == 2
    if not is_known or len(operands) > 3 or len(shape) not in (1, 2) or dim not in (len(shape) - 1, -1):
        return None
    rows = len(shape) > 1
    at, own = ("i,", "[i]") if rows else ("", "")
    per_row = (Argument(Number(1), "dim"), Argument(Literal(True), "keepdim")) if rows else ()
    size = Call("clamp_min", (Argument(_length(x, rows)), Argument(Number(SHORTEST))))
    along = Call("sum", (Argument(Binary("*", UPSTREAM, OUT)), *per_row))

    def lengths(values: Sequence[Any]) -> Given:
        words = f"clamp_min(norm({{0}}{', dim=1' if rows else ''}), {SHORTEST})"
        return {"n": (words, np.maximum(np.linalg.norm(values[0], axis=-1), SHORTEST))}

    return Declared(
        (x,),
        (Binary("/", Binary("-", UPSTREAM, Binary("*", OUT, along)), size),),
        f"out[{at}j] = x0[{at}j]/n{own}; "
        f"∂x0[{at}j] = (upstream[{at}j] - out[{at}j]·(Σk upstream[{at}k]·out[{at}k]))/n{own}",
        "The vector is turned: it gets the part of the gradient at right angles to it, over its length.",
        lengths,
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


SHORTEST = 1e-12  # the length that torch divides by at least
DECLARATIONS: dict[str, Callable[..., Declared | None]] = {
    "cross_entropy": cross_entropy,
    "cosine_similarity": cosine_similarity,
    "normalize": normalize,
}
