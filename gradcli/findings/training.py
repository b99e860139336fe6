"""Networks that do not learn: dead and saturated units, vanishing and exploding gradients, steps that are too long."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.tensor import Tensor
from gradcli.facts import dataclass
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.graphs import gradient_below, severity_of
from gradcli.findings.order import Ledger, held, state, updates
from gradcli.findings.spelling import Written, names_in, number, one_line, several, short, zero_words
from gradcli.findings.witness import (
    LARGEST,
    Operation,
    Pass,
    Place,
    Witness,
    creation,
    finite,
    leads,
    module_class,
    optimizer_class,
    restored,
    value_of,
)
from gradcli.script.failure import message_of

DEAD = Cause("dead-units", "warning", order=3, answers=("dead", "zero-gradient", "not-updated"))
SATURATED = Cause("saturated", "warning", order=3, answers=("saturated", "zero-gradient", "vanished", "not-updated"))
VANISHING = Cause("vanishing", "warning", order=4, answers=("vanished",))
EXPLODING = Cause("exploding", "warning", order=4, answers=("exploded",))
DIVERGING = Cause(
    "diverging",
    "warning",
    order=1,
    answers=("not-finite", "gradient-not-finite"),
    follows=("accumulated", "broadcast-loss", "not-called"),
)
FLAT = Cause("flat", "warning", order=2, answers=("flat", "constant"))
SYMMETRIC = Cause("symmetric-start", "warning", order=3)
VANISHED, EXPLODED, LAYERS = 1e-6, 1e5, 5  # of the gradient at the last layer; layers that make a chain
FAINT = 1e-4  # of the gradient at the last layer, where it is shown that another activation keeps it
MOST_PARAMETERS = 64
MUCH = 1e3  # times: what another form of a network has to make of a gradient
BOTTOMLESS = 1e4  # times the size of the first loss, below 0: where a loss that has a lowest value does not get


@dataclass
class Course:
    """The losses of the passes that a line starts: the first, the extremes, the latest."""

    place: Place
    count: int = 0
    first: float = math.nan
    least: float = math.inf
    latest: list[float] = field(default_factory=list)
    curvature: float = 0.0
    names: list[str] = field(default_factory=list)
    before: dict[int, tuple[Any, Any]] = field(default_factory=dict)  # by leaf: value and gradient of the last pass
    trained: int = 0  # rounds that changed a leaf of the round before
    has_grown: bool = False
    made: Place | None = None  # the statement that computed the loss
    uphill: list[float] = field(default_factory=list)  # of each early round, its movement along the gradient before

    def is_growing(self) -> bool:
        """Whether the loss has grown a lot, and goes on."""
        known = [x for x in self.latest if math.isfinite(x)]
        if self.count < 3 or not self.trained or len(known) < 2 or not math.isfinite(self.first):
            return False
        steadily = all(abs(b) > abs(a) for a, b in pairwise(known))
        top = abs(known[-1])
        return steadily and top > 100 * max(abs(self.first), abs(self.least)) and top > 10


class Courses:
    """The courses of a run, by the place of the pass."""

    def __init__(self) -> None:
        self.of: dict[tuple[str, int], Course] = {}


@DIVERGING.on("often")
@DIVERGING.on("arrival")
def followed(witness: Witness, done: Pass) -> None:
    """Note the loss, and for the first rounds the curvature that two gradients show."""
    if done.inputs is not None or done.output.value.size != 1 or done.output.value.dtype.kind != "f":
        return
    courses, loss = witness.of(Courses).of, float(done.output.value.item())
    course = courses.get(done.place.key)
    if course is None:
        course = courses[done.place.key] = Course(done.place)
    course.count += 1
    if course.count == 1:
        course.first = loss
        course.names = [witness.name(leaf) for leaf, _, _ in done.arrivals[:3]]
        course.made = witness.place_of(done.output.node)
    if math.isfinite(loss):
        course.least = min(course.least, abs(loss))
    course.latest = [*course.latest[-3:], loss]
    if course.count <= 4:
        moved = changed = uphill = 0.0
        for leaf, gradient, _ in done.arrivals[:MOST_PARAMETERS]:
            now = np.array(leaf.value, float), np.array(gradient, float)
            if id(leaf) in course.before:
                w, g = course.before[id(leaf)]
                if w.shape == now[0].shape and g.shape == now[1].shape:
                    with np.errstate(all="ignore"):
                        moved += float(np.sum((now[0] - w) ** 2))
                        changed += float(np.sum((now[1] - g) ** 2))
                        uphill += float(np.sum((now[0] - w) * g))
            course.before[id(leaf)] = now
        course.trained += moved > 0
        course.uphill += [uphill] if moved > 0 else []
        if moved > 0 and math.isfinite(changed):
            course.curvature = max(course.curvature, math.sqrt(changed / moved))
    if course.is_growing():
        course.has_grown = True
    elif math.isfinite(loss) and abs(loss) < 100 * max(abs(course.first), course.least):
        course.has_grown = False


@DIVERGING.on("end")
def diverged(witness: Witness) -> Iterator[Finding]:
    ledger = witness.of(Ledger)
    for course in witness.of(Courses).of.values():
        if not course.has_grown:
            continue
        optimizers = [(key, value) for key, value in witness.objects(optimizer_class()) if value in ledger.steps]
        if course.latest[-1] < course.first and any(not x.param_groups[0].get("maximize") for _, x in optimizers):
            if course.latest[-1] < -BOTTOMLESS * max(1.0, abs(course.first)):
                yield bottomless(course)
            continue  # it falls, which is what the steps are for
        if len(course.uphill) > 1 and min(course.uphill) > 0:
            if any(x.param_groups[0].get("maximize") for _, x in optimizers):
                continue  # as it was asked to
            yield climbed(witness, course, optimizers[0] if optimizers else None)
            continue
        place, instead, rate = course.place, None, ""
        about = [*course.names, course.place.written.text.removesuffix(".backward()")]
        name, optimizer = optimizers[0] if optimizers else ("", None)
        made = creation(witness, name) if optimizer is not None else None
        lr = optimizer.param_groups[0].get("lr") if made is not None and optimizer is not None else None
        rate_at = rate_by_hand(witness, course) if not optimizers else None
        if rate_at is not None:
            made, lr = rate_at
            about.append(made.written.target())
        if made is not None:
            about, place = [*about, name], made
            limit = 2 / course.curvature if course.curvature > 0 else math.inf
            if isinstance(lr, float | int) and course.curvature > 0:
                if lr > limit:
                    rate = (
                        f"lr = {lr:g} is above 2 / {course.curvature:.3g} = {limit:.2g}, where "
                        f"{course.curvature:.3g} is the curvature that the first gradients show"
                    )
                better = float(f"{limit / 2 if lr > limit else lr / 10:.1g}")
                instead = made.written.with_rate(better) or made.written.text
        last = course.latest[-1]
        message = (
            f"the loss grows from {course.first:.4g} to {last:.4g} in {course.count} rounds: each step is "
            "too long (lr, the learning rate)."
        )
        because = (
            f"{rate}." if rate else f"a curvature of about {course.curvature:.3g} was seen." if course.curvature else ""
        )
        yield DIVERGING.finding(place, ", ".join(about), message, because, instead, see=[course.place.line])


def rate_by_hand(witness: Witness, course: Course) -> tuple[Place, float] | None:
    """Return the statement with the learning rate of an update that the snippet writes itself, and the rate."""
    leaves = [x for x in witness.of(Ledger).accounts if witness.name(x) in course.names]
    for place in (x for leaf in leaves for x in updates(witness, leaf)):
        for product in place.written.nodes():
            sides = [product.left, product.right] if isinstance(product, ast.BinOp) else []
            if not any(isinstance(x, ast.Attribute) and x.attr == "grad" for x in sides):
                continue
            for side in sides:
                if isinstance(side, ast.Constant) and isinstance(side.value, float | int):
                    return place, float(side.value)
                made = creation(witness, side.id) if isinstance(side, ast.Name) else None
                value = getattr(made.node, "value", None) if made is not None else None
                if made is not None and isinstance(value, ast.Constant) and isinstance(value.value, float | int):
                    return made, float(value.value)
    return None


def climbed(witness: Witness, course: Course, optimizer: tuple[str, Any] | None) -> Finding:
    """State that each step goes along the gradient, so that the loss grows: a sign is wrong."""
    leaves = [x for x in witness.of(Ledger).accounts if witness.name(x) in course.names]
    places = [x for leaf in leaves for x in updates(witness, leaf)]
    made = creation(witness, optimizer[0]) if optimizer is not None else None
    place = places[0] if optimizer is None and places else made or course.place
    node, instead = place.node, None
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        instead = f"{short(node.target)} -= {short(node.value)}"
    names = several(course.names)
    message = f"the loss grows from {course.first:.4g} to {course.latest[-1]:.4g} in {course.count} rounds: "
    message += f"{names} {'goes' if len(course.names) == 1 else 'go'} along the gradient, which is uphill."
    because = "in each round that was compared, the step has the sign of the gradient; to go down, subtract it."
    about = ", ".join([*course.names, optimizer[0] if optimizer else ""])
    return DIVERGING.finding(place, about, message, because, instead, see=[course.place.line])


def bottomless(course: Course) -> Finding:
    """State that a loss falls to where no loss ends: the steps are right for what has no lowest value."""
    message = f"the loss falls from {course.first:.4g} to {course.latest[-1]:.4g} in {course.count} rounds: "
    message += "it has no lowest value here."
    because = "each step goes down, as it should; look at the sign of the loss."
    loss = course.place.written.text.removesuffix(".backward()")
    about, at = ", ".join([*course.names, loss]), course.made or course.place
    return DIVERGING.finding(at, about, message, because, see=[course.place.line])


class Layers:
    """What the passes of a run showed of the layers: the activations whose units were alive, by place.

    What is known of an output of one unit, and of weights that no optimizer holds, is told when the run is over.
    """

    def __init__(self) -> None:
        self.alive: dict[tuple[Any, ...], int] = {}
        self.outputs: dict[tuple[Any, ...], tuple[list[tuple[Tensor, Any]], Finding]] = {}
        self.flat: list[tuple[list[Tensor], Finding]] = []


def leaf_below(node: Node, done: Pass) -> list[Tensor]:
    """Return the leaves that enter the operations right below a node, through changes of shape alone."""
    leaves: dict[int, Tensor] = {}
    waiting: list[Any] = [(edge, 0) for edge in node.edges]
    seen: set[Any] = set()  # a node that many ways lead to is looked at once
    while waiting:
        edge, depth = step = waiting.pop()
        if step in seen:
            continue
        seen.add(step)
        if isinstance(edge, AccumulateGrad):
            leaves[id(edge.variable)] = edge.variable
        elif isinstance(edge, Node):
            depth += "matrix" in edge.primitive.traits
            waiting += [(other, depth) for other in edge.edges if depth < 2]
    return list(leaves.values())


SLOPES: dict[str, Callable[[Any], Any]] = {  # as a share of the largest, by the result
    "sigmoid": lambda out: 4 * out * (1 - out),
    "tanh": lambda out: 1 - out * out,
}
SOFTMAXES = ("softmax", "log_softmax")
FLAT_SLOPE = 0.01
UNSCALED = 20  # the size of an input from which sigmoid and tanh are flat, and of data that are not scaled
FLAT_SHARE = 0.75  # of the entries: sensible weights and inputs leave next to none so flat


@DEAD.on("arrival", closely=True)
def dead(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that every unit of a layer is 0 in every row."""
    if not done.is_surveyed or done.inputs is not None:
        return
    zero = {id(leaf) for leaf, gradient, _ in done.arrivals if not np.any(gradient)}
    number_of = 0
    for node in done.order:
        if node.primitive.name != "relu":
            continue
        number_of += 1
        place = witness.place_of(node)
        value = np.asarray(done.outs[node])
        if place is None or value.ndim < 2 or value.shape[0] < 2:
            continue
        key = place.key, number_of
        units = value.shape[1] if value.ndim == 4 else value.shape[-1]
        arrived = done.totals.get(node)
        if np.any(value):
            witness.of(Layers).alive.setdefault(key, done.number)
            witness.of(Layers).outputs.pop(key, None)
            continue
        leaves = [x for x in leaf_below(node, done) if id(x) in zero]
        if not leaves or arrived is None or not np.any(arrived):
            continue
        names = list(dict.fromkeys(witness.name(x) for x in leaves))
        alive = witness.of(Layers).alive.get(key)
        ledger = witness.of(Ledger)
        steps = next((s for s in ledger.steps.values() if s.latest is not None), None)
        layer = names[0].rpartition(".")[0] or names[0]
        since = f" since pass {done.times}" if done.times > 1 else ""
        message = (
            f"{f'all {units} units' if units > 1 else 'the unit'} of the relu behind {layer} "
            f"{'are' if units > 1 else 'is'} dead{since}: 0 in all {value.shape[0]} rows, so no gradient passes."
        )
        because = zero_words(names)
        instead = with_activation(witness, "ReLU", "LeakyReLU") or "nn.LeakyReLU() in place of ReLU"
        low = next((x for x in leaves if x.ndim == 1 and np.all(x.value < -1)), None)
        if low is not None:
            because += f"; {witness.name(low)} is {float(np.max(low.value)):.4g} at most"
            instead = f"torch.nn.init.zeros_({witness.name(low)})  # before training"
        at, holder = place, ""
        if alive is not None and steps is not None and steps.latest is not None:
            holder, optimizer = next(iter(witness.objects(optimizer_class())), ("", None))
            lr = optimizer.param_groups[0].get("lr") if optimizer is not None else None
            made = creation(witness, holder) if holder else None
            because += f"; before the step of line {steps.latest.line} they were alive" + (
                f" (lr = {lr:g})" if isinstance(lr, float | int) else ""
            )
            if made is not None and isinstance(lr, float | int):
                instead = made.written.with_rate(float(f"{min(lr / 100, 0.01):.1g}")) or instead
        about = ", ".join([layer, *names, *([holder] if holder else [])])
        finding = DEAD.finding(at, about, message, because + ".", instead, see=[done.place.line])
        if units > 1:
            yield finding
        else:
            witness.of(Layers).outputs.setdefault(key, ([(x, state(x)) for x in leaves], finding))
        return


@DEAD.on("end")
def for_good(witness: Witness) -> Iterator[Finding]:
    """State what the rest of the run has not disproved: the one unit stayed dead, the flat layer was trained."""
    layers, accounts = witness.of(Layers), witness.of(Ledger).accounts
    for kept, finding in layers.outputs.values():
        if all(before == state(x) for x, before in kept):
            yield finding
    if not any(finding.code == "saturated" for finding in witness.findings.values()):
        owned, moved = held(witness), {id(x) for x, account in accounts.items() if account.ever_moved}
        yield from [y for leaves, y in layers.flat if not (owned.keys() | moved).isdisjoint(map(id, leaves))][:1]


@SATURATED.on("arrival", closely=True)
def alone(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a softmax or a normalisation goes over one entry, so that its result never changes."""
    for node in done.order if done.zeros else ():
        name, place = node.primitive.name, witness.place_of(node)
        sizes = [np.shape(done.outs[node])[node.options.get("dim") or 0]] if name in SOFTMAXES else [0]
        if name == "layer_norm":
            sizes = list(node.options.get("normalized_shape") or [0])
        leaves = [leaf for leaf in done.zeros if leads(node, leaf)]
        if place is None or not leaves or math.prod(sizes) != 1:
            continue
        names, out = [witness.name(leaf) for leaf in leaves], values(done.outs[node])
        message = f"{place.written.target() or place.written.text} goes through {name} over one entry, whose result is "
        message += f"always {out}: its derivative is 0."
        because = f"{zero_words(names)} after the pass of line "
        more = "torch.sigmoid for one number, or an output for each class" if name in SOFTMAXES else None
        yield SATURATED.finding(place, ", ".join(names), message, f"{because}{done.place.line}.", more)


@SATURATED.on("arrival", closely=True)
def saturated(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a softmax, sigmoid or tanh passes nothing on, because it is flat there."""
    if not done.is_surveyed or any(finding.code == "saturated" for finding in witness.findings.values()):
        return
    zero = {
        id(leaf): leaf
        for leaf, gradient, _ in done.arrivals
        if np.size(gradient) and not np.any(np.abs(gradient) > 1e-30)
    }
    if not zero:
        return
    for node in done.order:
        name = node.primitive.name
        if "saturating" not in node.primitive.traits:
            continue
        arrived = done.totals.get(node, 1.0 if node is done.output.node else 0.0)
        place = witness.place_of(node)
        edge = node.edges[0] if node.edges else None
        if place is None or edge is None or not np.any(arrived) or np.any(np.abs(done.totals.get(edge, 0)) > 1e-30):
            continue
        out = np.asarray(done.outs[node])
        flat = np.all((out == 0) | (np.abs(out) == 1))
        if not flat or not finite(out) or not varied(arrived, node):
            continue
        leaves = [leaf for leaf in zero.values() if leads(node, leaf)]
        if not leaves:
            continue
        calls = place.written.calls(name)
        x = place.written.argument(calls[0]) if calls else None
        words = short(calls[0]) if calls and short(calls[0]) else name
        size = witness.of(Sizes).of.get(id(node), 0.0)
        names = list(dict.fromkeys(witness.name(leaf) for leaf in leaves))
        given = short(x) if x is not None else "its input"
        message = (
            f"{words} is flat here: {given} reaches {size:.4g}, so every entry is exactly {values(out)} and "
            f"the derivative of {name} is 0."
        )
        because = f"{zero_words(names)} after the pass of "
        because += f"line {done.place.line}{(data := witness.of(Sizes).words(node))[0]}."
        scale = 10 ** max(int(math.log10(size)), 1) if size > 1 else 10
        instead = place.written.with_(x, f"({ast.unparse(x)}) / {scale}") if x is not None else data[1]
        inner = names_in(x)
        yield SATURATED.finding(
            place,
            ", ".join([*names, *inner, place.written.target()]).strip(", "),
            message,
            because,
            instead,
            see=[done.place.line],
        )
        return


@SATURATED.on("arrival", closely=True)
def nearly_saturated(witness: Witness, done: Pass) -> None:
    """State that most units of a hidden layer are flat at the start, by the size of its weights or inputs."""
    if (
        done.times > 1
        or done.inputs is not None
        or any(finding.code == "saturated" for finding in witness.findings.values())
    ):
        return
    for node in done.order:
        name, out = node.primitive.name, np.asarray(done.outs[node])
        place, leaves = witness.place_of(node), leaf_below(node, done)
        if name not in SLOPES or place is None or out.ndim < 2 or not leaves or not finite(out):
            continue
        share = float(np.mean(SLOPES[name](out) < FLAT_SLOPE))
        is_hidden = any("matrix" in other.primitive.traits for other in done.consumers(node))
        if share < FLAT_SHARE or not is_hidden:
            continue
        size = witness.of(Sizes).of.get(id(node), 0.0)
        names = list(dict.fromkeys(witness.name(leaf) for leaf in leaves))
        calls = place.written.calls(name)
        words = short(calls[0]) if calls and short(calls[0]) else name
        message = (
            f"{words} is flat in {share:.0%} of its entries at the start: its input reaches {size:.4g}, and there the "
            f"slope of {name} is below {FLAT_SLOPE:g} of its largest."
        )
        weights = ", ".join(f"{witness.name(x)} up to {np.max(np.abs(x.value)):.3g}" for x in leaves if x.value.size)
        data, instead = witness.of(Sizes).words(node)
        because = f"so little of the gradient comes to {several(names)}; the weights: {weights}{data}."
        about = ", ".join([*names, *place.written.subjects()])
        finding = SATURATED.finding(place, about, message, because, instead, see=[done.place.line])
        witness.of(Layers).flat.append((leaves, finding))
        return


def varied(arrived: Any, node: Node) -> bool:
    """Return whether what arrives at a softmax differs among its entries; equal parts cancel anyway."""
    return node.primitive.name != "softmax" or np.size(arrived) < 2 or bool(np.ptp(np.asarray(arrived)) > 0)


def values(out: Any) -> str:
    numbers = sorted({float(x) for x in np.unique(out)})[:3]
    return " or ".join(f"{x:g}" for x in numbers)


class Sizes:
    """The largest input of each softmax, sigmoid and tanh, and the data behind it, by node, while a pass runs."""

    def __init__(self) -> None:
        self.of: dict[int, float] = {}
        self.data: dict[int, tuple[str, float]] = {}

    def words(self, node: Node) -> tuple[str, str | None]:
        """Return a sentence about data that makes the input of a node large, and the statement that scales them."""
        name, size = self.data.get(id(node), ("", 0.0))
        if size < UNSCALED:
            return "", None
        scaled = f"{name} = ({name} - {name}.mean(0)) / {name}.std(0)  # before training" if name else None
        return f"; the data {name or 'that enter the layer'} reach {size:.4g} and are not scaled", scaled


@SATURATED.on("pass", closely=True)
def sizes(witness: Witness, done: Pass) -> None:
    maxima, data = witness.of(Sizes).of, witness.of(Sizes).data
    maxima.clear()
    data.clear()
    for node in done.order:
        if node.primitive.name in ("softmax", "sigmoid", "tanh") and node.inputs:
            maxima[id(node)] = largest(value_of(node.inputs[0]))
            if maxima[id(node)] > UNSCALED:
                behind = data_behind(node)
                data[id(node)] = "" if behind is None else witness.known(behind), largest(value_of(behind))


def largest(value: Any) -> float:
    sizes = np.abs(np.asarray(0.0 if value is None else value, float))
    return float(np.max(sizes, initial=0.0, where=np.isfinite(sizes)))


def data_behind(node: Any) -> Tensor | None:
    """Return what enters the layer right below a node, if it is data without a graph."""
    for _ in range(4):
        inputs = [x for x in getattr(node, "inputs", None) or () if isinstance(x, Tensor)]
        if isinstance(node, Node) and "matrix" in node.primitive.traits:
            return next((x for x in inputs if x.node is None), None)
        node = next((x.node for x in inputs if isinstance(x.node, Node)), None)
    return None


@VANISHING.on("arrival", closely=True)
def chained(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that the gradient shrinks or grows by a factor at each of many layers."""
    if not done.is_surveyed or done.inputs is not None or done.times > 1:
        return
    best, uses = sizes_by_depth(done, done.totals)
    if len(best) >= LAYERS:
        yield from of_chain(witness, done, best[min(best)], best[max(best)], max(best) - min(best), uses, "gradient")


def grown(witness: Witness, done: Pass) -> Finding | None:
    """Return the finding that values have grown layer by layer until they were infinite."""
    best, uses = sizes_by_depth(done, done.outs)
    best = {depth: size for depth, size in best.items() if math.isfinite(size[0])}
    if len(best) < LAYERS:
        return None
    first, last = best[min(best)], best[max(best)]
    chain = of_chain(witness, done, (last[0], first[1]), (first[0], last[1]), max(best) - min(best), uses, "values")
    return next((finding for finding in chain if finding.code == EXPLODING.code), None)


def of_chain(
    witness: Witness,
    done: Pass,
    first: tuple[float, Node],
    last: tuple[float, Node],
    steps: int,
    uses: Counter[Tensor],
    what: str,
) -> Iterator[Finding]:
    """State by which factor sizes shrink or grow from the last layer to the first; of values it is the other way."""
    if not (math.isfinite(first[0]) and math.isfinite(last[0])) or first[0] == 0 or last[0] == 0:
        return
    ratio = first[0] / last[0]
    factor = ratio ** (1 / steps)
    node, place = first[1], witness.place_of(first[1])
    if not ((ratio < FAINT and factor < 0.35) or (ratio > EXPLODED and factor > 1.2)) or place is None:
        return
    cause = VANISHING if ratio < 1 else EXPLODING
    again = [x for x, count in uses.items() if 2 * count >= steps and count > 2 and x.ndim == 2]
    again.sort(key=lambda x: x.shape[0] != x.shape[1])  # the state has a square matrix
    leaves = again or [x for x in direct_leaves(node) if x.ndim >= 2] or leaf_below(node, done)
    weights = [witness.name(x) for x in leaves]
    verb = "shrinks" if ratio < 1 else "grows"
    message = f"the gradient {verb} by a factor of about {factor:.2g} at each of {steps + 1} "
    message += f"{'step' if again else 'layer'}s: the first one gets {ratio:.2g} of what the last gets."
    if what == "values":
        message = f"the values grow by a factor of about {factor:.2g} at each of {steps + 1} "
        message += f"{'step' if again else 'layer'}s, until they are above what {done.output.dtype} can hold."
    squares = [x for x in again if x.shape[0] == x.shape[1] and finite(x.value)]
    spread = of_spread(witness, leaves, cause)
    if squares:
        radius = max(float(np.max(np.abs(np.linalg.eigvals(np.asarray(x.value, float))))) for x in squares)
        because = f"the largest eigenvalue of {weights[0]} is {radius:.3g}, and {steps + 1} steps multiply by it"
        held_down = f"with torch.no_grad(): {weights[0]} *= {0.9 / (radius or 1):.2g}  # at the start"
        spread = because, held_down if cause is EXPLODING else None
    flatter = of_sigmoid(witness, done, leaves[:1]) if cause is VANISHING and not squares else None
    if VANISHED < ratio < FAINT and flatter is None:
        return
    because, instead = flatter or spread
    gradient = next((g for leaf, g, _ in done.arrivals if leaves and leaf is leaves[0]), None)
    if gradient is not None and weights and finite(gradient):
        because += f"{'; ' if because else ''}{weights[0]}.grad is {number(gradient)}"
    severity = "note" if again and cause is VANISHING else ""  # a long sequence forgets its beginning
    about = ", ".join(dict.fromkeys(weights)) or place.written.target()
    because = f"{because}." if because else ""
    yield cause.finding(place, about, message, because, instead, severity, [done.place.line])


def sizes_by_depth(done: Pass, values: Mapping[Any, Any]) -> tuple[dict[int, tuple[float, Node]], Counter[Tensor]]:
    """Return the largest of values at each number of layers, with its node, and how often weights are used."""
    depths: dict[Any, int] = {}
    best: dict[int, tuple[float, Node]] = {}
    uses: Counter[Tensor] = Counter()
    for node in done.order:
        is_layer = "matrix" in node.primitive.traits and np.ndim(done.outs[node]) >= 1
        depth = depths[node] = max((depths.get(edge, 0) for edge in node.edges), default=0) + is_layer
        value = values.get(node)
        if is_layer:
            leaves = direct_leaves(node)
            is_link = sum(edge is not None for edge in node.edges) > len(leaves)  # and no product with data alone
            uses.update(leaves if is_link else ())
        if is_layer and value is not None:
            norm = float(np.linalg.norm(np.asarray(value, float).ravel()))  # whose square is above float32
            if depth not in best or norm > best[depth][0]:
                best[depth] = norm, node
    return best, uses


def of_sigmoid(witness: Witness, done: Pass, leaves: list[Tensor]) -> tuple[str, str | None] | None:
    """Return that sigmoid makes the gradient vanish, if it is much larger with tanh, and what is written then."""
    from gradcli.ops.support.calling import ops

    if not leaves or not any(node.primitive.name == "sigmoid" for node in done.order):
        return None
    with restored(done.held):
        other = witness.instead(done, {}, {"sigmoid": ops.tanh})
    now = next((np.linalg.norm(g) for leaf, g, _ in done.arrivals if leaf is leaves[0]), 0.0)
    then = np.linalg.norm(other[1][leaves[0]]) if other is not None and leaves[0] in other[1] else 0.0
    if not then > MUCH * now:
        return None
    because = f"the slope of sigmoid is 0.25 at most; with tanh in its place {witness.name(leaves[0])}.grad is of norm "
    text = with_activation(witness, "Sigmoid", "Tanh")
    return f"{because}{then:.4g}", text or "nn.Tanh() in place of each nn.Sigmoid()"


def with_activation(witness: Witness, kind: str, other: str) -> str | None:
    """Return the one statement that calls an activation, as a layer or a function, with another one."""
    kinds = ast.Assign | ast.AugAssign | ast.Expr | ast.Return
    names = {kind: other, kind.lower(): {"LeakyReLU": "leaky_relu"}.get(other, other.lower())}
    made = [x for _, node in witness.syntax() if isinstance(node, kinds) and (x := Written(node)).calls(*names)]
    text = made[0].text.replace("torch.relu(", "torch.nn.functional.relu(") if len(made) == 1 else ""
    return re.sub(rf"\b({'|'.join(names)})\(", lambda call: f"{names[call[1]]}(", text) or None


def of_spread(witness: Witness, leaves: list[Tensor], cause: Cause) -> tuple[str, str | None]:
    """Return with what spread the weights of a layer start, and how to start where that is what is wrong."""
    if not leaves:
        return "", None
    spread = next((float(np.std(x.value)) for x in leaves if x.value.size > 1), 0.0)
    name, size = witness.name(leaves[0]), leaves[0].shape[0]
    good = 1 / math.sqrt(size)
    because = f"{name} starts with a spread of {spread:.2g}, where 1/sqrt({size}) = {good:.2g} keeps the scale"
    if spread < 1.5 * good if cause is EXPLODING else spread > good / 1.5:
        return "", None
    if "." not in name:
        return because, f"with torch.no_grad(): {name}.mul_({good / (spread or 1):.2g})  # before training"
    root = re.split(r"[.\[]", name)[0]
    is_model = isinstance(witness.machine.globals.get(root), module_class())
    every = f"[nn.init.xavier_normal_(p) for p in {root}.parameters() if p.ndim > 1]"
    return because, every if is_model else f"nn.init.xavier_normal_({name})"


def direct_leaves(node: Node) -> list[Tensor]:
    """Return the leaves that a matrix product takes, perhaps transposed."""
    leaves = []
    for edge in node.edges:
        while isinstance(edge, Node) and "layout" in edge.primitive.traits and edge.edges:
            edge = edge.edges[0]
        if isinstance(edge, AccumulateGrad):
            leaves.append(edge.variable)
    return leaves


@FLAT.on_operation("div", "reciprocal")
def divided(witness: Witness, operation: Operation) -> Iterator[Finding]:
    """State that a second derivative of 0 is divided by."""
    divisor = operation.tensors[-1] if operation.tensors else None
    if divisor is None or np.any(divisor.value) or divisor not in witness.run.returned:
        return
    line = witness.run.returned[divisor]
    at = witness.at(witness.returned_in.get(line) or operation.place.source, line)
    source = next(iter(at.written.calls("grad")), None)
    if source is None or not source.args:
        return
    tensors = [(x, tensor) for x in names_in(source.args[0]) if isinstance(tensor := at.env.get(x), Tensor)]
    words, value = next(((x, tensor) for x, tensor in tensors if tensor in witness.run.returned), ("", None))
    if not isinstance(value, Tensor):
        return
    name = witness.name(divisor)
    targets = [x.id for x in at.written.nodes() if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
    first_line = witness.run.returned[value]
    first = witness.at(at.source, first_line)
    inner = next(iter(first.written.calls("grad")), None)
    cost = short(inner.args[0]) if inner is not None and inner.args else "the function"
    message = (
        f"the second derivative {name} is 0: {cost} is linear or piecewise linear, so its slope {words} is constant."
    )
    because = (
        f"line {operation.place.line} divides by it: {words} / {name} is "
        f"{number(operation.application.out.value) if operation.application.out.value.size == 1 else 'infinite'}."
    )
    about = ", ".join([*targets, name, words, cost])
    yield FLAT.finding(
        at,
        about,
        message,
        because,
        f"step with the slope alone: x = x - 0.1 * {words}",
        see=[operation.place.line, first_line],
    )


@FLAT.on("end")
def constant(witness: Witness) -> Iterator[Finding]:
    """State that a slope which is differentiated again has no graph, because it is constant."""
    for error, place in witness.errors:
        unused = "appears to not have been used in the graph" in message_of(error)
        if "does not require grad" not in message_of(error) and not unused:
            continue
        output = next((x for x in witness.walked.get(id(error), ()) if x.node is None or unused), None)
        pair = None if output is None else gradient_below(witness, output, place)
        if pair is None or "create_graph=True" not in pair[1].written.text:
            continue
        gradient, at = pair
        calls = at.written.calls("grad")
        cost = short(calls[0].args[0]) if calls and calls[0].args else "the function"
        name = witness.name(gradient)
        inputs = [short(call.args[1]) for call in (*calls, *place.written.calls("grad")) if len(call.args) > 1]
        if unused and len(set(inputs)) != 1:
            continue  # by another variable the slope need not change
        message = (
            f"{cost} is linear or piecewise linear: its slope {name} is constant, so there is no second derivative."
        )
        of = inputs[0] if unused else "anything"
        because = f"{name} does not depend on {of}, and line {place.line} differentiates it."
        severity = severity_of(witness, error, place)
        yield FLAT.finding(place, f"{name}, {cost}", message, because, None, severity, see=[at.line])


class Starts:
    """The weights whose units were equal in every surveyed pass so far, and those that were not."""

    def __init__(self) -> None:
        self.equal: dict[int, tuple[Tensor, int, int, int]] = {}  # axis of the units, passes, line that set them
        self.different: set[int] = set()


def axis_of_equals(value: Any, gradient: Any, first: int) -> int | None:
    """Return the axis along which both are the same everywhere, looked at first that of units; None without any."""
    for axis in (first, 1 - first):
        if value.shape[axis] < 2:
            continue
        unit = np.take(value, [0], axis), np.take(gradient, [0], axis)
        scale = float(np.max(np.abs(gradient))) or 1.0
        is_equal = np.allclose(value, unit[0], rtol=1e-5, atol=1e-8)
        if is_equal and np.allclose(gradient, unit[1], rtol=1e-4, atol=1e-6 * scale):
            return axis
    return None


@SYMMETRIC.on("arrival", closely=True)
def alike(witness: Witness, done: Pass) -> None:
    """Note weights whose units have the same values and the same gradients."""
    if not done.is_surveyed or done.inputs is not None:
        return
    starts = witness.of(Starts)
    layered: set[int] = set()
    depths: dict[Any, int] = {}
    deepest = 0
    of_leaf: dict[int, int] = {}
    turned: set[int] = set()  # as in x @ w.t(), where the rows are the units
    for node in done.order:
        is_layer = "matrix" in node.primitive.traits
        depths[node] = max((depths.get(edge, 0) for edge in node.edges), default=0) + is_layer
        deepest = max(deepest, depths[node])
        if is_layer:
            for edge in node.edges:
                inner = edge
                while isinstance(inner, Node) and "layout" in inner.primitive.traits and inner.edges:
                    inner = inner.edges[0]
                if isinstance(inner, AccumulateGrad):
                    of_leaf[id(inner.variable)] = depths[node]
                    turned.update([id(inner.variable)] if inner is not edge or edge is node.edges[0] else [])
    for leaf, gradient, _ in done.arrivals:
        if leaf.ndim != 2 or id(leaf) in starts.different or leaf.value.size > LARGEST or id(leaf) not in of_leaf:
            continue
        if of_leaf[id(leaf)] >= deepest:
            continue
        units = 0 if id(leaf) in turned else 1
        axis = axis_of_equals(np.asarray(leaf.value), np.asarray(gradient), units) if finite(gradient) else None
        if axis is None or (id(leaf) in starts.equal and starts.equal[id(leaf)][1] != axis):
            starts.different.add(id(leaf))
            starts.equal.pop(id(leaf), None)
            continue
        known = starts.equal.get(id(leaf))
        line = known[3] if known else witness.run.rewritten.get(leaf, 0)
        if not known and not line and leaf.history:
            line = witness.run.changed_by(leaf.history[-1])[0] or 0
        starts.equal[id(leaf)] = leaf, axis, (known[2] if known else 0) + 1, line
        layered.add(id(leaf))


@SYMMETRIC.on("end")
def symmetric(witness: Witness) -> Iterator[Finding]:
    owned, accounts = held(witness), witness.of(Ledger).accounts
    for leaf, axis, passes, line in witness.of(Starts).equal.values():
        is_trained = id(leaf) in owned or (leaf in accounts and accounts[leaf].ever_moved) or updates(witness, leaf)
        if not is_trained or passes < 2:
            continue
        name = witness.name(leaf)
        paths = (name, name.rpartition(".")[0], name.partition(".")[0].partition("[")[0])
        made = next((origin for path in paths if path and (origin := creation(witness, path)) is not None), None)
        place = witness.at(made.source if made else None, line) if line else made
        if place is None:
            continue
        if line and made is not None and place.node is None:
            place = Place(made.source, line, None, witness.machine.globals)
        units = leaf.shape[axis]
        layer = name.rpartition(".")[0] or name
        message = (
            f"all {units} units of {layer} start with the same weights, so they get the same gradient in "
            f"each pass and stay the same: one unit, {units} times."
        )
        because = (
            f"the {'rows' if axis == 0 else 'columns'} of {name} are equal at the start, and after {passes} "
            "passes that were compared."
        )
        calls = place.written.calls("constant_", "zeros_", "ones_", "fill_")
        argument = one_line(ast.unparse(calls[0].args[0])) if calls and calls[0].args else name
        instead = (
            f"nn.init.normal_({argument}, std=0.5)"
            if calls
            else f"{name} = torch.randn({leaf.shape[0]}, {leaf.shape[1]}, requires_grad=True)"
            if name.isidentifier()
            else f"nn.init.xavier_uniform_({name})"
        )
        yield SYMMETRIC.finding(place, f"{layer}, {name}", message, because, instead)
