"""The formulas of an edge in the names of the program, with the numbers of the point."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.indices import LETTERS
from gradcli.engine.tensor import Tensor
from gradcli.explanation.index.copies import summed_over_copies
from gradcli.explanation.index.differential import differential, named
from gradcli.explanation.index.evaluation import is_sparse, outside, ranges
from gradcli.explanation.index.formulas import Formulas, formulas, names_of, read
from gradcli.explanation.index.taught.declaration import Finder
from gradcli.explanation.index.tree import Entry, Equation, Reduce, Term, Variable, mapped, parts
from gradcli.explanation.index.worked import Worked, worked
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Why
from gradcli.explanation.naming import unused
from gradcli.explanation.refusals import in_line
from gradcli.language.tree import Name, Program
from gradcli.language.unparser import unparse

LISTED = re.compile(r"place\d*")


@in_line
def structured(line: Line, position: int, gradient: Any, upstream_name: str) -> Why | None:
    application = line.application
    assert application is not None
    out = line.tensor.value
    g = np.ones_like(out) if gradient is None else gradient
    values = [x.value if isinstance(x, Tensor) else x for x in application.inputs]
    if program := differential(application.primitive, out, values, application.options):
        return _change(line, program, upstream_name)
    found = formulas(application.primitive, g, out, values, application.options, position)
    return None if found is None else told(line, position, found, gradient, upstream_name)


@in_line
def whole(line: Line, position: int, gradient: Any, upstream_name: str, text: str, find: Finder | None) -> Why | None:
    """Return the formulas of an operation over `x0`, `x1`, ..., the inputs of its line; `find` finds other tensors."""
    out = line.tensor.value
    names = tuple(f"x{place}" for place in range(len(line.inputs)))
    forward, derived = read(text, names[position], "upstream")
    inputs = [x.tensor.value for x in line.inputs]
    given = find(inputs) if find else {}
    values = dict(zip(names, inputs, strict=True))
    tensors = {"upstream": np.ones_like(out) if gradient is None else gradient, "out": out, **values}
    tensors.update({f"∂{name}": value for name, value in values.items()})
    tensors.update({name: value for name, (_, value) in given.items()})
    written = [unparse(x.spelling) for x in line.inputs]
    words = {name: words.format(*written) for name, (words, _) in given.items()}
    found = Formulas(forward, derived, tensors, "upstream", "out", names, words)
    return told(line, position, found, gradient, upstream_name)


def told(line: Line, position: int, found: Formulas, gradient: Any, upstream_name: str) -> Why | None:
    """Return the formulas in the names of the program."""
    if found.gradient is None:
        return None
    found = replace(
        found,
        forward=tuple(in_one_dimension(one, found.tensors) for one in found.forward),
        gradient=in_one_dimension(found.gradient, found.tensors),
    )
    assert found.gradient is not None
    sizes = ranges(found.gradient, found.tensors)
    own = _Names(line, position, found, upstream_name)
    beyond = outside(found.gradient, found.tensors, sizes)
    added = [one for one in found.forward if not any(is_extreme(part) for part in parts(one.right))]
    beside = [name for one in added for name in outside(one, found.tensors, ranges(one, found.tensors))]
    shapes = {own.names.get(name, name): np.shape(found.tensors[name]) for name in own.mentioned}
    return Why(
        shapes=tuple(shapes.items()),
        forward=tuple(map(own.equation, found.forward)),
        gradient=own.equation(found.gradient),
        given=(
            *((own.names.get(name, name), words) for name, words in found.given.items() if name in own.used),
            *own.literals,
        ),
        outside=tuple(dict.fromkeys(own.names.get(name, name) for name in (*beyond, *beside))),
        is_sparse=is_sparse(found.gradient, found.tensors, sizes),
        entry=None if gradient is None else own.worked(worked(found.gradient, found.tensors, sizes)),
    )


def is_extreme(term: Term) -> bool:
    """Return whether it is the largest or smallest of some entries, where one that is outside is none of them."""
    return isinstance(term, Reduce) and term.operator in ("max", "min")


def in_one_dimension(equation: Equation, tensors: Mapping[str, Any]) -> Equation:
    """Return `x[i]` for `x.flat[i]` where the tensor has one dimension."""

    def change(term: Term) -> Term:
        is_vector = isinstance(term, Entry) and term.is_flat and np.ndim(tensors[term.tensor]) == 1
        return replace(term, name=term.tensor) if isinstance(term, Entry) and is_vector else term

    left = mapped(equation.left, change)
    assert isinstance(left, Entry)
    return Equation(left, mapped(equation.right, change), equation.sizes)


@in_line
def elementwise(line: Line, position: int, gradient: Any, upstream_name: str) -> Why | None:
    """Return the formulas of an elementwise operation for an input that is copied to the shape of the result."""
    application = line.application
    assert application is not None
    out = line.tensor.value
    g = np.ones_like(out) if gradient is None else gradient
    operands = [
        Formula(x.written if not isinstance(value, Tensor) else Name(x.name), getattr(value, "value", value))
        for x, value in zip(line.inputs, application.inputs, strict=True)
    ]
    result, upstream = Formula(Name(line.name), out), Formula(Name(upstream_name), g)
    rule = application.primitive.rules_for(operands)[position]
    assert rule is not None
    slope = rule(upstream, result, *operands, **application.options)
    tensors = {x.name: x.tensor.value for x in line.inputs} | {line.name: out, upstream_name: g}
    written = application.primitive.notation(operands, application.options)
    found = summed_over_copies(line.name, line.inputs[position].name, written, slope.tree, tensors)
    if found is None:
        return None
    forward, derived = found
    known = {**tensors, derived.left.name: line.inputs[position].tensor.value}
    mentioned = (part.name for part in parts(derived.right) if isinstance(part, Entry) and part.name in tensors)
    shapes = tuple((name, np.shape(tensors[name])) for name in dict.fromkeys(mentioned))
    return Why(
        shapes, (forward,), derived, entry=None if gradient is None else worked(derived, known, ranges(derived, known))
    )


def _change(line: Line, program: Program, upstream_name: str) -> Why:
    """Return the differential of a line in the names of its program."""
    assert line.application is not None
    _, result, *inputs = names_of(line.application.primitive, len(line.inputs), 0)
    names = {result: line.name}
    for name, x in zip(inputs, line.inputs, strict=True):
        names.update({name: x.name, f"d{name}": f"d{x.name}"})
    shapes = {x.name: x.tensor.shape for x in line.inputs}
    shapes[upstream_name] = line.tensor.shape
    return Why(tuple(shapes.items()), differential=named(program, names, line.name))


class _Names:
    """The names of the program in place of the declaration's, and index letters that are none of them."""

    def __init__(self, line: Line, position: int, found: Formulas, upstream_name: str) -> None:
        self.names = {found.upstream: upstream_name, found.result: line.name}
        for name, x in zip(found.inputs, line.inputs, strict=True):
            self.names[name] = x.name if x.tensor.shape else unparse(x.spelling)
        taken = {line.name, upstream_name, *self.names.values()}
        assert found.gradient is not None
        terms = [side for equation in (*found.forward, found.gradient) for side in (equation.left, equation.right)]
        everything = [part for term in terms for part in parts(term)]
        right = (part.tensor for part in parts(found.gradient.right) if isinstance(part, Entry))
        self.used = {part.tensor for part in everything if isinstance(part, Entry)}
        for name in sorted(found.given.keys() & self.used):
            stem = f"place_{line.name}" if LISTED.fullmatch(name) else name  # or it has another value at another node
            self.names[name] = unused(stem, taken)
            taken.add(self.names[name])
        self.mentioned = [name for name in dict.fromkeys(right) if name in self.names]
        used = [x for name, x in zip(found.inputs, line.inputs, strict=True) if name in self.used]
        written = [(x.name, x.spelling) for x in used if x.tensor.shape]
        self.literals = [(name, unparse(tree)) for name, tree in written if not isinstance(tree, Name)]
        letters = {part.name for part in everything if isinstance(part, Variable)}
        taken = {self.names.get(part.tensor, part.tensor) for part in everything if isinstance(part, Entry)}
        free = iter([letter for letter in LETTERS if letter not in taken and letter not in letters])
        self.letters = {letter: next(free) if letter in taken else letter for letter in sorted(letters)}

    def equation(self, equation: Equation) -> Equation:
        left = mapped(equation.left, self.change)
        assert isinstance(left, Entry)
        sizes = tuple((self.letters.get(name, name), size) for name, size in equation.sizes)
        return Equation(left, mapped(equation.right, self.change), sizes)

    def worked(self, found: Worked | None) -> Worked | None:
        if found is None or found.entry is None:
            return found
        entry = mapped(found.entry, self.change)
        return replace(found, entry=entry) if isinstance(entry, Entry) else found

    def change(self, term: Term) -> Term:
        match term:
            case Variable(name):
                return Variable(self.letters[name])
            case Entry(name):
                gradient, flat = name.startswith("∂"), ".flat" * term.is_flat
                own = term.tensor.removeprefix("∂")
                return replace(term, name=f"{'∂' * gradient}{self.names.get(own, own)}{flat}")
            case Reduce():
                return replace(term, variables=tuple((self.letters.get(name, name), n) for name, n in term.variables))
        return term
