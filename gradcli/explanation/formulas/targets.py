"""What formulas say more shortly of targets whose entries add up to 1, as one-hot rows do: `p - y`, not `p*sum(y) - y`.

This holds at the point alone, so whoever writes such a formula says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradcli.explanation.formulas.checking import Point
from gradcli.explanation.values import value_of
from gradcli.language.rewrite import replaced, with_children, without_ones
from gradcli.language.tree import Binary, Call, Expression, Name, Number, fold, postorder


def without_sums_of_targets(tree: Expression, point: Point) -> tuple[Expression, dict[Call, str]]:
    """Return a formula with 1 for `sum(y)` beside `- y` where that is so at the point; and what was 1, by variable."""
    ones: dict[Call, str] = {}

    def combine(node: Expression, parts: Sequence[Expression]) -> Expression:
        if isinstance(node, Binary) and node.operator in ("+", "-"):
            for side, target in ((0, parts[1]), (1, parts[0])):
                call = _sum_of(parts[side], target)
                if call is not None and isinstance(target, Name) and _is_one(call, target, point):
                    ones[call] = target.id
                    parts = [replaced(x, call, Number(1)) if place == side else x for place, x in enumerate(parts)]
        return with_children(node, parts)

    shorter = fold(tree, combine)
    return (without_ones(shorter), ones) if ones else (tree, ones)


def _sum_of(tree: Expression, target: Expression) -> Call | None:
    """Return the sum of the target that is a part of a formula."""
    sums = (x for x in postorder(tree) if isinstance(x, Call) and x.function == "sum")
    return next((x for x in sums if x.arguments[0].value == target), None)


def _is_one(call: Call, target: Name, point: Point) -> bool:
    """Tell whether entries that are not negative add up to 1, along each row or whatever is summed."""
    entries = point.get(target.id)
    return entries is not None and bool(np.min(entries) >= 0 and np.allclose(value_of(call, point), 1, rtol=1e-12))
