"""The forward pass: one operation replaced by another, and the derivatives go on from there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY, Primitive
from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import Guess, Mistake, Turn
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex
from gradcli.language.catalogue import FAMILY_OF

FORWARD_SLIP = Mistake(
    "forward-slip",
    "made a slip in the forward pass",
    order=22,
    is_late=True,
    hint="look again at {node} in the forward pass",
)

LAST = 5  # the rank: where a slip in a derivative gives the number too, that is likelier
SELDOM = LAST + 1  # the rank of slips so rare that a number alone does not show them
FAR = 10  # the rank of far-fetched mistakes, whichever they are
VERTICES = 80  # of a graph whose forward pass is looked into
ACTIVATIONS = ("sigmoid", "tanh", "relu")
VERSION = re.compile(r"(?P<name>\w+?)_(?P<number>\d+)")  # of a value that was changed in place
FUNCTIONS = ("sin", "cos", "exp", "log", "sqrt", "abs", *ACTIVATIONS)
Other = tuple[str, str, Vertex]  # the wrong rule, the sentence about it, the vertex as it became


def operated(
    vertex: Vertex, op: str, positions: tuple[int | float, ...], options: Mapping[str, Any] | None = None
) -> Vertex:
    """Return a vertex with another operation; a position is one of its operands, a float is a number."""
    primitive = declared(op)
    operands = tuple(vertex.operands[p] if isinstance(p, int) else np.float64(p) for p in positions)
    sources = tuple(vertex.sources[p] if isinstance(p, int) else -1 for p in positions)
    rules = {
        place: rule
        for place, (position, rule) in enumerate(zip(positions, primitive.rules, strict=False))
        if rule is not None and isinstance(position, int) and position in vertex.rules
    }
    with np.errstate(all="ignore"):
        value = primitive.forward(*operands, **(options or {}))
    return Vertex(vertex.line, value, operands, sources, rules, primitive, options or {})


def declared(op: str) -> Primitive:
    """Return a primitive by its name; the program may use none of its family, which is then still to be imported."""
    if op not in REGISTRY:
        import_module(f"gradcli.ops.{FAMILY_OF[op]}")
    return REGISTRY[op]


def itself(vertex: Vertex, position: int) -> Vertex:
    """Return a vertex that is one of its operands."""
    return operated(vertex, "mul", (position, 1.0))


def forward_turns(graph: Graph) -> Iterator[tuple[int, Other, int]]:
    """Yield the steps with the ways in which each goes wrong, and the rank of each way."""
    if len(graph.vertices) > VERTICES:
        return
    for index, vertex in graph.new():
        for make in MAKERS.get(vertex.op, ()) if vertex.primitive else ():
            try:
                found = list(make(graph, index))
            except FAILURES:
                continue
            rank = SELDOM if make in RARE else LAST
            yield from ((index, other, rank) for other in found if fits(other[2].value, vertex.value))


def fits(value: Any, other: Any) -> bool:
    return np.shape(value) == np.shape(other) and bool(np.isfinite(value).all())


@FORWARD_SLIP.turns
def replaced(graph: Graph) -> Iterator[Turn]:
    for index, (rule, message, vertex), rank in forward_turns(graph):
        yield Turn(index, rule, message, {index: vertex}, rank=rank)


@FORWARD_SLIP.guesses
def unchanged(problem: Problem) -> Iterator[Guess]:
    """A value as it was before it was changed in place."""
    name = problem.label(problem.by)
    found = VERSION.fullmatch(name)
    for known, vertex in problem.graph.names.items() if found and problem.kind == "value" else ():
        assert found
        other = VERSION.fullmatch(known)
        if vertex < problem.by and (known == found["name"] or (other and other["name"] == found["name"])):
            message = f"{found['name']} was changed in place after it had this value"
            yield Guess(problem.by, f"{known} for {name}", message, problem.graph.vertices[vertex].value, rank=LAST)


def names(graph: Graph, index: int) -> tuple[str, ...]:
    """Return the labels of a step and of its operands."""
    vertex = graph.vertices[index]
    operands = (graph.label(s) if s >= 0 else str(x) for s, x in zip(vertex.sources, vertex.operands, strict=True))
    return graph.label(index), *operands


def of_sum(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, a, b = names(graph, index)
    yield "- for +", f"in {out} you subtracted {b}; it is added", operated(vertex, "sub", (0, 1))
    yield "+ left out", f"in {out} you forgot {b}", itself(vertex, 0)
    yield "+ left out", f"in {out} you forgot {a}", itself(vertex, 1)
    yield "* for +", f"in {out} you multiplied; it is a sum", operated(vertex, "mul", (0, 1))


def of_difference(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, a, b = names(graph, index)
    taken, rest = (b, a) if vertex.op == "sub" else (a, b)
    yield "+ for -", f"in {out} you added {taken}; it is subtracted", operated(vertex, "add", (0, 1))
    yield "- left out", f"in {out} you forgot {taken}", itself(vertex, 0 if vertex.op == "sub" else 1)
    yield "- left out", f"in {out} you forgot {rest}", operated(vertex, "mul", (1 if vertex.op == "sub" else 0, -1.0))
    yield (
        "- left out",
        f"in {out} you forgot {rest}, and the minus sign",
        itself(vertex, 1 if vertex.op == "sub" else 0),
    )
    yield "turned round", f"you took the difference {out} the other way round", operated(vertex, "sub", (1, 0))


def of_product(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, a, b = names(graph, index)
    yield "* left out", f"in {out} you forgot the factor {b}", itself(vertex, 0)
    yield "* left out", f"in {out} you forgot the factor {a}", itself(vertex, 1)
    yield "+ for *", f"in {out} you added; it is a product", operated(vertex, "add", (0, 1))
    for place, source in enumerate(vertex.sources):
        if source < 0 and np.ndim(vertex.operands[place]) == 0 and vertex.operands[place] < 0:
            value = operated(vertex, "mul", (1 - place, float(-vertex.operands[place])))
            yield "- left out", f"in {out} you lost the minus sign", value
    yield "/ for *", f"in {out} you divided by {b}; it is a product", operated(vertex, "div", (0, 1))


def of_square(graph: Graph, index: int) -> Iterator[Other]:
    """A product in which one factor stands for both."""
    vertex = graph.vertices[index]
    out, a, b = names(graph, index)
    yield f"{a} twice", f"in {out} you used {a} for {b}", operated(vertex, "mul", (0, 0))
    yield f"{b} twice", f"in {out} you used {b} for {a}", operated(vertex, "mul", (1, 1))


def of_quotient(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, _, b = names(graph, index)
    yield "upside down", f"the quotient {out} is upside down", operated(vertex, "div", (1, 0))
    yield "* for /", f"in {out} you multiplied by {b}; it divides", operated(vertex, "mul", (0, 1))
    yield "/ left out", f"in {out} you forgot to divide by {b}", itself(vertex, 0)
    below = graph.vertices[vertex.sources[1]] if vertex.sources[1] >= 0 else None
    if below is not None and below.op == "mul" and vertex.sources[1] not in graph.named:
        for first, second in (below.operands, below.operands[::-1]):
            value = vertex.operands[0] / first * second
            yield "/a*b for /(a*b)", f"in {out} all of {b} divides", replace(vertex, value=value)


def of_power(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, x, *_ = names(graph, index)
    n = vertex.options["exponent"] if vertex.op == "pow" else vertex.operands[1]
    yield "the power left out", f"you forgot the exponent of {out}", itself(vertex, 0)
    if np.size(n) == 1:
        yield "n*x for x**n", f"you multiplied {x} by the exponent of {out}", operated(vertex, "mul", (0, float(n)))


def of_exponent(graph: Graph, index: int) -> Iterator[Other]:
    """A power with the exponent beside its own."""
    vertex, out = graph.vertices[index], graph.label(index)
    n = vertex.options.get("exponent", 0.5)
    if n == round(n) and n >= 2:
        message = f"you took another exponent for {out}"
        yield "x**(n + 1) for x**n", message, operated(vertex, "pow", (0,), {"exponent": n + 1})
        if n > 2:
            yield "x**(n - 1) for x**n", message, operated(vertex, "pow", (0,), {"exponent": n - 1})


def of_function(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out = graph.label(index)
    yield f"{vertex.op} left out", f"in {out} you forgot the {vertex.op}", itself(vertex, 0)
    swaps = {"sin": ["cos"], "cos": ["sin"], "exp": ["log"], "log": ["exp"]}
    others = swaps.get(vertex.op, [one for one in ACTIVATIONS if one != vertex.op and vertex.op in ACTIVATIONS])
    for other in others:
        yield f"{other} for {vertex.op}", f"you took the {other} for {out}", operated(vertex, other, (0,))
    if vertex.op in ("exp", "sigmoid"):
        changed = vertex.forward([-vertex.operands[0]])
        rules = {place: partial(_mirrored, rule) for place, rule in vertex.rules.items()}
        yield "-", f"in {out} the exponent has the other sign", replace(vertex, value=changed, rules=rules)


def _mirrored(rule: Any, g: Any, out: Any, x: Any) -> Any:
    return -rule(g, out, -x)


def of_choice(graph: Graph, index: int) -> Iterator[Other]:
    out = graph.label(index)
    yield (
        "turned round",
        f"in {out} you took each value where the other belongs",
        operated(graph.vertices[index], "where", (0, 2, 1)),
    )


def of_extreme(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, *_ = names(graph, index)
    other = "minimum" if vertex.op == "maximum" else "maximum"
    yield f"{other} for {vertex.op}", f"you took the {other} for {out}", operated(vertex, other, (0, 1))
    yield f"+ for {vertex.op}", f"you took the sum for {out}", operated(vertex, "add", (0, 1))


def of_negation(graph: Graph, index: int) -> Iterator[Other]:
    yield "- left out", f"in {graph.label(index)} you lost the minus sign", itself(graph.vertices[index], 0)


def of_addmm(graph: Graph, index: int) -> Iterator[Other]:
    vertex = graph.vertices[index]
    out, bias, *_ = names(graph, index)
    product = vertex.operands[1] @ vertex.operands[2]
    yield "+ left out", f"in {out} you forgot {bias}", replace(vertex, value=product)
    yield "- for +", f"in {out} you subtracted {bias}; it is added", replace(vertex, value=product - vertex.operands[0])


MAKERS: dict[str, tuple[Any, ...]] = {
    "add": (of_sum,),
    "sub": (of_difference,),
    "rsub": (of_difference,),
    "mul": (of_product, of_square),
    "div": (of_quotient,),
    "pow": (of_power, of_exponent),
    "pow_tensor": (of_power,),
    "neg": (of_negation,),
    "maximum": (of_extreme,),
    "where": (of_choice,),
    "minimum": (of_extreme,),
    "addmm": (of_addmm,),
    **dict.fromkeys(FUNCTIONS, (of_function,)),
}
RARE = (of_square, of_exponent)
