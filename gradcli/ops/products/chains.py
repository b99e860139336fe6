"""The product of a chain of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.products.contractions import mm_
from gradcli.ops.shaping.shaping import reshape, unsqueeze
from gradcli.ops.support.surface import operation


@operation(
    "A = [[1, 2]]; B = [[3, 4], [1, 2]]; C = [[1], [0.5]]; multi_dot([A, B, C])",
    "x = [1, 2]; B = [[3, 4], [1, 2]]; C = [[1, 2], [0, 1]]; y = [1, 3]; multi_dot([x, B, C, y])",
    aliases=["chain_matmul"],
    method=False,
    only="linalg",
)
def multi_dot(tensors: Sequence[Tensor]) -> Any:
    """The product of several matrices, in the order that takes the fewest multiplications."""
    if len(tensors) < 2:
        raise AutogradError("multi_dot(): expected at least 2 tensors but got " + str(len(tensors)))
    factors = list(tensors)
    for where, x in (("first", factors[0]), ("last", factors[-1])):
        if x.ndim not in (1, 2):
            raise AutogradError(f"multi_dot(): the {where} tensor must be 1D or 2D but got {x.ndim}D", code="E301")
    shape = []
    if factors[0].ndim == 1:
        factors[0] = unsqueeze(factors[0], dim=0)
    else:
        shape.append(factors[0].shape[0] if factors[0].ndim else 0)
    if factors[-1].ndim == 1:
        factors[-1] = unsqueeze(factors[-1], dim=1)
    else:
        shape.append(factors[-1].shape[-1] if factors[-1].ndim else 0)
    for position, x in enumerate(factors):
        if x.ndim != 2:
            raise AutogradError(f"multi_dot(): tensor {position} must be 2D but got {x.ndim}D", code="E301")
        if x.dtype != tensors[0].dtype:
            kinds = [C_NAMES[TYPE_NAMES[each.dtype]] for each in (tensors[0], x)]
            raise AutogradError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {kinds[0]} and tensor "
                f"{position} {kinds[1]}"
            )
    for n, (a, b) in enumerate(pairwise(factors)):
        if a.shape[1] != b.shape[0]:
            sizes = f"{list(tensors[n].shape)} and {list(tensors[n + 1].shape)}"
            raise AutogradError(
                f"multi_dot(): tensors {n} and {n + 1} with shapes {sizes} cannot be multiplied", code="E301"
            )
    return reshape(_multiplied(factors), shape=tuple(shape))


def _multiplied(factors: Sequence[Any]) -> Any:
    """Multiply in the cheapest order (Cormen et al., Introduction to Algorithms, 15.2); three compare two costs."""
    sizes = [factors[0].shape[0], *(x.shape[1] for x in factors)]
    count = len(factors)
    if count == 3:
        p, q, r, s = sizes
        late = (p * q * r + p * r * s) > (q * r * s + p * q * s)
        cuts = {(0, 2): 0 if late else 1}
    else:
        cuts = _cuts(sizes, count)
    done = {(i, i): x for i, x in enumerate(factors)}
    waiting = [(0, count - 1)]
    while waiting:
        i, j = waiting[-1]
        k = cuts.get((i, j), i)
        missing = [part for part in ((k + 1, j), (i, k)) if part not in done]
        waiting.extend(missing)
        if not missing:
            done[i, j] = mm_(done[i, k], done[k + 1, j])
            waiting.pop()
    return done[0, count - 1]


def _cuts(sizes: Sequence[int], count: int) -> dict[tuple[int, int], int]:
    """Return, by (i, j), the last factor of the left part when the product of the factors i to j is split."""
    costs = {(i, i): 0 for i in range(count)}
    cuts = {}
    for length in range(2, count + 1):
        for i in range(count - length + 1):
            j = i + length - 1
            costs[i, j], cuts[i, j] = min(
                (costs[i, k] + costs[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return cuts
