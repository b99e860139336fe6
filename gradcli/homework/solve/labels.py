"""Labels of the steps that have no name: their expressions, over the names of the program."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate

from gradcli.explanation.lines import Line
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Expression, Name
from gradcli.language.unparser import unparse

LONGEST = 40  # characters of a label
REST = Name("…")  # stands for operands that would make it longer


def spelled_out(lines: Sequence[Line], named: Collection[int]) -> list[str]:
    """Return the label of each line: names that gradcli gave to steps are replaced by the expressions of the steps."""
    known: dict[str, Expression] = {}
    labels = []
    for index, line in enumerate(lines):
        tree = substitute(line.written, known) if line.application else line.written
        label = unparse(tree)
        if len(label) > LONGEST:
            tree = substitute(line.written, dict.fromkeys(known, REST))
            label = unparse(tree)
        if line.application and index not in named:
            known[line.name] = tree
        labels.append(label)
    return labels


def without_parentheses(text: str) -> str:
    """`a - t` for `(a - t)`."""
    while text.startswith("(") and text.endswith(")"):
        depth = list(accumulate((c == "(") - (c == ")") for c in text))
        if 0 in depth[:-1]:
            break
        text = text[1:-1].strip()
    return text
