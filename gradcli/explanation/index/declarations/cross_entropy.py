"""Cross entropy as one operation: softmax minus one-hot, of a vector of scores, of rows, or of an image of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.symbolic.notation import literal
from gradcli.explanation.index.declarations.declaration import UPSTREAM, Declared, Given, column, number_of
from gradcli.facts import dataclass
from gradcli.language.simplify.facts.shapes import constant_value
from gradcli.language.tree import (
    Argument,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Name,
    Number,
    Tuple,
    Unary,
)
from gradcli.language.unparser import unparse

PLAIN = "Each score gets its probability, less 1 for the right class: softmax minus one-hot, times the gradient."
MASSES = "Each score gets its probability, times all that is asked of the classes, less what is asked of its own."
IGNORED = " Where the label is the one to ignore, the scores get 0."
FURTHER = "lmnuvwxyz"  # indices of the dimensions behind the classes
KNOWN = frozenset(("input", "target", "weight", "ignore_index", "reduction", "label_smoothing"))


def cross_entropy(
    operands: Sequence[Expression], keywords: Mapping[str, Expression], values: Mapping[str, Any]
) -> Declared | None:
    """Return softmax minus one-hot for labels; with weights, smoothing or probabilities minus what they make of it."""
    arguments = {**keywords, **dict(zip(("input", "target", "weight"), operands, strict=False))}
    reduction = getattr(arguments.get("reduction", Literal("mean")), "value", "")
    scores, target = operands[0], arguments.get("target")
    weight: Expression | None = arguments.get("weight", Literal(None))
    smooth = number_of(arguments.get("label_smoothing", Number(0)))
    ignored = number_of(arguments.get("ignore_index", Number(-100)))
    if target is None or not arguments.keys() <= KNOWN or len(operands) > 3 or reduction not in ("mean", "sum", "none"):
        return None
    if not isinstance(scores, Name) or not isinstance(weight, Name | List | Literal) or None in (smooth, ignored):
        return None
    labels = values.get(target.id) if isinstance(target, Name) else _value_or_none(target)
    if scores.id not in values or labels is None:
        return None
    weight = None if weight == Literal(None) else weight
    shape = np.shape(values[scores.id])
    loss = _CrossEntropy(scores, target, np.asarray(labels), weight, smooth or 0, int(ignored or 0), reduction, shape)
    return loss.declaration() if loss.has_rule else None


def _value_or_none(tree: Expression) -> Any:
    try:
        return constant_value(tree)
    except ValueError:
        return None


@dataclass(frozen=True)
class _CrossEntropy:
    """A cross entropy of scores of a shape; `targets` are the labels, or the target probabilities."""

    scores: Expression
    target: Expression
    targets: Any
    weight: Expression | None
    smoothing: float
    ignored: int
    reduction: str
    shape: tuple[int, ...]

    @cached_property
    def has_rule(self) -> bool:
        """Whether there is a rule that a person would write: not for weighted probabilities of images."""
        rank = len(self.shape)
        of_labels = self.targets.shape == (self.shape[:1] + self.shape[2:] if rank > 1 else ())
        is_some = self.counts.all() or (rank > 1 and self.counts.any())
        of_probabilities = self.is_of_probabilities and (rank < 3 or self.weight is None)
        return bool(rank and is_some and (of_labels or of_probabilities))

    @cached_property
    def is_of_probabilities(self) -> bool:
        return bool(self.targets.shape == self.shape)

    @cached_property
    def is_plain(self) -> bool:
        return self.weight is None and not self.smoothing and not self.is_of_probabilities

    @cached_property
    def rows(self) -> bool:
        return len(self.shape) > 1

    @cached_property
    def classes(self) -> int:
        return self.shape[1 if self.rows else 0]

    @cached_property
    def counts(self) -> Any:
        """The mask of the labels that are not ignored."""
        return np.True_ if self.is_of_probabilities else np.asarray(self.targets != self.ignored)

    @cached_property
    def mask(self) -> Expression | None:
        """That mask in a formula; None where no label is ignored."""
        return None if self.counts.all() else Compare("!=", self.target, literal(self.ignored))

    @cached_property
    def labels(self) -> Expression:
        """The labels, with a class instead of one to ignore that is none."""
        if self.mask is None or 0 <= self.ignored < self.classes:
            return self.target
        if isinstance(self.target, List):
            return literal(np.where(self.counts, self.targets, 0).tolist())
        return Call("where", (Argument(self.mask), Argument(self.target), Argument(Number(0))))

    def class_arguments(self, mass: Expression) -> tuple[Argument, ...]:
        """Return the arguments of a function that goes over the classes and keeps their dimension."""
        keeping = (Argument(Number(1), "dim"), Argument(Literal(True), "keepdim")) if self.rows else ()
        return (Argument(mass), *keeping)

    def over_classes(self, function: str) -> Expression:
        return Call(function, (Argument(self.scores), Argument(Number(1 if self.rows else 0), "dim")))

    def at(self, of_class: str) -> str:
        """Return the indices of an entry of a class, or of a row alone."""
        further = FURTHER[: max(0, len(self.shape) - 2)]
        return ",".join((*("i" * self.rows), *of_class, *further))

    def declaration(self) -> Declared:
        is_apart = self.rows and self.reduction == "none"
        row = f"[{self.at('')}]" if self.rows else ""
        per_row = row if is_apart else ""
        g = column(UPSTREAM) if is_apart else UPSTREAM
        share, mass = self.divisor(), self.mass()
        over = "" if share is None else f"/{unparse(share) if isinstance(share, Number) else 's'}"
        is_share = self.weight is None and not self.is_of_probabilities  # the masses of a row add up to 1
        probability = self.over_classes("softmax")
        expected = probability if is_share else Binary("*", probability, Call("sum", self.class_arguments(mass)))
        rule: Expression = Binary("*", g, Binary("-", expected, mass))
        rule = rule if self.mask is None else Binary("*", column(self.mask), rule)
        rule = rule if share is None else Binary("/", rule, share)
        at, masked = f"[{self.at('j')}]", "" if self.mask is None else f"m{row}·"
        label = unparse(self.target) if isinstance(self.target, Number) else f"x1{row}"
        hot = "e" if self.is_plain else "q"
        loss = f"-(Σj {hot}{at}·log(p{at}))"
        if self.is_plain and self.mask is None and len(self.shape) < 3:
            loss = f"log(Σj exp(x0{at})) - x0[{self.at('?')}]".replace("?", label)
        loss = f"{masked}({loss})" if masked else loss
        sums = f"Σ{self.at('')} " if self.rows and not per_row else ""
        total_loss = f"({sums}({loss})){over}" if sums else f"({loss}){over}" if over else loss
        total = "" if is_share else f"·(Σk q[{self.at('k')}])"
        arriving = f"upstream{per_row}{over}"
        formulas = f"out{per_row} = {total_loss}; ∂x0{at} = {masked}(p{at}{total} - {hot}{at})·{arriving}"
        slope: Expression | None = None
        if self.is_of_probabilities:
            formulas += f"; ∂x1{at} = -{'w[j]·' if self.weight else ''}{1 - self.smoothing}·log(p{at})·{arriving}"
            scaled = Binary("*", Number(1 - self.smoothing), self.over_classes("log_softmax"))
            whole_slope = Unary("-", Binary("*", g, Binary("*", self.weight, scaled) if self.weight else scaled))
            slope = whole_slope if share is None else Binary("/", whole_slope, share)
        # The labels of an image take another shape before torch reads them, and are no input then.
        is_input = self.is_of_probabilities or (len(self.shape) < 3 and not isinstance(self.target, Number))
        edges = [(self.scores, rule), *([(self.target, slope)] if is_input else [])]
        edges += [(self.weight, None)] if isinstance(self.weight, Name) else []
        says = (PLAIN if self.is_plain else MASSES) + (IGNORED if masked else "")
        inputs, rules = zip(*edges, strict=True)
        return Declared(inputs, rules, formulas, says, self.tensors)

    def mass(self) -> Expression:
        """Return how much is asked of each class: one-hot or probabilities, smoothed and weighted."""
        hot = Call("one_hot", (Argument(self.labels), Argument(Number(self.classes))))
        mass: Expression = self.target if self.is_of_probabilities else hot
        if self.smoothing:
            share = Binary("/", Number(self.smoothing), Number(self.classes))
            mass = Binary("+", Binary("*", Number(1 - self.smoothing), mass), share)
        mass = mass if self.weight is None else Binary("*", self.weight, mass)
        rank = len(self.shape)
        if rank < 3 or self.is_of_probabilities:
            return mass
        order = Tuple((Number(0), Number(rank - 1), *map(Number, range(1, rank - 1))))  # the classes come second
        return Call("permute", (Argument(mass), Argument(order)))

    def divisor(self) -> Expression | None:
        """Return by what a mean divides: the number of rows, or the weights of their labels."""
        if self.reduction != "mean":
            return None
        if self.weight is None or self.is_of_probabilities:
            count = int(self.counts.sum()) if self.mask is not None else prod(self.shape) // self.classes
            return Number(count) if self.rows else None
        of_list = isinstance(self.target, List) and self.mask is not None
        labels = literal(self.targets[self.counts].tolist()) if of_list else self.labels
        chosen: Expression = Index(self.weight, (labels,))
        chosen = chosen if self.mask is None or of_list else Binary("*", self.mask, chosen)
        return Call("sum", (Argument(chosen),)) if self.rows else chosen

    def tensors(self, values: Sequence[Any]) -> Given:
        """Return the tensors that the index formulas mention, in words and in numbers."""
        axis = 1 if self.rows else 0
        shifted = np.exp(values[0] - np.max(values[0], axis=axis, keepdims=True))
        weight = np.asarray(
            1.0 if self.weight is None else values[-1] if isinstance(self.weight, Name) else constant_value(self.weight)
        )
        labels = np.where(self.counts, self.targets, 0).astype(int)
        hot = self.targets if self.is_of_probabilities else np.equal.outer(labels, np.arange(self.classes))
        mass = weight * ((1 - self.smoothing) * hot + self.smoothing / self.classes)
        mass = mass if self.is_of_probabilities else np.moveaxis(mass, -1, axis)
        extra: dict[str, tuple[str, Any]] = {
            "p": (f"softmax({{0}}{', dim=1' * self.rows})", shifted / shifted.sum(axis, keepdims=True)),
            "e" if self.is_plain else "q": (unparse(self.mass()), mass.astype(values[0].dtype)),
        }
        if self.mask is not None:
            extra["m"] = (unparse(self.mask), self.counts.astype(values[0].dtype))
        if self.weight is not None and self.is_of_probabilities:
            extra["w"] = (unparse(self.weight), weight)
        elif self.weight is not None and self.reduction == "mean":
            extra["s"] = (unparse(self.divisor() or Number(1)), np.sum(weight.astype(float)[labels] * self.counts))
        return extra
