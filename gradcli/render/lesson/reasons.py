"""Reasons for tensor rules, in lines below them: entry by entry, and one entry in numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.explanation.index.formulas import Worked
from gradcli.explanation.index.printing import Writer
from gradcli.explanation.index.tree import Reduce
from gradcli.explanation.model import Explanation, Local, Why
from gradcli.guard import optional
from gradcli.language.tree import Binary, postorder
from gradcli.language.unparser import unparse_statement as write_statement
from gradcli.render.lesson.terms import Terms
from gradcli.render.text.layout import INDENT
from gradcli.render.text.numbers import number
from gradcli.source import visible


def signs(explanation: Explanation, terms: Terms) -> Iterator[str]:
    """Yield what the signs of products mean, where a page has those of matrices."""
    trees = (tree for node in explanation.nodes for tree in (node.expression, *(local.rule for local in node.locals)))
    if any(isinstance(part, Binary) and part.operator == "@" for tree in trees for part in postorder(tree)):
        yield f"{terms.entrywise} multiplies entry by entry, @ multiplies matrices, .T exchanges rows and columns"
    edges = [local for node in explanation.nodes if node.grad is not None for local in node.locals]
    if any(local.reason is not None and terms.fans_out(local.input) for local in edges):
        yield "+= adds one of several parts of a gradient"


@optional("reason", "")
def reason(local: Local, terms: Terms, *, in_full: bool, upstream: str | None = None) -> str:
    """Return the lines below a rule: the index formula, and in full what the names in it stand for, and one entry.

    `upstream` is written for the upstream gradient, by default its name `g`. Empty where there is no such formula.
    """
    why = local.why
    if why is None:
        return ""
    rename = {} if upstream is None else {terms.upstream_name: upstream}
    write = Writer(ascii=terms.looks.ascii, number=lambda value: number(value, terms.looks.precision), rename=rename)
    text = in_one_line(why, terms.total(local.input), write, adds=terms.fans_out(local.input))
    text = in_two(text, terms.looks.width)
    lines = [f"{text}, where {meanings(why)}" if why.given and not in_full else text]
    if in_full:
        lines.extend(told_in_full(why, upstream or terms.upstream_name, write))
    return "\n".join(visible(line) for part in lines for line in part.split("\n"))


def in_two(text: str, width: int | None) -> str:
    """Return a formula and what follows from it on lines of their own, where both do not fit one."""
    return text if width is None or len(text) <= width - 2 * INDENT else text.replace(", so ", ",\nso ", 1)


def in_one_line(why: Why, gradient: str, write: Writer, *, adds: bool = False) -> str:
    """Return `v[i,k] = Σj a[i,j]·b[j,k], so ∂L/∂b[j,k] = Σi a[i,j]·g[i,k]`.

    `adds` is for an input that other edges lead to, too: there the gradient grows by that.
    """
    if why.gradient is None:
        return "; ".join(write_statement(statement, multiply=write.sign("·")) for statement in why.differential)
    forward = "; ".join(map(write.equation, why.forward))
    so = write.derived(why.gradient, gradient, "+=" if adds else "=")
    so += elsewhere(why)
    so += f" (entries outside {' and '.join(why.outside)} count as 0)" * bool(why.outside)
    return f"{forward}, so {so}" if forward else so


def elsewhere(why: Why) -> str:
    """Return what holds for entries that the formula of the gradient does not name, or for which it does not hold."""
    right = None if why.gradient is None else why.gradient.right
    has_condition = isinstance(right, Reduce) and not right.variables
    return ", 0 elsewhere" if why.is_sparse else ", else 0" if has_condition else ""


def told_in_full(why: Why, upstream: str, write: Writer) -> Iterator[str]:
    """Yield what names in the formula stand for, and the entry in numbers."""
    if why.gradient is None:
        changed = why.differential[-1].target
        yield f"the gradient of an input is what multiplies its change in sum({upstream}{write.sign('·')}{changed})"
    if why.given:
        yield f"where {meanings(why)}"
    if why.entry is not None:
        yield f"{place(why.entry)}: {entry_in_numbers(why.entry, write)}"


def meanings(why: Why) -> str:
    """Return what names in a formula stand for; names that mean the same in one go."""
    named: dict[str, list[str]] = {}
    for name, words in why.given:
        named.setdefault(words, []).append(name)
    return ", ".join(
        f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} {words}" for words, names in named.items()
    )


def place(entry: Worked) -> str:
    """Return which entry it is; of a scalar that goes without saying."""
    places = f"[{','.join(map(str, entry.place))}]"
    return f"entry {'flat' * entry.is_flat}{places}" if entry.place else "in numbers"


def entry_in_numbers(entry: Worked, write: Writer) -> str:
    numbers, value = write.term(entry.numbers if entry.entry is None else entry.entry), write.number(entry.value)
    return numbers if numbers == value else f"{numbers} = {value}"


def shapes(local: Local, terms: Terms) -> str:
    """Return `h (2,3), g (2,3) → (3,3)`: the tensors of the formula, and the shape of the gradient."""
    if local.why is None:
        return ""
    listed = ", ".join(f"{visible(name)} {shape(size)}" for name, size in local.why.shapes)
    return f"{listed} {terms.looks.arrow} {shape(np.shape(terms.nodes[local.input].value))}"


def shape(size: tuple[int, ...]) -> str:
    return f"({','.join(map(str, size))}{',' * (len(size) == 1)})"  # as in the rules beside it
