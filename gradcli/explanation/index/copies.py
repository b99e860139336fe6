"""The index formulas of an elementwise operation with a copied input, whose gradient is a sum over the copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import letters
from gradcli.explanation.index.tree import (
    Apply,
    Entry,
    Equation,
    Number,
    Reduce,
    Term,
    Variable,
    negative,
    product,
    quotient,
    total,
)
from gradcli.explanation.values import CONSTANTS
from gradcli.language import tree as language

COMPARED = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠"}
Shape = tuple[int, ...]


def entry_of(name: str, shape: Shape, places: Sequence[str], size: Shape) -> Entry:
    """Return the entry of a tensor of one shape that is copied to an entry of another."""
    lead = len(size) - len(shape)
    return Entry(
        name,
        tuple(
            Number(0) if n == 1 != size[lead + axis] else Variable(places[lead + axis]) for axis, n in enumerate(shape)
        ),
    )


def summed_over_copies(
    result: str,
    input: str,
    tree: language.Expression,
    contribution: language.Expression,
    tensors: Mapping[str, Any],
) -> tuple[Equation, Equation] | None:
    """Return the formulas of the result and of the input's gradient; None where a formula cannot be indexed."""
    size = np.shape(tensors[result])
    places = letters(len(size), tensors)
    left = entry_of(input, np.shape(tensors[input]), places, size)
    entries = {name: entry_of(name, np.shape(value), places, size) for name, value in tensors.items()}
    forward, body = (indexed(x, entries) for x in (tree, contribution))
    if forward is None or body is None or len(places) < len(size):
        return None
    lost = tuple((letter, None) for letter in places if Variable(letter) not in left.places)
    result_entry = Entry(result, tuple(map(Variable, places)))
    gradient = body if body == Number(0) else Reduce("Σ", lost, body)  # zeros leave no entry that says how many
    return Equation(result_entry, forward), Equation(Entry(f"∂{input}", left.places), gradient)


def indexed(tree: language.Expression, entries: Mapping[str, Entry]) -> Term | None:
    """Return an elementwise expression with an entry for each name; None for an expression of another kind."""

    def step(node: language.Expression, parts: Sequence[Term | None]) -> Term | None:
        if isinstance(node, language.Name):
            is_constant = node.id in CONSTANTS and node.id not in entries
            return Number(CONSTANTS[node.id]) if is_constant else entries.get(node.id, Entry(node.id))
        if isinstance(node, language.Number):
            return Number(node.value)
        terms = [term for term in parts if term is not None]
        return _applied(node, terms) if len(terms) == len(parts) else None

    return language.fold(tree, step)


def _applied(node: language.Expression, terms: Sequence[Term]) -> Term | None:
    match node:
        case language.Unary("-"):
            return negative(terms[0])
        case language.Binary("+"):
            return total(*terms)
        case language.Binary("-"):
            return total(terms[0], negative(terms[1]))
        case language.Binary("*"):
            return product(*terms)
        case language.Binary("/"):
            return quotient(*terms)
        case language.Binary("**"):
            return Apply("**", tuple(terms))
        case language.Compare(operator) if operator in COMPARED:
            return Apply(COMPARED[operator], tuple(terms))
        case language.Call("zeros_like"):
            return Number(0)
        case language.Call("addcmul"):
            return total(terms[0], product(*terms[3:], terms[1], terms[2]))
        case language.Call("addcdiv"):
            return total(terms[0], product(*terms[3:], quotient(terms[1], terms[2])))
        case language.Call(function, arguments) if all(argument.keyword is None for argument in arguments):
            return Apply(function, tuple(terms))
    return None
