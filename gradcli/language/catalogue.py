"""The module that declares each operation, so that a program loads the families that it uses and no others.

Start-up is what users feel: all families take longer to import than most programs take to run. The file is written from
the declarations by `python -m tests.ops.support.record_catalogue`, with the operations that have a trait: what is said
of them there is known here, and below the operations, without a second table.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gradcli.source import shipped

BASICS = {  # what a first course uses, by topic
    "sums and products": ("add", "sub", "mul", "div", "pow", "neg"),
    "functions": ("exp", "log", "sqrt", "sin", "cos", "abs"),
    "activations": ("relu", "sigmoid", "tanh", "softmax"),
    "matrices": ("matmul", "sum", "mean"),
    "losses": ("mse_loss",),
}
FILE = Path(__file__).with_name("catalogue.txt")
LINES = dict(line.split(": ") for line in shipped(FILE).splitlines())
FAMILY_OF = {name: family for family, names in LINES.items() if family[:3] != "is " for name in names.split()}


def operation_of(symbol: str) -> str:
    """Return the operation that an operator stands for: `add` for `+`."""
    return LINES[f"is {symbol}"]


@cache
def operations_that_are(trait: str) -> frozenset[str]:
    """Return the names of the operations with a trait: those that are "odd"."""
    return frozenset(LINES[f"is {trait}"].split())
