"""Sums of products by subscripts, `einsum('ij,jk->ik', A, B)`, lowered as torch lowers them.

Each operand gets a dimension for every subscript: first the result's, then the summed ones in alphabetical
order. Two operands at a time are then multiplied: entry by entry if nothing is summed yet, else as matrices, where the
dimensions that both have and the result keeps are the batch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Any

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.pointwise.arithmetic import mul
from gradcli.ops.products.contractions import apply_bmm
from gradcli.ops.reducing.reductions import apply_sum
from gradcli.ops.shaping.diagonals import diagonal
from gradcli.ops.shaping.shaping import movedim, permute, reshape, reshape_in_memory, unsqueeze
from gradcli.ops.support.arguments import Tensors, all_of, check_size
from gradcli.ops.support.surface import operation

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "."  # stands for `...` among the subscripts of an operand


def _refusal(text: str) -> AutogradError:
    return ShapeError(f"einsum(): {text}")


WHOLE = "…"  # three dots, as one character


def _subscripts(text: str, source: str, number: int | None, allowed: Container[str] = LETTERS) -> Iterator[str]:
    """Read the subscripts of one operand, or without a number of the result, with `...` as one of them."""
    labels: list[str] = []
    for part in text.replace(" ", "").replace("...", WHOLE):
        if part in (".", WHOLE):
            which = "output" if number is None else f"operand {number}"
            if part == "." or ELLIPSIS in labels:
                reason = (
                    "that is not part of any ellipsis" if part == "." else "for which an ellipsis was already found"
                )
                raise _refusal(f"found '.' for {which} {reason}")
            part = ELLIPSIS
        elif part not in LETTERS:
            raise _refusal(
                f"invalid subscript given at index {source.index(part)} in the equation string, subscripts must be in "
                "[a-zA-Z]"
            )
        elif number is None and part in labels:
            raise _refusal(f"output subscript {part} appears more than once in the output")
        elif part not in allowed:
            raise _refusal(f"output subscript {part} does not appear in the equation for any input operand")
        labels.append(part)
        yield part


class Equation:
    """The subscripts of the operands and of the result, and their common order, the result's first."""

    def __init__(self, equation: str, operands: Sequence[Tensor]) -> None:
        left, arrow, right = equation.partition("->")
        self.operands = [list(_subscripts(part, equation, n)) for n, part in enumerate(left.split(","))]
        if len(self.operands) != len(operands):
            kind = "fewer" if len(operands) < len(self.operands) else "more"
            raise _refusal(f"{kind} operands were provided than specified in the equation")
        self.covered = 0  # dimensions that `...` stands for, at most
        for number, (labels, x) in enumerate(zip(self.operands, operands, strict=True)):
            self._check(number, labels, x)
            if ELLIPSIS in labels:
                self.covered = max(self.covered, x.ndim - len(labels) + 1)
        counts = Counter(label for labels in self.operands for label in labels)
        if arrow:
            self.out = list(_subscripts(right, equation, None, counts))
        else:  # the subscripts that occur once, in alphabetical order
            self.out = [ELLIPSIS] * (ELLIPSIS in counts) + [label for label in LETTERS if counts[label] == 1]
        rest = [label for label in LETTERS if label in counts and label not in self.out]
        if ELLIPSIS in counts and ELLIPSIS not in self.out:
            rest.insert(0, ELLIPSIS)
        self.place: dict[str, int] = {}
        self.count = 0
        self.kept = self._give_places(self.out)
        self._give_places(rest)

    def _give_places(self, labels: Sequence[str]) -> int:
        """Assign the next dimensions to the subscripts; return the number of dimensions assigned so far."""
        for label in labels:
            self.place[label] = self.count
            self.count += self.covered if label == ELLIPSIS else 1
        return self.count

    def _check(self, number: int, labels: list[str], x: Tensor) -> None:
        if ELLIPSIS in labels and len(labels) - 1 > x.ndim:
            raise _refusal(
                f"the number of subscripts in the equation ({len(labels) - 1}) is more than the number of dimensions "
                f"({x.ndim}) for operand {number}"
            )
        if ELLIPSIS not in labels and len(labels) != x.ndim:
            raise _refusal(
                f"the number of subscripts in the equation ({len(labels)}) does not match the number of dimensions "
                f"({x.ndim}) for operand {number} and no ellipsis was given"
            )

    def spread(self, number: int, x: Any) -> Any:
        """Give an operand a dimension for every subscript, of size 1 for a subscript that it lacks."""
        order = [-1] * self.count
        stands_for = x.ndim - len(self.operands[number]) + 1  # dimensions, for `...`
        dims: dict[str, int] = {}
        dim = 0
        for label in self.operands[number]:
            if label == ELLIPSIS:
                for k in range(self.covered - stands_for, self.covered):
                    order[self.place[label] + k] = dim
                    dim += 1
            elif label in dims:
                first = dims[label]
                if x.shape[first] != x.shape[dim]:
                    raise _refusal(
                        f"subscript {label} is repeated for operand {number} but the sizes don't match, "
                        f"{x.shape[dim]} != {x.shape[first]}"
                    )
                x = movedim(diagonal(x, offset=0, dim1=first, dim2=dim), -1, first)
            else:
                dims[label] = dim
                order[self.place[label]] = dim
                dim += 1
        for position, source in enumerate(order):
            if source == -1:
                x = unsqueeze(x, dim=x.ndim)
                order[position] = dim
                dim += 1
        return permute(x, dims=tuple(order))


@operation(
    "A = [[1, 2], [3, 4]]; B = [[1, 0.5], [2, 1]]; einsum('ij,jk->ik', A, B)",
    "A = [[1, 2], [3, 4]]; x = [1, 3]; einsum('ij,j', A, x)",
    "A = [[1, 2], [3, 4]]; einsum('ii->i', A)",
    "A = [[1, 2], [3, 4]]; einsum('ij->', A)",
    "x = [1, 2]; y = [3, 4]; einsum('i,j->ij', x, y)",
    "Q = [[[1, 2], [3, 4]]]; K = [[[1, 0.5], [2, 1]]]; einsum('...id,...jd->...ij', Q, K)",
    "A = [[1, 2], [3, 4]]; x = [1, 3]; y = [2, 0.5]; einsum('i,ij,j->', x, A, y)",
    method=False,
    contracts=True,
)
def einsum(equation: str, *operands: Tensors) -> Any:
    """The products of the operands, summed over each subscript that the result does not have."""
    tensors = all_of(operands)
    if not tensors:
        raise _refusal("must provide at least one operand")
    parsed = Equation(equation, tensors)
    factors = [parsed.spread(number, x) for number, x in enumerate(tensors)]
    _check_sizes(parsed, factors)
    summed = range(parsed.kept, parsed.count)
    if len(factors) == 1:
        return apply_sum(factors[0], tuple(summed)) if summed else factors[0]
    owners = {dim: sum(x.shape[dim] != 1 for x in factors) for dim in summed}
    out = factors[0]
    for x in factors[1:]:
        out = _multiplied(out, x, summed, owners)
    return reshape(out, shape=out.shape[: parsed.kept]) if summed else out


def _check_sizes(parsed: Equation, factors: Sequence[Any]) -> None:
    sizes = [1] * parsed.count
    labels = {place: label for label, place in parsed.place.items()}
    for number, x in enumerate(factors):
        for dim, size in enumerate(x.shape):
            if size != 1 and sizes[dim] not in (1, size):
                raise _refusal(
                    f"subscript {labels.get(dim, '...')} has size {size} for operand {number} which does not "
                    f"broadcast with previously seen size {sizes[dim]}"
                )
            sizes[dim] = max(sizes[dim], size) if size else 0
    check_size(tuple(sizes[: parsed.kept]))


def _multiplied(a: Any, b: Any, summed: range, owners: dict[int, int]) -> Any:
    """Multiply two operands and sum over dimensions of no other; `owners` counts the operands of a dimension."""
    now: list[int] = []
    early_a: list[int] = []
    early_b: list[int] = []
    for dim in summed:
        if a.shape[dim] != 1 and b.shape[dim] != 1:
            owners[dim] -= 1
            if owners[dim] == 1:
                now.append(dim)
                owners[dim] = 0
        elif owners[dim] == 1 and a.shape[dim] != b.shape[dim]:
            (early_a if a.shape[dim] != 1 else early_b).append(dim)
            owners[dim] = 0
    a = apply_sum(a, tuple(early_a), True) if early_a else a
    b = apply_sum(b, tuple(early_b), True) if early_b else b
    if not now:
        check_size(broadcast_shapes(a.shape, b.shape))
        return mul(a, b)
    return _as_matrices(a, b, now)


def _as_matrices(a: Any, b: Any, now: Sequence[int]) -> Any:
    """Multiply as batches of matrices: the batch is the dimensions of both that are not summed now."""
    batch: list[int] = []
    first: list[int] = []
    second: list[int] = []
    for dim in range(a.ndim):
        if dim not in now:
            left, right = a.shape[dim] != 1, b.shape[dim] != 1
            (batch if left and right else first if left else second).append(dim)
    others = [dim for dim in second if b.shape[dim] != 1]
    if first and others and others[0] < first[0]:  # the result is then nearer to the order of its rows
        return _as_matrices(b, a, now)
    sizes = (
        math.prod(a.shape[dim] for dim in batch),
        math.prod(a.shape[dim] for dim in first),
        math.prod(a.shape[dim] for dim in now),
        math.prod(b.shape[dim] for dim in second),
    )
    n, rows, inner, columns = sizes
    order = (*batch, *first, *now, *second)
    left = reshape_in_memory(permute(a, dims=order), (n, rows, inner))
    right = reshape_in_memory(permute(b, dims=(*batch, *now, *second, *first)), (n, inner, columns))
    shape = (*(a.shape[dim] for dim in (*batch, *first)), *(1 for _ in now), *(b.shape[dim] for dim in second))
    out = reshape(apply_bmm(left, right), shape=shape)
    return permute(out, dims=tuple(order.index(dim) for dim in range(a.ndim)))
