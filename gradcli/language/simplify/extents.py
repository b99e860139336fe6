"""Extents: the shape of the result of an elementwise formula, as far as the shapes of its parts are known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from gradcli.language.simplify.algebra.terms import UnsimplifiedError

Shape = tuple[int, ...]


class Extent(NamedTuple):
    """The broadcast shape of the parts whose shape is known, and the bases whose shape is not.

    Two formulas of equal extents have the same shape at every point.
    """

    shape: Shape = ()
    unknown: frozenset[int] = frozenset()


SCALAR = Extent()


def joined(extents: Iterable[Extent]) -> Extent:
    """Return the extent of an elementwise operation on parts of these extents."""
    common = SCALAR
    for extent in extents:
        if extent != common and extent != SCALAR:
            shape = broadcast(common.shape, extent.shape)
            common = Extent(shape, common.unknown | extent.unknown)
    return common


def broadcast(first: Shape, second: Shape) -> Shape:
    """Return the shape of both together; UnsimplifiedError where they do not fit."""
    sizes = []
    for a, b in zip_longest(reversed(first), reversed(second), fillvalue=1):
        if a != b and 1 not in (a, b):
            raise UnsimplifiedError
        sizes.append(b if a == 1 else a)
    return tuple(reversed(sizes))
