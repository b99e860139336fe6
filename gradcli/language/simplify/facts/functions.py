"""Facts about functions, which their declarations hold: that they work entry by entry, are never negative."""

from __future__ import annotations

from gradcli.language.catalogue import operations_that_are

ELEMENTWISE = operations_that_are("elementwise")
OPERATORS = frozenset(["<", "<=", ">", ">=", "==", "!=", "//", "%"])  # that are functions here
PARTIAL = operations_that_are("partial")  # not finite everywhere
NONNEGATIVE = operations_that_are("nonnegative")
# The arguments in which a function is linear, so that a number comes out of them.
LINEAR = {**dict.fromkeys((*operations_that_are("linear"), ".T", ".mT"), (0,)), "@": (0, 1), "outer": (0, 1)}
# The functions of nan are nan, so that an argument may be simplified where it is not finite.
PASSING = operations_that_are("passing") | operations_that_are("reducing") | LINEAR.keys()
