"""Origins of nan and infinity: outside a domain, by overflow, or by operations such as inf - inf."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.explanation.lines import Line
from gradcli.explanation.model import Leaf, Local, Node, Note, Step
from gradcli.language.tree import Binary, Expression, Number, names
from gradcli.language.unparser import unparse


def values(lines: Sequence[Line]) -> Iterator[Note]:
    """The first value that is nan or infinite, where it came from finite ones; and the first nan made of infinities."""
    strange = [line for line in lines if not is_finite(line.tensor.value)]
    first = next((line for line in strange if all(is_finite(x.tensor.value) for x in line.inputs)), None)
    if first is None:
        return
    kind = kind_of(first.tensor.value)
    yield Note("not-finite", first.name, f"{page_name(first)} is {kind}{origin(first)}")
    for line in strange:
        if line is not first and has_nan(line.tensor.value) and not any(has_nan(x.tensor.value) for x in line.inputs):
            infinite = {
                x.part_of or x.name: signs(x.tensor.value) for x in line.inputs if not is_finite(x.tensor.value)
            }
            if infinite:
                causes = " and ".join(f"{name} is {value}" for name, value in infinite.items())
                yield Note("not-finite", line.name, f"{page_name(line)} is {kind_of(line.tensor.value)}, for {causes}")
                return


def page_name(line: Line) -> str:
    """Return the name on the page: for a part of an operation the operation's name, for a number its text."""
    is_number = line.application is None and not (line.is_variable or line.tensor.shape)
    return unparse(line.written) if is_number else line.part_of or line.name


def origin(line: Line) -> str:
    """Return why an operation on finite numbers gives none, as the end of a message."""
    if line.application is None:
        return " from the start" if line.is_variable or line.tensor.shape else ""
    primitive, options = line.application.primitive, line.application.options
    inside = primitive.domain_for(options).holds(*(x.tensor.value for x in line.inputs), **options)
    if line.smooth_for and not np.all(inside):
        return f", outside the domain: {unparse(line.written)} is finite and smooth for {line.smooth_for}"
    match line.written:
        case Binary("/", _, Number(0)):
            return f": {unparse(line.written)} divides by zero"
    return "" if has_nan(line.tensor.value) else f": {unparse(line.written)} overflows"


def gradients(nodes: Sequence[Node], steps: Sequence[Step]) -> Iterator[Note]:
    """The first contribution that is nan or infinite though its upstream is finite; and the first nan after that."""
    first = next((s for s in steps if not is_finite(s.contribution) and is_finite(s.upstream)), None)
    if first is not None:
        also = [s for s in steps if s.node == first.node and s.input != first.input and not is_finite(s.contribution)]
        addition = "".join(f", and {kind_of(s.contribution)} on the way to {s.input}" for s in also)
        yield Note("gradient-not-finite", first.node, _becomes(nodes, first) + addition + _product(nodes, first))
    before: dict[str, list[Step]] = {}
    for step in steps:
        terms = before.setdefault(step.input, [])
        terms.append(step)
        if has_nan(step.contribution):
            if step is not first and not has_nan(step.upstream):
                cause = "" if is_finite(step.upstream) else f", for it is {signs(step.upstream)} at {step.node}"
                yield Note("gradient-not-finite", step.node, _becomes(nodes, step) + (cause or _product(nodes, step)))
            return
        if has_nan(step.total):
            wholes = {node.id: node.part_of or node.id for node in nodes}
            parts = ", ".join(f"{signs(term.contribution)} from {wholes[term.node]}" for term in terms)
            message = f"the gradient of {step.input} is {kind_of(step.total)}, for it is a sum of inf and -inf: {parts}"
            yield Note("gradient-not-finite", step.input, message)
            return


def _becomes(nodes: Sequence[Node], step: Step) -> str:
    """Return on which edge a gradient ceases to be finite, by the names of operations, or of parts inside of one."""
    wholes = {node.id: node.part_of or node.id for node in nodes}
    above, below = wholes[step.node], wholes[step.input]
    if above == below:
        above, below = step.node, step.input
    return f"the gradient becomes {kind_of(step.contribution)} on the way from {above} to {below}"


def _product(nodes: Sequence[Node], step: Step) -> str:
    """Return why a contribution is not finite: an infinite derivative, or 0 times one; empty for other reasons."""
    node = next(node for node in nodes if node.id == step.node)
    infinite = [x for x in node.locals if x.value is not None and np.isinf(x.value).any()]
    if has_nan(step.contribution):
        return ", for 0 arrives where the derivative is infinite" if infinite and not np.all(step.upstream) else ""
    if not infinite or infinite[0].value is None:
        return ""
    cause, inputs = f": the derivative of {unparse(node.expression)} is infinite", set(node.inputs)
    if len(inputs) > 1:
        return cause
    (x,) = (node_ for node_ in nodes if node_.id in inputs)
    place = np.isinf(infinite[0].value)
    return f"{cause} where {x.name} is {np.broadcast_to(x.value, np.shape(place))[place].flat[0]:g}"


def signs(value: Any) -> str:
    """Return which infinities are in a value; of a number without one the number."""
    infinities = [name for name, sign in (("inf", math.inf), ("-inf", -math.inf)) if np.any(np.equal(value, sign))]
    return " and ".join(infinities) or (f"{float(value):g}" if np.ndim(value) == 0 else "finite numbers")


def has_nan(value: Any) -> bool:
    return math.isnan(value) if isinstance(value, float) else bool(np.isnan(value).any())


def is_finite(value: Any) -> bool:
    """Return whether no entry is nan or infinite."""
    return math.isfinite(value) if isinstance(value, float) else bool(np.isfinite(value).all())


def kind_of(value: Any) -> str:
    """`nan` or `infinite`, for one entry or some of many."""
    kind = "nan" if np.any(np.isnan(value)) else "infinite"
    count = int(np.count_nonzero(~np.isfinite(value)))
    return kind if np.ndim(value) == 0 else f"{kind} in {count} entr{'y' if count == 1 else 'ies'}"


# Gradients that are None or 0 because of an operation that lets none through, whatever the numbers are.


def stopped(leaf: Leaf, nodes: Sequence[Node], output: str, write: Callable[[Expression], str] = unparse) -> str:
    """Return which operation stops the gradient of a leaf: `floor(x) has the derivative 0`; empty where none does."""
    if leaf.gradient is None:
        node, why = _first(leaf, nodes, output, lambda local: True), "passes no gradient on"
    elif np.any(leaf.gradient):
        return ""
    else:
        able = [node for node in nodes if node.locals]  # what passes no gradient on brings no 0
        node, why = _first(leaf, able, output, lambda local: not is_flat(local)), "has the derivative 0"
    return f"{write(node.expression)} {why}" if node else ""


def is_flat(local: Local) -> bool:
    """Tell whether a local derivative is 0 at any point."""
    return isinstance(local.formula, Number) and local.formula.value == 0


def _first(leaf: Leaf, nodes: Sequence[Node], output: str, passes: Callable[[Local], bool]) -> Node | None:
    """Return the first node on the way from a leaf to the output through which no edge passes; None if one does."""
    needed = behind(nodes, output)
    below, stop = {leaf.node}, None
    for node in nodes:
        if node.id not in needed or below.isdisjoint(node.inputs or names(node.expression)) or node.id == leaf.node:
            continue
        if any(local.input in below and passes(local) for local in node.locals):
            below.add(node.id)
        else:
            stop = stop or node
    return None if output in below else stop


def behind(nodes: Iterable[Node], output: str) -> set[str]:
    """Return the nodes that the output is computed from, itself included."""
    by_id = {node.id: node for node in nodes}
    met, waiting = {output}, [output]
    while waiting:
        node = by_id[waiting.pop()]
        inputs = {x for x in node.inputs or names(node.expression) if x in by_id} - met
        met |= inputs
        waiting.extend(inputs)
    return met


# Gradients that vanish or explode on their way, and units that pass none on: saturated sigmoids, dead ReLUs.


VANISHED, EXPLODED = 1e-3, 1e3  # shares of the gradient at the output
LONG = 4  # operations between output and leaf: fewer are no chain


def vanishing_and_exploding(nodes: Sequence[Node], steps: Sequence[Step], leaves: Sequence[Leaf]) -> Iterator[Note]:
    """Yield notes on where the smallest gradient of a leaf vanished, and where the largest exploded."""
    seed = size(steps[0].upstream) if steps else 0.0
    shares = {node.id: size(node.grad) / seed for node in nodes if node.grad is not None} if seed else {}
    ends = sorted((share, leaf.node) for leaf in leaves if 0 < (share := shares.get(leaf.node, 0.0)) < np.inf)
    if not ends or (ends[0][0] >= VANISHED and ends[-1][0] <= EXPLODED):
        return
    sources = strongest(steps)
    (smallest, near), (largest, far) = ends[0], ends[-1]
    chain, factors = way(near, sources, shares)
    if smallest < VANISHED * min(factors) and len(chain) > LONG:  # one step alone has other causes
        at = next(node for node in chain if shares[node] < VANISHED)
        message = f"vanishes on its way to {near}: at {at} it falls below {VANISHED:g} of that at the output"
        yield Note("vanished", at, f"the gradient {message}, and {smallest:.2g} of it arrives")
    chain, factors = way(far, sources, shares)
    if largest > EXPLODED * max(factors) and len(chain) > LONG:
        at = next(node for node in chain if shares[node] > EXPLODED)
        message = f"explodes on its way to {far}: at {at} it rises above {EXPLODED:g} times that at the output"
        yield Note("exploded", at, f"the gradient {message}, and {largest:.2g} times that arrives")


def size(gradient: Any) -> float:
    """Return the root of the sum of squares, which sharing out among many entries changes little."""
    return abs(float(gradient)) if np.ndim(gradient) == 0 else float(np.linalg.norm(gradient))


def strongest(steps: Sequence[Step]) -> dict[str, str]:
    """Return by node the consumer from which most of its gradient comes; nan counts as nothing."""
    best: dict[str, tuple[float, str]] = {}
    for step in steps:
        strength = size(step.contribution)
        source = (0.0 if math.isnan(strength) else strength, step.node)
        best[step.input] = max(best.get(step.input, source), source)
    return {node: consumer for node, (_, consumer) in best.items()}


def way(leaf: str, sources: Mapping[str, str], shares: Mapping[str, float]) -> tuple[list[str], list[float]]:
    """Return the nodes from the output to a leaf, each the strongest source of the next, and the factors between."""
    nodes = [leaf]
    while nodes[-1] in sources:
        nodes.append(sources[nodes[-1]])
    chain = nodes[::-1]
    with np.errstate(all="ignore"):
        factors = [float(np.divide(shares[node], shares[above])) for above, node in pairwise(chain)]
    return chain, factors or [1.0]


FLAT = {"sigmoid": 0.25, "tanh": 1.0}  # by operation its greatest slope
SATURATED = 0.01  # of that slope: less counts as flat


def idle(nodes: Sequence[Node]) -> Iterator[Note]:
    """Saturated and dead units of each layer, counted; a unit of a batch is a column of its rows."""
    values = {node.id: node.value for node in nodes}
    for node in nodes:
        if not node.requires_grad or node.op not in ("relu", *FLAT):
            continue
        inputs = values[node.inputs[0]]
        is_flat = np.logical_and(np.less_equal(inputs, 0), np.less(inputs, 0).any())  # kinks alone have another note
        if node.op in FLAT:
            slopes = node.value * (1 - node.value) if node.op == "sigmoid" else 1 - node.value**2
            is_flat = slopes < SATURATED * FLAT[node.op]
        rows = np.shape(is_flat)[0] if np.ndim(is_flat) == 2 else 1
        units = np.atleast_1d(np.all(is_flat, axis=0) if rows > 1 else is_flat)
        if not units.any():
            continue
        share = f"{np.count_nonzero(units)} of {units.size} units of {node.name} are"
        count = share if units.size > 1 else f"{node.name} is"
        everywhere = f" in all {rows} rows" if rows > 1 else ""
        if node.op == "relu":
            message = f"{count} dead{everywhere}: relu is 0 there and passes no gradient on"
            yield Note("dead", node.id, message)
        else:
            message = f"{count} saturated{everywhere}: {node.op} passes on less than {SATURATED:.0%}"
            yield Note("saturated", node.id, f"{message} of the gradient that it passes on at 0")
