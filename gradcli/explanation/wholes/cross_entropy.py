"""Cross entropy as one operation: softmax minus one-hot, of a vector of scores or of rows.

A course teaches it so, though torch takes several nodes with rules of their own for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import Given
from gradcli.explanation.index.contractions import call_of
from gradcli.facts import dataclass
from gradcli.language.simplify.facts.shapes import constant_value
from gradcli.language.tree import Argument, Binary, Call, Expression, Literal, Name, Number
from gradcli.language.unparser import unparse

SAYS = "Each score gets its probability, less 1 for the right class: softmax minus one-hot, times the gradient."
IGNORED = -100  # the label that torch ignores


@dataclass(frozen=True, slots=True)
class CrossEntropy:
    """The cross entropy of scores of a shape for labels that all count, `reduced` by `mean`, `sum` or `none`."""

    scores: Expression
    target: Expression
    labels: Any
    reduction: str
    shape: tuple[int, ...]

    @property
    def rows(self) -> bool:
        return len(self.shape) > 1

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.scores,) if isinstance(self.target, Number) else (self.scores, self.target)

    @property
    def divisor(self) -> int:
        return self.shape[0] if self.rows and self.reduction == "mean" else 1

    def rules(self, upstream: str) -> list[Expression | None]:
        """Return the contribution to each operand; labels get none."""
        g: Expression = Name(upstream)
        if self.rows and self.reduction == "none":  # one number a row, as a column that is copied along the row
            g = Call("unsqueeze", (Argument(g), Argument(Number(1))))
        probability = Call("softmax", (Argument(self.scores), Argument(Number(int(self.rows)), "dim")))
        rule: Expression = Binary("*", g, Binary("-", probability, self.one_hot))
        rule = rule if self.divisor == 1 else Binary("/", rule, Number(self.divisor))
        return [rule, None][: len(self.operands)]

    @property
    def one_hot(self) -> Expression:
        return Call("one_hot", (Argument(self.target), Argument(Number(self.shape[-1]))))

    @property
    def formulas(self) -> str:
        """The index formulas over `x0`, the scores, and `x1`, the labels; `find` has the other tensors in them."""
        row, i = ("[i]", "i,") if self.rows else ("", "")
        label = unparse(self.target) if isinstance(self.target, Number) else f"x1{row}"
        loss, over = f"log(Σj exp(x0[{i}j])) - x0[{i}{label}]", "" if self.divisor == 1 else f"/{self.divisor}"
        if self.rows and self.reduction != "none":
            row, loss = "", f"(Σi ({loss})){over}"
        return f"out{row} = {loss}; ∂x0[{i}j] = (p[{i}j] - e[{i}j])·upstream{row}{over}"

    def find(self, values: Sequence[Any]) -> Given:
        """Return the tensors that the index formulas mention, in words and in numbers."""
        shifted = np.exp(values[0] - np.max(values[0], axis=-1, keepdims=True))
        hot = np.equal.outer(self.labels.astype(int), np.arange(self.shape[-1]))
        return {
            "p": (f"softmax({{0}}{', dim=1' * self.rows})", shifted / shifted.sum(-1, keepdims=True)),
            "e": (unparse(self.one_hot), hot.astype(values[0].dtype)),
        }


def cross_entropy(tree: Expression, values: Mapping[str, Any]) -> CrossEntropy | None:
    """Return a call of cross entropy over names with values; None where it has weights, images or probabilities."""
    function, operands, keywords = call_of(tree)
    arguments = {**keywords, **dict(zip(("input", "target"), operands, strict=False))}
    scores, target = arguments.get("input"), arguments.get("target")
    reduction = getattr(arguments.get("reduction", Literal("mean")), "value", "")
    is_plain = (
        function == "cross_entropy" and len(operands) < 3 and arguments.keys() <= {"input", "target", "reduction"}
    )
    if not is_plain or not isinstance(scores, Name) or scores.id not in values or target is None:
        return None
    shape, labels = np.shape(values[scores.id]), np.asarray(_value(target, values))
    is_known = labels.dtype.kind in "iuf" and labels.shape == shape[:-1] and not np.any(labels == IGNORED)
    if not is_known or len(shape) not in (1, 2) or reduction not in ("mean", "sum", "none"):
        return None
    return CrossEntropy(scores, target, labels, reduction, shape)


def _value(tree: Expression, values: Mapping[str, Any]) -> Any:
    """Return the value of a name or a constant expression; None of any other."""
    if isinstance(tree, Name):
        return values.get(tree.id)
    try:
        return constant_value(tree)
    except ValueError:
        return None
