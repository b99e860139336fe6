"""The rules of differentiation themselves: signs, powers, products, quotients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import EdgeFacts, Guess, Mistake, Slip
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Edge
from gradcli.homework.solve.problem import Problem, scaled, slope, sweep
from gradcli.homework.wording import wrapped

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


@SIGN.rules()
def one_sign(edge: EdgeFacts) -> Iterator[Slip]:
    """One local derivative with the other sign."""
    rank = 0 if "minus" in edge.vertex.traits else 1
    yield edge.slip(f"-{edge.ratio} for {edge.ratio}", f"the sign of {edge.ratio} has slipped", scaled(-1.0), rank=rank)


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


@POWER_RULE.rules()
def power(edge: EdgeFacts) -> Iterator[Slip]:
    """N x**n and x**(n-1) for n x**(n-1)."""
    n, x, written = exponent(edge.vertex), wrapped(edge.input), edge.name
    if n is not None and edge.position == 0:
        is_by_result = edge.op != "pow_tensor" and n in (0.5, -0.5, -1.0)  # on paper it is written with the result
        base = np.power(edge.value, 1 / n) if is_by_result else edge.operands[0]
        message = f"you kept the exponent of {written}; it goes down by one"
        yield edge.with_derivative(f"n*{x}**n", message, n * np.power(base, 1.0 * n))
        message = f"you lowered the exponent of {written} and dropped the factor in front"
        yield edge.with_derivative(f"{x}**(n - 1)", message, np.power(base, n - 1.0))
        if n > 2:
            message = f"the factor in front of the derivative of {written} is its exponent before it goes down"
            yield edge.with_derivative(f"(n - 1)*{x}**(n - 1)", message, (n - 1) * np.power(base, n - 1.0), rank=1)
    if edge.op == "mul" and len({*edge.vertex.sources}) == 1 and edge.position == 0:
        kept = dict.fromkeys((edge.edge, Edge(edge.index, 1)), slope(edge.value))
        message = f"you kept the exponent of the square {written}; it goes down by one"
        yield Slip(edge.index, f"{edge.ratio} = n*{x}**n", message, kept)


@POWER_RULE.rules("exp", "pow_of", "pow_tensor")
def power_of_exponential(edge: EdgeFacts) -> Iterator[Slip]:
    """The power rule used on an exponential."""
    if edge.op != "pow_tensor" or edge.position == 1:
        n, base = edge.operands[edge.position], np.e if edge.op == "exp" else edge.operands[0]
        message = f"{edge.name} is an exponential: its variable is the exponent, and the power rule is not for it"
        yield edge.with_derivative("n*a**(n - 1)", message, n * np.power(base, n - 1.0))
        yield edge.with_derivative("n*a**n", message, n * edge.value, rank=2)


@PRODUCT_OWN_FACTOR.rules("mul", "dot")
def own_factor(edge: EdgeFacts) -> Iterator[Slip]:
    """d(uv)/du = u: one factor, or both; in a product of three also inside the other one, or inside its own."""
    message = f"the derivative of {edge.name} by {edge.input} is the other factor, not {edge.input} itself"
    yield edge.with_derivative(edge.input, message, edge.operands[edge.position])
    yield from inside_products(edge)
    yield from of_own_product(edge)
    if edge.position == 1 and len(edge.vertex.rules) == 2:
        swapped = {Edge(edge.index, place): slope(factor) for place, factor in enumerate(edge.operands)}
        message = f"you swapped the factors of {edge.name}: each one's derivative is the other"
        yield Slip(edge.index, "each factor for the other", message, swapped, rank=1)


def inside_products(edge: EdgeFacts) -> Iterator[Slip]:
    """Own factors of a product of three: `k*b` for the derivative `k*a` of `k*a*b` by b."""
    other = edge.vertex.sources[1 - edge.position]
    inner = edge.graph.vertices[other] if other >= 0 and other not in edge.graph.named else None
    operand = edge.operands[edge.position]
    for position, source in enumerate(inner.sources if inner is not None and inner.op == "mul" else ()):
        if inner is not None and np.shape(operand) == np.shape(inner.operands[position]):
            yield used_for(edge, edge.source, source, operand * inner.operands[1 - position])


def of_own_product(edge: EdgeFacts) -> Iterator[Slip]:
    """Keep the own factor of a product that has a third: `k*a` for the derivative `k*b` of `k*a*b` by a."""
    product, other = edge.graph.vertices[edge.source], 1 - edge.position
    for inner in product.sources if product.op == "mul" and edge.source not in edge.graph.named else ():
        if inner >= 0 and np.shape(edge.graph.values[inner]) == np.shape(edge.operands[other]):
            yield used_for(edge, inner, edge.vertex.sources[other], edge.graph.values[inner])


def used_for(edge: EdgeFacts, used: int, wanted: int, derivative: Value) -> Slip:
    """Return the slip in which the value by which a product is differentiated stands for a factor."""
    name = edge.problem.label(used)
    factor = edge.problem.label(wanted) if wanted >= 0 else "the other factor"
    message = f"in the derivative of {edge.name} by {name} you used {name} for {factor}"
    return edge.slip(f"{name} for {factor}", message, slope(derivative), rank=1)


@PRODUCT_OWN_FACTOR.guesses
def product_of_derivatives(problem: Problem) -> Iterator[Guess]:
    """The product of the derivatives, u'v' for u'v + uv'."""
    for index, u, v in separate(problem, "mul"):
        factors = f"the factors of {problem.label(index)}"
        message = f"you multiplied the derivatives of {factors}; the product rule is u'*v + u*v'"
        yield Guess(index, "(u*v)' = u'*v'", message, replaced(problem, index, u * v))


@QUOTIENT.rules("div", "reciprocal")
def quotients(edge: EdgeFacts) -> Iterator[Slip]:
    """The denominator not squared, and the sign of its part."""
    is_quotient, name = edge.op == "div", edge.name
    v = edge.operands[1 if is_quotient else 0]
    unsquared = f"you did not square the denominator of {name}"
    if is_quotient and edge.position == 0:
        if 1 in edge.vertex.rules:
            message = f"the denominator of {name} is squared in the part of v' alone"
            yield edge.slip("u'/v**2 for u'/v", message, slope(1 / (v * v)))
        return
    u = edge.operands[0] if is_quotient else 1.0
    yield edge.slip("-u*v'/v for -u*v'/v**2", unsquared, slope(-u / v))
    message = f"what comes through the denominator of {name} has a minus sign"
    yield edge.slip("+u*v'/v**2 for -u*v'/v**2", message, slope(u / (v * v)))
    if is_quotient:
        message = f"the numerator of {name} is a factor in the derivative by its denominator"
        yield edge.slip("-v'/v**2 for -u*v'/v**2", message, slope(-1 / (v * v)), rank=1)
    inner = edge.graph.vertices[edge.source]
    if inner.op == "mul" and len(inner.rules) == 1:  # a number times the variable: it alone has the square
        (position,) = inner.rules
        yield edge.slip("-u*v'/v for -u*v'/v**2", unsquared, scaled(inner.operands[position]))
    if len(edge.vertex.rules) == 2:
        above, whole = Edge(edge.index, 0), "(u'*v - u*v')/v**2"
        changes = {above: slope(1.0), edge.edge: slope(-u / v)}
        yield Slip(edge.index, f"(u'*v - u*v')/v for {whole}", unsquared, changes)
        message = f"the two parts of the numerator for {name} have each other's sign"
        negated = dict.fromkeys((above, edge.edge), scaled(-1.0))
        yield Slip(edge.index, f"(u*v' - u'*v)/v**2 for {whole}", message, negated)


@QUOTIENT.guesses
def quotient_of_derivatives(problem: Problem) -> Iterator[Guess]:
    """The quotient of the derivatives, u'/v' for (u'v - uv')/v**2."""
    for index, u, v in separate(problem, "div"):
        if v != 0:
            name = problem.label(index)
            message = f"you divided the derivatives of {name}; the quotient rule is (u'*v - u*v')/(v*v)"
            yield Guess(index, "(u/v)' = u'/v'", message, replaced(problem, index, u / v))


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
    return sweep(problem.graph, vertex, problem.changes, stop=problem.stop).get(problem.by)


def replaced(problem: Problem, vertex: int, derivative: Value) -> Value:
    """Return the gradient with another derivative of one vertex in it."""
    right = sweep(problem.graph, vertex, problem.changes, stop=problem.stop)[problem.by]
    return problem.truth + problem.totals[vertex] * (derivative - right)
