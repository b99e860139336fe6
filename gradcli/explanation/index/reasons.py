"""The formulas of an edge in the names of the program, with the numbers of the point."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.indices import LETTERS
from gradcli.engine.tensor import Tensor
from gradcli.explanation.index.formulas import (
    Finder,
    Formulas,
    Worked,
    formulas,
    names_of,
    read_formulas,
    summed_over_copies,
    worked,
)
from gradcli.explanation.index.tree import (
    Entry,
    Equation,
    Reduce,
    Term,
    Variable,
    is_sparse,
    mapped,
    outside,
    parts,
    ranges,
)
from gradcli.explanation.lines import Line, in_line
from gradcli.explanation.model import Why, unused
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Name, Program, Statement
from gradcli.language.unparser import unparse
from gradcli.source import Source

# Index letters that are no names of the program: one symbol has one meaning on a page.


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


# The differential of an operation on whole matrices, as its primitive declares it.


parsed = cache(lambda text: parse_program(Source(text, "differential")))


def differential(primitive: Primitive, value: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Program | None:
    """Return the program of the change of the result, in the names of the declaration; None where there is none."""
    text = primitive.differential
    if not isinstance(text, str):
        text = text(value, *inputs, **options)
    return parsed(text) if text else None


def with_names(program: Program, names: Mapping[str, str], result: str) -> tuple[Statement, ...]:
    """Return the statements with the names of a program: `dv1 = -v1 @ dA @ v1`.

    Names that the declaration gives to parts (`M = ...`) get a mark where the program has them, too.
    """
    in_use = set(names.values())
    targets = [statement.target for statement in program.statements if statement.target]
    call_of = dict(names)
    for target in targets:
        call_of[target] = target
        while call_of[target] in in_use:
            call_of[target] += "_"
        in_use.add(call_of[target])
    trees = {name: Name(spelling) for name, spelling in call_of.items()}
    *before, last = program.statements
    statements = [Statement(call_of.get(s.target or "", s.target), substitute(s.value, trees), s.span) for s in before]
    return (*statements, Statement(f"d{result}", substitute(last.value, trees), last.span))


LISTED = re.compile(r"place\d*")


@in_line
def structured(line: Line, position: int, gradient: Any, upstream_name: str) -> Why | None:
    application = line.application
    assert application is not None
    value = line.tensor.value
    g = np.ones_like(value) if gradient is None else gradient
    values = [x.value if isinstance(x, Tensor) else x for x in application.inputs]
    if program := differential(application.primitive, value, values, application.options):
        return _change(line, program, upstream_name)
    forms = formulas(application.primitive, g, value, values, application.options, position)
    return None if forms is None else reason_in_names(line, position, forms, gradient, upstream_name)


@in_line
def operation(line: Line, at: int, gradient: Any, upstream_name: str, text: str, find: Finder | None) -> Why | None:
    """Return the formulas of an operation over `x0`, `x1`, ..., the inputs of its line; `find` finds other tensors."""
    result = line.tensor.value
    names = tuple(f"x{place}" for place in range(len(line.inputs)))
    forward, derived = read_formulas(text, names[at], "upstream")
    inputs = [x.tensor.value for x in line.inputs]
    extra = find(inputs) if find else {}
    values = dict(zip(names, inputs, strict=True))
    tensors = {"upstream": np.ones_like(result) if gradient is None else gradient, "out": result, **values}
    tensors.update({f"∂{name}": value for name, value in values.items()})
    tensors.update({name: value for name, (_, value) in extra.items()})
    spellings = [unparse(x.spelling) for x in line.inputs]
    words = {name: words.format(*spellings) for name, (words, _) in extra.items()}
    forms = Formulas(forward, derived, tensors, "upstream", "out", names, words)
    return reason_in_names(line, at, forms, gradient, upstream_name)


def reason_in_names(line: Line, position: int, forms: Formulas, gradient: Any, upstream_name: str) -> Why | None:
    """Return the formulas in the names of the program."""
    if forms.gradient is None:
        return None
    forms = replace(
        forms,
        forward=tuple(in_one_dimension(equation, forms.tensors) for equation in forms.forward),
        gradient=in_one_dimension(forms.gradient, forms.tensors),
    )
    assert forms.gradient is not None
    sizes = ranges(forms.gradient, forms.tensors)
    namer = ProgramNames(line, position, forms, upstream_name)
    beyond = outside(forms.gradient, forms.tensors, sizes)
    added = [equation for equation in forms.forward if not any(is_extreme(term) for term in parts(equation.right))]
    more = [name for equation in added for name in outside(equation, forms.tensors, ranges(equation, forms.tensors))]
    shapes = {namer.names.get(name, name): np.shape(forms.tensors[name]) for name in namer.mentioned}
    return Why(
        shapes=tuple(shapes.items()),
        forward=tuple(map(namer.equation, forms.forward)),
        gradient=namer.equation(forms.gradient),
        given=(
            *((namer.names.get(name, name), words) for name, words in forms.given.items() if name in namer.used),
            *namer.literals,
        ),
        outside=tuple(dict.fromkeys(namer.names.get(name, name) for name in (*beyond, *more))),
        is_sparse=is_sparse(forms.gradient, forms.tensors, sizes),
        entry=None if gradient is None else namer.worked(worked(forms.gradient, forms.tensors, sizes)),
    )


def is_extreme(term: Term) -> bool:
    """Return whether a term is a maximum or minimum, in which entries outside their tensor do not count."""
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
    result_value = line.tensor.value
    g = np.ones_like(result_value) if gradient is None else gradient
    operands = [
        Formula(x.written if not isinstance(value, Tensor) else Name(x.name), getattr(value, "value", value))
        for x, value in zip(line.inputs, application.inputs, strict=True)
    ]
    result, upstream = Formula(Name(line.name), result_value), Formula(Name(upstream_name), g)
    rule = application.primitive.rules_for(operands)[position]
    assert rule is not None
    slope = rule(upstream, result, *operands, **application.options)
    tensors = {x.name: x.tensor.value for x in line.inputs} | {line.name: result_value, upstream_name: g}
    tree = application.primitive.notation(operands, application.options)
    equations = summed_over_copies(line.name, line.inputs[position].name, tree, slope.tree, tensors)
    if equations is None:
        return None
    forward, derived = equations
    values = {**tensors, derived.left.name: line.inputs[position].tensor.value}
    mentioned = (term.name for term in parts(derived.right) if isinstance(term, Entry) and term.name in tensors)
    shapes = tuple((name, np.shape(tensors[name])) for name in dict.fromkeys(mentioned))
    entry = None if gradient is None else worked(derived, values, ranges(derived, values))
    return Why(shapes, (forward,), derived, entry=entry)


def _change(line: Line, program: Program, upstream_name: str) -> Why:
    """Return the differential of a line in the names of its program."""
    assert line.application is not None
    _, result, *inputs = names_of(line.application.primitive, len(line.inputs), 0)
    names = {result: line.name}
    for name, x in zip(inputs, line.inputs, strict=True):
        names.update({name: x.name, f"d{name}": f"d{x.name}"})
    shapes = {x.name: x.tensor.shape for x in line.inputs}
    shapes[upstream_name] = line.tensor.shape
    return Why(tuple(shapes.items()), differential=with_names(program, names, line.name))


class ProgramNames:
    """The names of the program in place of the declaration's."""

    def __init__(self, line: Line, position: int, forms: Formulas, upstream_name: str) -> None:
        self.names = {forms.upstream: upstream_name, forms.result: line.name}
        for name, x in zip(forms.inputs, line.inputs, strict=True):
            self.names[name] = x.name if x.tensor.shape else unparse(x.spelling)
        in_use = {line.name, upstream_name, *self.names.values()}
        assert forms.gradient is not None
        right = (t.tensor for t in parts(forms.gradient.right) if isinstance(t, Entry))
        sides = [side for equation in (*forms.forward, forms.gradient) for side in (equation.left, equation.right)]
        self.used = {t.tensor for side in sides for t in parts(side) if isinstance(t, Entry)}
        for name in sorted(forms.given.keys() & self.used):
            stem = f"place_{line.name}" if LISTED.fullmatch(name) else name  # or it has another value at another node
            self.names[name] = unused(stem, in_use)
            in_use.add(self.names[name])
        self.mentioned = [name for name in dict.fromkeys(right) if name in self.names]
        inputs_used = [x for name, x in zip(forms.inputs, line.inputs, strict=True) if name in self.used]
        spelled = [x for x in inputs_used if x.tensor.shape and not isinstance(x.spelling, Name)]
        self.literals = [(x.name, unparse(x.spelling)) for x in spelled]

    def equation(self, equation: Equation) -> Equation:
        left = mapped(equation.left, self.change)
        assert isinstance(left, Entry)
        return Equation(left, mapped(equation.right, self.change), equation.sizes)

    def worked(self, example: Worked | None) -> Worked | None:
        if example is None or example.entry is None:
            return example
        entry = mapped(example.entry, self.change)
        return replace(example, entry=entry) if isinstance(entry, Entry) else example

    def change(self, term: Term) -> Term:
        if not isinstance(term, Entry):
            return term
        gradient, tensor = "∂" * term.name.startswith("∂"), term.tensor.removeprefix("∂")
        return replace(term, name=f"{gradient}{self.names.get(tensor, tensor)}{'.flat' * term.is_flat}")
