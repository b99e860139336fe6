"""The rules of differentiation themselves: signs, powers, products, quotients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import Guess, Mistake, Slip
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem, scaled, slope, sweep
from gradcli.homework.wording import wrapped

MINUS = frozenset(("sub", "neg", "rsub", "reciprocal", "div", "cos", "abs"))  # where a minus sign is in the rule

SIGN = Mistake(
    "sign", "slipped a sign", order=6, of_rule=True, hint="look again at each sign on the way through {node}"
)
POWER_RULE = Mistake(
    "power-rule",
    "kept the exponent, or dropped its factor",
    order=8,
    of_rule=True,
    hint="look again at the power rule at {node}: the factor in front and the exponent",
)
PRODUCT_OWN_FACTOR = Mistake("product-own-factor", "gave a product's factor its own value", order=9, of_rule=True)
QUOTIENT = Mistake(
    "quotient",
    "slipped in the quotient rule",
    order=10,
    of_rule=True,
    hint="look again at the quotient rule at {node}: the square, the order, the sign",
)


SIGN.ends(
    "-",
    "the sign of the whole has slipped",
    lambda problem, value: -value if np.asarray(value).dtype.kind == "f" else None,
)


def negated(g: Value, contribution: Value) -> Value:
    return -contribution


@SIGN.slips
def one_sign(problem: Problem) -> Iterator[Slip]:
    """One local derivative with the other sign."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        ratio = problem.ratio(edge.vertex, problem.graph.source(edge))
        yield Slip(
            edge.vertex,
            f"-{ratio} for {ratio}",
            f"the sign of {ratio} has slipped",
            {edge: negated},
            rank=0 if vertex.op in MINUS else 1,
        )


@SIGN.guesses
def every_sign(problem: Problem) -> Iterator[Guess]:
    what = problem.ratio(problem.of, problem.by) if problem.kind == "gradient" else problem.label(problem.by)
    is_absolute = problem.kind == "value" and problem.graph.vertices[problem.by].op == "abs"  # forgotten, not its sign
    if problem.truth.dtype.kind == "f" and not is_absolute:
        yield Guess(problem.by, f"-{what} for {what}", f"{what} has the other sign", -problem.truth)


def exponent(vertex: Any) -> Value | None:
    """Return the exponent of a power, `sqrt` and `reciprocal` included; None for another step."""
    fixed = {"sqrt": 0.5, "reciprocal": -1.0, "rsqrt": -0.5}
    if vertex.op == "pow_tensor":
        return vertex.operands[1]
    return vertex.options["exponent"] if vertex.op == "pow" else fixed.get(vertex.op)


@POWER_RULE.slips
def power(problem: Problem) -> Iterator[Slip]:
    """N x**n and x**(n-1) for n x**(n-1); the power rule used on an exponential."""
    for edge in problem.edges:
        vertex, x = problem.graph.vertices[edge.vertex], wrapped(problem.label(problem.graph.source(edge)))
        base, n = vertex.operands[0], exponent(vertex)
        if n is not None and vertex.op != "pow_tensor" and n in (0.5, -0.5, -1.0):
            base = np.power(vertex.value, 1 / n)  # on paper such a derivative is written with the result
        ratio, written = problem.ratio(edge.vertex, problem.graph.source(edge)), problem.label(edge.vertex)
        if n is not None and edge.position == 0:
            yield Slip(
                edge.vertex,
                f"{ratio} = n*{x}**n",
                f"you kept the exponent of {written}; it goes down by one",
                {edge: slope(n * np.power(base, 1.0 * n))},
            )
            yield Slip(
                edge.vertex,
                f"{ratio} = {x}**(n - 1)",
                f"you lowered the exponent of {written} and dropped the factor in front",
                {edge: slope(np.power(base, n - 1.0))},
            )
            if n > 2:
                message = f"the factor in front of the derivative of {written} is its exponent before it goes down"
                rule = f"{ratio} = (n - 1)*{x}**(n - 1)"
                yield Slip(edge.vertex, rule, message, {edge: slope((n - 1) * np.power(base, n - 1.0))}, rank=1)
        if vertex.op == "mul" and len({*vertex.sources}) == 1 and edge.position == 0:
            kept, rule = slope(vertex.value), f"{ratio} = n*{x}**n"
            message = f"you kept the exponent of the square {written}; it goes down by one"
            yield Slip(edge.vertex, rule, message, {edge: kept, Edge(edge.vertex, 1): kept})
        if vertex.op in ("exp", "pow_of") or (vertex.op == "pow_tensor" and edge.position == 1):
            exponential = vertex.operands[edge.position]
            foundation = np.e if vertex.op == "exp" else vertex.operands[0]
            yield Slip(
                edge.vertex,
                f"{ratio} = n*a**(n - 1)",
                f"{written} is an exponential: its variable is the exponent, and the power rule is not for it",
                {edge: slope(exponential * np.power(foundation, exponential - 1.0))},
            )


@PRODUCT_OWN_FACTOR.slips
def own_factor(problem: Problem) -> Iterator[Slip]:
    """d(uv)/du = u: one factor, or both."""
    for index, vertex in enumerate(problem.graph.vertices):
        if vertex.op not in ("mul", "dot") or not problem.reaches(index):
            continue
        swapped: dict[Edge, Change] = {}
        for position in vertex.rules:
            swapped[Edge(index, position)] = slope(vertex.operands[position])
            own = problem.label(vertex.sources[position])
            yield Slip(
                index,
                f"{problem.ratio(index, vertex.sources[position])} = {own}",
                f"the derivative of {problem.label(index)} by {own} is the other factor, not {own} itself",
                {Edge(index, position): swapped[Edge(index, position)]},
            )
            yield from inside_products(problem, Edge(index, position))
            yield from of_own_product(problem, Edge(index, position))
        if len(swapped) == 2:
            yield Slip(
                index,
                "each factor for the other",
                f"you swapped the factors of {problem.label(index)}: each one's derivative is the other",
                swapped,
                rank=1,
            )


def inside_products(problem: Problem, edge: Edge) -> Iterator[Slip]:
    """Own factors of a product of three: `k*b` for the derivative `k*a` of `k*a*b` by b."""
    graph, vertex = problem.graph, problem.graph.vertices[edge.vertex]
    other = vertex.sources[1 - edge.position]
    inner = graph.vertices[other] if other >= 0 and other not in graph.named else None
    if inner is None or inner.op != "mul":
        return
    own = vertex.operands[edge.position]
    for position, source in enumerate(inner.sources):
        if np.shape(own) == np.shape(inner.operands[position]):
            left = inner.operands[1 - position]
            name, factor = graph.label(graph.source(edge)), graph.label(source) if source >= 0 else "the other factor"
            message = f"in the derivative of {graph.label(edge.vertex)} by {name} you used {name} for {factor}"
            yield Slip(edge.vertex, f"{name} for {factor}", message, {edge: slope(own * left)}, rank=1)


def of_own_product(problem: Problem, edge: Edge) -> Iterator[Slip]:
    """Keep the own factor of a product that has a third: `k*a` for the derivative `k*b` of `k*a*b` by a."""
    graph, vertex = problem.graph, problem.graph.vertices[edge.vertex]
    source, other = graph.source(edge), vertex.sources[1 - edge.position]
    own = graph.vertices[source]
    for inner in own.sources if own.op == "mul" and source not in graph.named else ():
        if inner >= 0 and np.shape(graph.vertices[inner].value) == np.shape(vertex.operands[1 - edge.position]):
            name, factor = graph.label(inner), graph.label(other) if other >= 0 else "the other factor"
            message = f"in the derivative of {graph.label(edge.vertex)} by {name} you used {name} for {factor}"
            change = slope(graph.vertices[inner].value)
            yield Slip(edge.vertex, f"{name} for {factor}", message, {edge: change}, rank=1)


@PRODUCT_OWN_FACTOR.guesses
def product_of_derivatives(problem: Problem) -> Iterator[Guess]:
    """The product of the derivatives, u'v' for u'v + uv'."""
    for index, u, v in separate(problem, "mul"):
        yield Guess(
            index,
            "(u*v)' = u'*v'",
            f"you multiplied the derivatives of the factors of {problem.label(index)}; the product rule is u'*v + u*v'",
            replaced(problem, index, u * v),
        )


@QUOTIENT.slips
def quotients(problem: Problem) -> Iterator[Slip]:
    """The denominator not squared, and the sign of its part."""
    for index, vertex in enumerate(problem.graph.vertices):
        if vertex.op not in ("div", "reciprocal") or not problem.reaches(index):
            continue
        below = Edge(index, 1 if vertex.op == "div" else 0)
        written, v = problem.label(index), vertex.operands[below.position]
        if below.position not in vertex.rules:
            continue
        u = vertex.operands[0] if vertex.op == "div" else 1.0
        yield Slip(
            index,
            "-u*v'/v for -u*v'/v**2",
            f"you did not square the denominator of {written}",
            {below: slope(-u / v)},
        )
        yield Slip(
            index,
            "+u*v'/v**2 for -u*v'/v**2",
            f"what comes through the denominator of {written} has a minus sign",
            {below: slope(u / (v * v))},
        )
        if vertex.op == "div":
            message = f"the numerator of {written} is a factor in the derivative by its denominator"
            yield Slip(index, "-v'/v**2 for -u*v'/v**2", message, {below: slope(-1 / (v * v))}, rank=1)
        inner = problem.graph.vertices[vertex.sources[below.position]]
        if inner.op == "mul" and len(inner.rules) == 1:  # a number times the variable: it alone has the square
            (position,) = inner.rules
            message = f"you did not square the denominator of {written}"
            yield Slip(index, "-u*v'/v for -u*v'/v**2", message, {below: scaled(inner.operands[position])})
        if vertex.op == "div" and 0 in vertex.rules:
            message = f"the denominator of {written} is squared in the part of v' alone"
            yield Slip(index, "u'/v**2 for u'/v", message, {Edge(index, 0): slope(1 / (v * v))})
        if len(vertex.rules) == 2:
            above = Edge(index, 0)
            yield Slip(
                index,
                "(u'*v - u*v')/v for (u'*v - u*v')/v**2",
                f"you did not square the denominator of {written}",
                {above: slope(1.0), below: slope(-u / v)},
            )
            yield Slip(
                index,
                "(u*v' - u'*v)/v**2 for (u'*v - u*v')/v**2",
                f"the two parts of the numerator for {written} have each other's sign",
                {above: negated, below: negated},
            )


@QUOTIENT.guesses
def quotient_of_derivatives(problem: Problem) -> Iterator[Guess]:
    """The quotient of the derivatives, u'/v' for (u'v - uv')/v**2."""
    for index, u, v in separate(problem, "div"):
        if v != 0:
            yield Guess(
                index,
                "(u/v)' = u'/v'",
                f"you divided the derivatives of {problem.label(index)}; the quotient rule is (u'*v - u*v')/(v*v)",
                replaced(problem, index, u / v),
            )


def separate(problem: Problem, op: str) -> Iterator[tuple[int, Value, Value]]:
    """Yield the scalar nodes of an operation with both operands depending on `by`, and the derivatives of the two."""
    if problem.kind != "gradient" or np.ndim(problem.truth):
        return
    for index, vertex in enumerate(problem.graph.vertices):
        if vertex.op == op and len(vertex.rules) == 2 and problem.reaches(index) and not np.ndim(vertex.value):
            u, v = (_slope(problem, source) for source in vertex.sources)
            if u is not None and v is not None:
                yield index, u, v


def _slope(problem: Problem, vertex: int) -> Value | None:
    """Return the derivative of a vertex by the variable; None where it has none."""
    if vertex == problem.by:
        return 1.0
    return sweep(problem.graph, vertex, problem.own, stop=problem.stop).get(problem.by)


def replaced(problem: Problem, vertex: int, derivative: Value) -> Value:
    """Return the gradient with another derivative of one vertex in it."""
    right = sweep(problem.graph, vertex, problem.own, stop=problem.stop)[problem.by]
    return problem.truth + problem.totals[vertex] * (derivative - right)
