"""Index letters that are no names of the program: one symbol has one meaning on a page."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from gradcli.engine.symbolic.indices import LETTERS
from gradcli.explanation.index.tree import Entry, Equation, Reduce, Term, Variable, mapped, parts
from gradcli.explanation.model import Why


def apart_from(why: Why, taken: Set[str]) -> Why:
    """Return the same reason with other letters for the indices that are called as something else is."""
    equations = (*why.forward, *([why.gradient] if why.gradient else []))
    sides = [part for one in equations for side in (one.left, one.right) for part in parts(side)]
    used = {part.name for part in sides if isinstance(part, Variable)}
    names = {part.tensor for part in sides if isinstance(part, Entry)}
    if used.isdisjoint(taken):
        return why
    free = iter([letter for letter in LETTERS if letter not in used | names | taken])
    letters = {name: next(free, name) if name in taken else name for name in sorted(used)}

    def change(term: Term) -> Term:
        match term:
            case Variable(name):
                return Variable(letters[name])
            case Reduce():
                return replace(term, variables=tuple((letters.get(name, name), size) for name, size in term.variables))
        return term

    def changed(one: Equation) -> Equation:
        left = mapped(one.left, change)
        assert isinstance(left, Entry)
        return Equation(left, mapped(one.right, change), tuple((letters[name], size) for name, size in one.sizes))

    gradient = None if why.gradient is None else changed(why.gradient)
    return replace(why, forward=tuple(map(changed, why.forward)), gradient=gradient)
