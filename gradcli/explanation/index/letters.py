"""Index letters that are no names of the program: one symbol has one meaning on a page."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from gradcli.engine.symbolic.indices import LETTERS
from gradcli.explanation.index.tree import Entry, Equation, Reduce, Term, Variable, mapped, parts
from gradcli.explanation.model import Why


def rename_indices(why: Why, names_in_use: Set[str]) -> Why:
    """Return the same reason with other letters for the indices that are called as something else is."""
    equations = (*why.forward, *([why.gradient] if why.gradient else []))
    sides = [x for equation in equations for side in (equation.left, equation.right) for x in parts(side)]
    indices = {x.name for x in sides if isinstance(x, Variable)}
    names = {x.tensor for x in sides if isinstance(x, Entry)}
    if indices.isdisjoint(names_in_use):
        return why
    unused = iter([letter for letter in LETTERS if letter not in indices | names | names_in_use])
    letters = {name: next(unused, name) if name in names_in_use else name for name in sorted(indices)}

    def change(term: Term) -> Term:
        match term:
            case Variable(name):
                return Variable(letters[name])
            case Reduce():
                return replace(term, variables=tuple((letters.get(name, name), size) for name, size in term.variables))
        return term

    def rename(old: Equation) -> Equation:
        left = mapped(old.left, change)
        assert isinstance(left, Entry)
        return Equation(left, mapped(old.right, change), tuple((letters[name], size) for name, size in old.sizes))

    gradient = None if why.gradient is None else rename(why.gradient)
    return replace(why, forward=tuple(map(rename, why.forward)), gradient=gradient)
