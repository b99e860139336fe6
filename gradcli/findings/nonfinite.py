"""Numbers that are nan, infinite or huge: where the first one came from, and why."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.backward import Contribution
from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.facts import dataclass
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.spelling import called, number, one_line, several, short
from gradcli.findings.witness import Operation, Pass, Place, Witness, creation, finite, leads, value_of
from gradcli.guard import guarded

MASKED = Cause("masked-late", "warning", order=2, answers=("not-finite", "gradient-not-finite"))
AT_EDGE = Cause(
    "nan-at-edge", "warning", order=2, answers=("not-finite", "gradient-not-finite"), follows=("diverging",)
)
OVERFLOW = Cause(
    "overflow", "warning", order=3, answers=("not-finite", "gradient-not-finite", "unstable"), follows=("diverging",)
)
LOST = Cause(
    "lost-digits", "warning", order=2, answers=("unstable", "not-finite", "gradient-not-finite", "zero-gradient")
)
HUGE = Cause("huge-from-eps", "warning", order=3, follows=("diverging",))
KINK = Cause("kink-used", "note", order=4, answers=("kink", "tie", "zero-gradient", "not-updated"))
MOST_CAUSES = 3  # of the numbers of one pass
SMALL = 1e-6  # of a divisor: less is an eps
LARGE = 1e6  # of a gradient: more than any loss with sensible units gives


@dataclass
class Trouble:
    """The first number of a pass that is not finite: the node, the entry, and the value of the operand there."""

    node: Node
    place: Place
    position: int
    operand: Any  # at the entry
    result: Any  # the value, or the gradient there
    is_gradient: bool
    masks: list[Node] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    entry: tuple[int, ...] = ()
    advice: str = ""
    lost_at: Place | None = None  # where the form stands that the advice is about
    is_single: bool = False  # whether it is a spread of one entry
    dtype: Any = None
    is_symptom: bool = False  # whether an input of the node is not finite either
    data: str = ""  # the name of data that are not finite themselves
    roots: Sequence[Any] = ()  # what data that are not finite were computed from
    is_empty: bool = False  # whether it is a softmax over scores that are all -inf

    @property
    def number(self) -> float | None:
        """The operand, if it is a single number."""
        return float(self.operand) if self.operand is not None and np.size(self.operand) == 1 else None


class Troubles:
    """What the pass that runs has shown so far."""

    def __init__(self) -> None:
        self.data: list[Trouble] = []  # the latest about data, in the run
        self.value: Trouble | None = None
        self.gradient: Trouble | None = None
        self.others: list[Trouble] = []  # gradients too
        self.stated: set[Any] = set()


def is_masked(value: Any) -> bool:
    """Return whether a value is finite but for -inf, which masks scores before a softmax."""
    return not (np.isnan(value) | np.isposinf(value)).any()


def is_meant(node: Node, value: Any) -> bool:
    """Return whether a result is finite, or has only the -inf of a mask in it."""
    if finite(value):
        return True
    given = any(np.isneginf(value_of(x)).any() for x in node.inputs or () if isinstance(x, Tensor | float))
    return is_masked(value) and (given or "masking" in node.primitive.traits)


@AT_EDGE.on_operation("div", "reciprocal", "log", "sqrt", "pow", "std", "var", "mean", "acos", "asin")
def of_data(witness: Witness, operation: Operation) -> None:
    """Keep an operation outside of the graph whose result is not finite, from finite numbers."""
    troubles, (primitive, inputs, options, out) = witness.of(Troubles), operation.application
    if out.node is None and not finite(out.value) and all(map(finite, map(value_of, inputs))):
        node: Any = SimpleNamespace(primitive=primitive, inputs=inputs, options=options, out=out.value, edges=())
        trouble = trouble_at(witness, node, operation.place, np.asarray(~np.isfinite(out.value)), out.value, False)
        trouble.roots = witness.run.origins.roots(out)
        troubles.data.append(trouble)
        del troubles.data[:-MOST_CAUSES]


@AT_EDGE.on("pass")
def begun(witness: Witness, done: Pass) -> None:
    """Find the first value of a graph that is not finite."""
    troubles = witness.of(Troubles)
    troubles.value = troubles.gradient = None
    troubles.others = []
    if not done.is_surveyed and finite(done.output.value):
        return
    for node in done.order:
        if np.asarray(node.out).dtype.kind != "f" or is_meant(node, node.out):
            continue
        if node.primitive.name in ("softmax", "log_softmax") and (trouble := empty_row(witness, node)) is not None:
            troubles.value = trouble
            return
        inputs = [value_of(x) for x in node.inputs or ()]
        if not all(is_masked(x) for x in inputs if isinstance(x, np.ndarray | np.generic | float)):
            data = [x for x in node.inputs or () if isinstance(x, Tensor) and x.node is None]
            roots = {root for x in data if not finite(x.value) for root in witness.run.origins.roots(x)}
            origins = (trouble for trouble in troubles.data if not roots.isdisjoint(trouble.roots))
            troubles.value = next(origins, None)
            given = next((x for x in node.inputs or () if isinstance(x, Tensor) and not is_masked(x.value)), None)
            place = witness.place_of(node)
            if troubles.value is None and place is not None and given is not None and given.node is None:
                troubles.value = trouble_at(witness, node, place, ~np.isfinite(given.value), given.value, False)
                troubles.value.data = witness.known(given)
            if troubles.value is not None:
                return
            continue
        place = witness.place_of(node)
        if place is None:
            return
        troubles.value = trouble_at(witness, node, place, np.asarray(~np.isfinite(node.out)), node.out, False)
        troubles.value.masks = masks_above(done, node, troubles.value.entry)
        if done.output.node is not None and done.is_surveyed:
            troubles.value.advice, troubles.value.lost_at = better_form(witness, done)
        return


def empty_row(witness: Witness, node: Node) -> Trouble | None:
    """Return the trouble of a softmax over scores that are all -inf."""
    x, place = value_of((node.inputs or (None,))[0]), witness.place_of(node)
    if x is None or place is None or np.isnan(x).any() or not np.isnan(node.out).any():
        return None
    trouble = trouble_at(witness, node, place, np.isnan(node.out), node.out, False)
    trouble.is_empty = True
    return trouble


def better_form(witness: Witness, done: Pass) -> tuple[str, Place | None]:
    """Return what the notes of an explanation say about a form that keeps its digits, and where that stands."""

    def form_and_place() -> tuple[str, Place | None]:
        from gradcli.explanation.causes.forms import unstable
        from gradcli.script.timeline.graphs import snapshot

        graph = snapshot(witness.run, done.output)
        lines = [] if graph is None else list(graph.lines)
        nodes = {line.name: line.tensor.node for line in lines}
        for note in unstable(lines):
            return note.message, witness.place_of(nodes[note.node]) if "lost its digits" in note.message else None
        return "", None

    return guarded("note", form_and_place, ("", None))


def trouble_at(
    witness: Witness, node: Node, place: Place, bad: Any, result: Any, is_gradient: bool, position: int = 0
) -> Trouble:
    bad = np.asarray(bad)
    entry = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    operand: Any = None
    names = []
    for x in node.inputs or ():
        if isinstance(x, Tensor):
            names.append(witness.known(x))
            if operand is None or len(names) - 1 == (1 if node.primitive.name == "div" else position):  # the divisor
                value = np.asarray(x.value)
                operand = (
                    value[entry]
                    if value.shape == bad.shape and bad.ndim
                    else value.ravel()[0]
                    if value.size == 1
                    else value
                )
    shown = np.asarray(result)
    return Trouble(
        node,
        place,
        position,
        operand,
        shown[entry] if shown.shape == bad.shape else shown,
        is_gradient,
        [],
        names,
        entry,
        "",
        None,
        is_single(node),
        np.asarray(node.out).dtype,
    )


def masks_above(done: Pass, start: Node, entry: tuple[int, ...]) -> list[Node]:
    """Return the masks that the result of a node goes through, entry by entry; none where some way has no mask.

    A factor that is 0 at the entry is one. The 0 that the square of 0 sends back is not: no mask keeps it away.
    """
    masks, waiting, seen = [], [start], {start}
    while waiting and len(seen) < 200:
        node = waiting.pop()
        consumers = done.consumers(node)
        if not consumers:
            return []
        for other in consumers:
            if "masking" in other.primitive.traits or is_factor_0(done, other, entry):
                masks.append(other)
            elif other.primitive.structured:
                return []
            elif other not in seen:
                seen.add(other)
                waiting.append(other)
    return masks


def is_factor_0(done: Pass, node: Node, entry: tuple[int, ...]) -> bool:
    """Return whether a product with a constant sends 0 back to an entry."""
    edges = [edge for edge in node.edges if edge is not None]
    sent = np.asarray(done.totals.get(edges[0], 1.0)) if len(edges) == 1 else None
    return node.primitive.name == "mul" and sent is not None and sent.ndim == len(entry) and not np.any(sent[entry])


@AT_EDGE.on("contribution")
def not_finite(witness: Witness, done: Pass, event: Contribution) -> None:
    """Keep the first gradient of a pass that is not finite though it came from a finite one."""
    troubles = witness.of(Troubles)
    if len(troubles.others) > MOST_CAUSES or not finite(value_of(event.upstream)):
        return
    place = witness.place_of(event.node)
    if place is None:
        return
    bad = ~np.isfinite(np.asarray(value_of(event.contribution)))
    trouble = trouble_at(witness, event.node, place, bad, value_of(event.contribution), True, event.position)
    inputs = [value_of(x) for x in event.node.inputs or () if isinstance(x, Tensor)]
    trouble.is_symptom = not all(finite(x) for x in inputs if np.asarray(x).dtype.kind == "f")
    upstream = np.asarray(value_of(event.upstream))
    if upstream.shape == bad.shape and np.all(upstream[bad] == 0):
        trouble.masks = masks_above(done, event.node, trouble.entry)
    if troubles.gradient is None:
        troubles.gradient = trouble
    else:
        troubles.others.append(trouble)


@AT_EDGE.on("arrival")
def judged(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State the cause of gradients that are not finite, once for each place."""
    troubles = witness.of(Troubles)
    spoilt = [leaf for leaf, gradient, _ in done.arrivals if not finite(gradient)] if done.is_spoilt else []
    if done.inputs is not None:
        spoilt = [
            x
            for x in done.inputs
            if isinstance(x, Tensor) and x.node is not None and not finite(done.totals.get(x.node, 0.0))
        ]
    value, gradient = troubles.value, troubles.gradient
    if not spoilt and (value is None or finite(done.output.value)):
        return
    if troubles.stated and not all(finite(leaf.value) for leaf, _, _ in done.arrivals):
        return  # a step has spread what was told
    is_cause = gradient is not None and bool(gradient.masks) and not gradient.is_symptom
    trouble = gradient if value is None or (value.masks and is_cause) else value
    if trouble is None or (key := trouble.place.key) in troubles.stated:
        return
    if is_diverged(witness, done):
        return
    troubles.stated.add(key)
    is_sum = "matrix" in trouble.node.primitive.traits  # whose terms are infinite with both signs, where it is nan
    is_infinite = not trouble.is_gradient and (is_sum or np.isinf(trouble.result))
    from gradcli.findings.training import grown

    finding = (grown(witness, done) if is_infinite else None) or trouble_finding(witness, done, trouble, spoilt)
    values = grads(done, spoilt) or [done.gradient(x.node) for x in spoilt]
    if (
        not witness.run.optimizers
        and not any(np.isnan(entry).any() for entry in values if entry is not None)
        and finite(done.output.value)
    ):
        finding = replace(finding, severity="note")  # an infinite slope is one
    yield finding
    for other in (gradient, *troubles.others):  # of other entries
        apart = other is not None and other.node is not trouble.node and other.entry != trouble.entry
        if (
            other is not None
            and apart
            and other.masks
            and not other.is_symptom
            and other.place.key not in troubles.stated
        ):
            troubles.stated.add(other.place.key)
            yield trouble_finding(witness, done, other, spoilt)


def is_diverged(witness: Witness, done: Pass) -> bool:
    """Return whether the loss had grown for some rounds before: training says so."""
    from gradcli.findings.training import Courses

    course = witness.of(Courses).of.get(done.place.key)
    return course is not None and (course.has_grown or course.is_growing())


class Words(NamedTuple):
    """The words about a trouble: the operation, its operand and the entry as they are written, and what came of it."""

    operation: str
    operand: str
    entry: str
    at: str  # the place of the entry between brackets
    shown: str  # the operand there
    effect: str
    about: str  # the names of the tensors


def words_about(witness: Witness, done: Pass, trouble: Trouble, spoilt: list[Tensor]) -> Words:
    place, node = trouble.place, trouble.node
    name = node.primitive.name
    x = operand_words(place, trouble)
    at = f"[{', '.join(map(str, trouble.entry))}]" if trouble.entry else ""
    inner = [name for name in re.findall(r"[A-Za-z_]\w*", x) if isinstance(place.env.get(name), Tensor)]
    names = [*trouble.names, *inner, place.written.target(), *map(witness.name, spoilt)]
    return Words(
        place.written.of_primitive(name, node.options.get("exponent")) or spelled(place, name),
        x,
        f"{x}{at}" if x.isidentifier() or not at else f"entry {at} of {x}",
        at,
        "large" if trouble.number is None else number(trouble.operand),
        result_words(witness, done, spoilt),
        ", ".join(filter(None, names)),
    )


def trouble_finding(witness: Witness, done: Pass, trouble: Trouble, spoilt: list[Tensor]) -> Finding:
    """Return the finding about a number that is not finite."""
    words, primitive = words_about(witness, done, trouble, spoilt), trouble.node.primitive
    name, has_edge = primitive.name, bool(primitive.edge)
    is_zero, see = trouble.number == 0, [done.place.line]
    if trouble.masks and (trouble.is_gradient or is_zero or has_edge):
        return of_masked(witness, done, trouble, words, see)
    if trouble.advice:
        return of_unstable(witness, trouble, words, see)
    may_overflow = (not has_edge and name != "div") or (not is_zero and name in ("pow", "div", "reciprocal"))
    is_spread = name in ("std", "var", "std_mean", "var_mean") and trouble.is_single
    is_too_large = not trouble.is_gradient and np.isinf(trouble.result) and may_overflow and not trouble.data
    if is_too_large and not trouble.is_empty and not is_spread:
        return of_overflow(witness, trouble, words, see)
    effect, instead = f"{words.effect}.", ""
    if trouble.data:
        message = (
            f"{trouble.data}{words.at} is {kind(np.asarray(trouble.result))}, before anything is computed with it."
        )
    elif trouble.is_empty:
        row = f"row {trouble.entry[0]} of {words.operand}" if len(trouble.entry) > 1 else words.operand
        message = f"{row} is all -inf, and {words.operation} of that is 0 / 0."
        instead = f"{words.operand}.clamp(min=-1e9)  # in place of {words.operand}"
    elif is_spread:
        message = f"{words.operation} of one entry: it divides by n - 1 = 0."
        instead = of_spread(trouble.place, node=trouble.node, operand=words.operand)
    elif name in ("div", "reciprocal"):
        return of_division(trouble, words, see)
    else:
        message, typed = at_edge(trouble, words)
        instead = typed or ""
        is_spoilt = trouble.is_gradient and np.isinf(trouble.result)
        if is_spoilt and any(np.isnan(g).any() for g in grads(done, spoilt)):
            effect = f"inf times the derivative 0 of what is inside is nan: {effect}"
    return AT_EDGE.finding(trouble.place, words.about, message, effect, instead, see=see)


def of_spread(place: Place, node: Node, operand: str) -> str:
    """Return the spread over a row of one with n as divisor, or the condition that leaves a single value out."""
    calls = place.written.calls(node.primitive.name)
    if node.options.get("dim") is None or len(calls) != 1:
        return f"if len({operand if operand.isidentifier() else 'x'}) > 1:  # leave single values out"
    words = [x for x in calls[0].keywords if x.arg not in ("unbiased", "correction")]
    call = ast.Call(calls[0].func, calls[0].args, [*words, ast.keyword("correction", ast.Constant(0))])
    is_safe = any(isinstance(x, ast.BinOp) and isinstance(x.op, ast.Add) and calls[0] in (x.left, x.right)
                  for x in place.written.nodes())  # fmt: skip
    return place.written.with_(calls[0], call if is_safe else f"({ast.unparse(call)} + 1e-05)")


def of_masked(witness: Witness, done: Pass, trouble: Trouble, words: Words, see: list[int]) -> Finding:
    """State that a mask leaves an entry out only after it has become infinite."""
    place, node = trouble.place, trouble.node
    mask = next((m for m in trouble.masks if "masking" in m.primitive.traits), trouble.masks[0])
    where = witness.place_of(mask) or place
    way = f"{'the factor 0' if mask.primitive.name == 'mul' else f'{mask.primitive.name}()'} at line {where.line}"
    message = (
        f"{words.entry} is {words.shown} where {words.operation} has an infinite derivative, and {way} leaves that "
        "entry out only afterwards."
    )
    instead = masked_first(place, where, node.primitive.name, words.operand, is_taken(done, mask, trouble.entry))
    because = f"0 · inf is nan: {words.effect}."
    return MASKED.finding(place, words.about, message, because, instead, see=[where.line, *see])


def of_unstable(witness: Witness, trouble: Trouble, words: Words, see: list[int]) -> Finding:
    """State which form keeps the digits that this one loses."""
    reason, _, better = trouble.advice.partition(": write ")
    form = better.partition(", which is exact")[0]
    place, found_at = trouble.lost_at or trouble.place, f"at line {trouble.place.line}"
    message = f"{words.operation} is {kind(trouble.result)} {'here' if place is trouble.place else found_at}: "
    message += f"{one_line(reason)}."
    is_lost = "digits" in reason or trouble.node.primitive.name in ("log", "log2", "log10")
    x = place.written.operand(reason.partition("(")[0])
    origin = creation(witness, short(x)) if isinstance(x, ast.Name) else place
    scores = origin.written.operand("softmax") if origin is not None else None
    if form.startswith("log_softmax(") and scores is not None and short(scores):
        form = f"log_softmax({short(scores)}, {form.rpartition(', ')[2]}"
    because = f"{words.effect}, where {form} keeps them."
    about = ", ".join([place.written.target(), words.about])
    lines = [trouble.place.line, *see]
    instead = in_torch(place, reason, form) if form else None
    return (LOST if is_lost else OVERFLOW).finding(place, about, message, because, instead, see=lines)


def in_torch(place: Place, reason: str, form: str) -> str:
    """Return the statement with a form of the language of formulas in place of the call that the reason is about."""
    typed = re.sub(r"(?<![\w.])(logsigmoid|softplus)\(", r"torch.nn.functional.\1(", form)
    typed = re.sub(r"(?<![\w.])(\w+)\(", lambda call: call[0] if call[1] in place.env else f"torch.{call[0]}", typed)
    calls = place.written.calls(reason.partition("(")[0])
    return place.written.with_(calls[0], typed) if len(calls) == 1 else typed


def of_overflow(witness: Witness, trouble: Trouble, words: Words, see: list[int]) -> Finding:
    """State that a result is above the largest number of its dtype."""
    message = (
        f"{words.operation} overflows: {words.entry} is {words.shown}, and the result is above "
        f"{np.finfo(trouble.dtype).max:.2g}, the largest number of {trouble.dtype}."
    )
    because = f"it is inf, and inf - inf or 0 · inf is nan: {words.effect}."
    return OVERFLOW.finding(trouble.place, words.about, message, because, smaller(witness, trouble), see=see)


def of_division(trouble: Trouble, words: Words, see: list[int]) -> Finding:
    """State that a divisor is 0."""
    place, binary = trouble.place, trouble.place.written.operator("div")
    divisor = short(binary.right) if binary is not None else words.operand
    message = f"{words.operation} divides by {divisor}, which is 0{f' at {words.at}' if words.at else ''}."
    typed = None
    if binary is not None and short(binary.left):
        typed = ast.unparse(ast.BinOp(binary.left, ast.Div(), ast.BinOp(binary.right, ast.Add(), ast.Constant(1e-12))))
    return AT_EDGE.finding(place, f"{words.about}, {divisor}", message, f"{words.effect}.", typed, see=see)


def at_edge(trouble: Trouble, words: Words) -> tuple[str, str | None]:
    """Return what happens at the edge of a domain, and what is written in place of it."""
    says, form = trouble.node.primitive.edge or ("has no finite value or derivative there", "")
    if not trouble.is_gradient and np.isnan(trouble.result):
        says = "is nan outside of its domain"
    message = f"{words.operation} at line {trouble.place.line} {says}, and {words.entry} is {words.shown}."
    x = words.operand if words.operand.isidentifier() or "(" in words.operand else f"({words.operand})"
    exponent = exponent_of(trouble.place, trouble.node)
    return message, form.format(x=x, exponent=exponent) if form and words.operand else None


def grads(done: Pass, leaves: list[Tensor]) -> list[Any]:
    return [np.asarray(gradient) for leaf, gradient, _ in done.arrivals if any(leaf is x for x in leaves)]


def result_words(witness: Witness, done: Pass, spoilt: list[Tensor]) -> str:
    if not spoilt:
        return (
            f"{witness.known(done.output) or 'the output'} is "
            f"{number(done.output.value) if done.output.value.size == 1 else 'not finite'}"
        )
    values = grads(done, spoilt)
    word = kind(values[0]) if values else "not finite"
    names = several(f"{witness.name(x)}.grad" for x in spoilt)
    return f"{names} {'is' if len(spoilt) == 1 else 'are'} {word}"


def kind(value: Any) -> str:
    value = np.asarray(value)
    if value.ndim == 0:
        return "nan" if np.isnan(value) else "-inf" if value < 0 else "inf"
    word = "nan" if np.isnan(value).any() else "infinite"
    places = np.argwhere(~np.isfinite(value))
    return f"{word} at [{', '.join(map(str, places[0]))}]" if len(places) == 1 else f"{word} in {len(places)} entries"


def spelled(place: Place, name: str) -> str:
    """Return the operation as the statement writes it, or its name."""
    calls = [x for x in place.written.nodes() if isinstance(x, ast.Call) and called(x).rstrip("_") == name]
    return short(calls[0]) if calls and short(calls[0]) else name


def operand_words(place: Place, trouble: Trouble) -> str:
    """Return the operand as it is written."""
    name = trouble.node.primitive.name
    binary = place.written.operator(name) or power(place, trouble.node)
    if binary is not None:
        return short(binary.left) if name == "pow" else short(binary.right)
    calls = [x for x in place.written.nodes() if isinstance(x, ast.Call) and called(x).rstrip("_") == name]
    x = place.written.argument(calls[0]) if calls else None
    if x is not None and short(x):
        return short(x)
    return next((n for n in trouble.names if n), "the operand")


def power(place: Place, node: Node) -> ast.BinOp | None:
    """Return the use of ** with the exponent of a node, of several in a statement."""
    exponent = f"{node.options.get('exponent')}"
    uses = (x for x in place.written.nodes() if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Pow))
    return next((x for x in uses if ast.unparse(x.right) == exponent), None)


def exponent_of(place: Place, node: Node) -> str:
    binary = place.written.operator("pow") or power(place, node)
    return short(binary.right) if binary is not None else "p"


def is_taken(done: Pass, mask: Node, entry: tuple[int, ...]) -> bool:
    """Return whether where() leaves an entry out because its condition holds there."""
    held = next((step.inputs for step in done.held if step.event.node is mask), mask.inputs)
    condition = np.asarray(value_of(held[0]) if mask.primitive.name == "where" and held else False)
    return condition.ndim == len(entry) and bool(condition[entry])


def condition_of(where: Place) -> tuple[str, bool]:
    """Return the condition of a mask as it is written, and whether it holds where entries are masked."""
    for node in where.written.nodes():
        if isinstance(node, ast.Call) and called(node) == "where" and len(node.args) == 3:
            return short(node.args[0]), False
        if isinstance(node, ast.Call) and called(node) == "masked_fill" and node.args:
            return short(node.args[0]), True
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name | ast.Compare | ast.UnaryOp):
            return short(node.slice), False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            sides = (x.func.value if is_method(x, "float") else x for x in factors(node))
            if (comparison := next((x for x in sides if isinstance(x, ast.Compare)), None)) is not None:
                return short(comparison), False
            masks = [x.id for x in factors(node) if isinstance(x, ast.Name) and is_mask(where.env.get(x.id))]
            if masks:
                return f"{masks[0]} != 0", False
    return "", False


def is_method(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called(node) == name


def factors(product: ast.BinOp) -> list[Any]:
    return [product.left, product.right]


def is_mask(value: Any) -> bool:
    """Return whether a value is data of zeros and ones."""
    return isinstance(value, Tensor) and value.node is None and bool(np.isin(value.value, (0, 1)).all())


def masked_first(place: Place, where: Place, name: str, x: str, is_taken: bool) -> str | None:
    """Return the statement with the input of the operation masked too; `is_taken` says that where() masks if true."""
    condition, is_masking = condition_of(where)
    if not x or not condition:
        return None
    is_taken |= is_masking
    if is_taken and condition.startswith("~"):
        condition, is_taken = condition[1:], False
    inner = f"torch.where({condition}, 1.0, {x})" if is_taken else f"torch.where({condition}, {x}, 1.0)"
    calls = [call for call in place.written.nodes() if isinstance(call, ast.Call) and called(call).rstrip("_") == name]
    binary = place.written.operator(name)
    argument = place.written.argument(calls[0]) if calls else binary.right if binary is not None else None
    if argument is not None and one_line(ast.unparse(argument)) == x:
        return place.written.with_(argument, inner)
    return f"{inner}  # in place of {x}"


def is_single(node: Node) -> bool:
    """Return whether a node is the spread of one entry."""
    if node.primitive.name not in ("std", "var"):
        return False
    x = node.inputs[0] if node.inputs else None
    if not isinstance(x, Tensor):
        return False
    dim = node.options.get("dim")
    if dim is None:
        return bool(x.value.size == 1)
    axes = dim if isinstance(dim, tuple | list) else (dim,)
    return all(x.shape[axis] == 1 for axis in axes)


def smaller(witness: Witness, trouble: Trouble) -> str | None:
    """Return the leaf in smaller units, or the computation in float64."""
    if trouble.node.primitive.name == "exp":
        return None
    x, size = next((n for n in trouble.names if n and n.isidentifier()), ""), abs(trouble.number or 0)
    return f"{x} = {x} / {10 ** int(np.log10(size)):g}  # smaller units" if x and size >= 10 else None


@HUGE.on("arrival", closely=True)
def divided_by_eps(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a gradient is huge because a norm of 0 was replaced by eps."""
    if not done.is_surveyed:
        return
    large = [(leaf, g) for leaf, g, _ in done.arrivals if np.size(g) and finite(g) and np.max(np.abs(g)) > LARGE]
    if not large:
        return
    for node in done.order:
        least = bound(witness, node)
        if least is None or not 0 < least < 1e-4 or not np.any(np.asarray(done.outs[node]) <= least * 1.01):
            continue
        if not any(
            other.primitive.name == "div" or "layout" in other.primitive.traits for other in done.consumers(node)
        ):
            continue
        place = witness.place_of(node)
        if place is None:
            continue
        rows = np.argwhere(np.asarray(done.outs[node]) <= least * 1.01)
        leaf, gradient = large[0]
        calls = place.written.calls("normalize", "cosine_similarity")
        x = place.written.argument(calls[0]) if calls else None
        given = (
            one_line(ast.unparse(calls[0].args[0]))
            if calls and calls[0].args
            else (short(x) if x is not None else "it")
        )
        row = f"row {rows[0][0]} of {given}" if rows.size and len(rows[0]) else given
        text = one_line(ast.unparse(calls[0])) if calls else place.written.text
        message = f"{row} is all zeros, so {text} divides it by eps = {least:g}: the derivative there is 1 / eps."
        because = f"{witness.name(leaf)}.grad has an entry of size {float(np.max(np.abs(gradient))):.2g}."
        instead = f"{text[:-1]}, eps=0.1)  # or leave the row out" if calls and "eps" not in text else None
        names = ", ".join(n for n in (given, witness.name(leaf), place.written.target()) if n)
        yield HUGE.finding(place, names, message, because, instead, see=[done.place.line])
        return
    divisors = witness.of(Bounds).divisors
    leaf, gradient = large[0]
    for node in (divisor for divisor in done.order if id(divisor) in divisors and leads(divisor, leaf)):
        place = witness.place_of(node)
        if place is None:
            continue
        words = place.written.of_primitive("div") or place.written.text
        message = f"{words} divides by {divisors[id(node)]:.3g}, little more than its eps: the derivative is huge."
        because = f"{witness.name(leaf)}.grad has an entry of size {float(np.max(np.abs(gradient))):.2g}."
        names = ", ".join(n for n in (witness.name(leaf), place.written.target()) if n)
        yield HUGE.finding(place, names, message, because, "a larger eps, such as 1e-3", see=[done.place.line])


def bound(witness: Witness, node: Node) -> float | None:
    """Return the lower bound of a clamp that the operation itself set."""
    if node.primitive.name not in ("clamp_min", "clamp"):
        return None
    if node.primitive.name == "clamp":
        least = node.options.get("min")
        return float(least) if isinstance(least, float | int) else None
    return witness.of(Bounds).of.get(id(node))


class Bounds:
    """The lower bounds of clamps and small divisors, by the id of their node, while a pass runs: it frees inputs."""

    def __init__(self) -> None:
        self.of: dict[int, float] = {}
        self.divisors: dict[int, float] = {}


@HUGE.on("pass", closely=True)
def bounds(witness: Witness, done: Pass) -> None:
    limits, divisors = witness.of(Bounds).of, witness.of(Bounds).divisors
    limits.clear()
    divisors.clear()
    for node in done.order:
        if node.primitive.name in ("div", "reciprocal") and node.inputs and done.is_surveyed:
            least = float(np.min(np.abs(value_of(node.inputs[-1])), initial=1.0))
            divisors.update({id(node): least} if 0 < least < SMALL else {})
        if node.primitive.name == "clamp_min" and node.inputs and len(node.inputs) > 1:
            least = value_of(node.inputs[1])
            if np.size(least) == 1:
                limits[id(node)] = float(np.ravel(least)[0])


@KINK.on("pass", closely=True)
def at_kinks(witness: Witness, done: Pass) -> None:
    """Note the nodes all of whose entries stand at a kink."""
    nodes = witness.of(Kinks).nodes
    nodes.clear()
    if not done.is_surveyed:
        return
    for node in done.order:
        kinks = node.primitive.kinks
        if not kinks or not node.inputs or node.primitive.pieces is not None:
            continue
        values = [value_of(x) for x in node.inputs]
        with np.errstate(all="ignore"):
            mask = kinks(*values, **node.options) if callable(kinks) else np.isin(values[0], kinks)
        if np.size(mask) and np.all(mask):
            nodes[id(node)] = [witness.known(x) for x in node.inputs if isinstance(x, Tensor)], values[0]


class Kinks:
    """Nodes at a kink, by id, while a pass runs: the names of the inputs and the first value."""

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[list[str], Any]] = {}


@KINK.on("arrival", closely=True)
def decided(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a kink made the whole gradient of a leaf 0."""
    nodes = witness.of(Kinks).nodes
    zero = [leaf for leaf, gradient, _ in done.arrivals if np.size(gradient) and not np.any(gradient)] if nodes else []
    if not zero:
        return
    from gradcli.findings.order import held

    owned = held(witness)
    for node in done.order:
        if id(node) not in nodes:
            continue
        arrived = done.totals.get(node, 1.0 if node is done.output.node else 0.0)
        below = [leaf for leaf in zero if leads(node, leaf)]
        if (
            not np.any(arrived)
            or not below
            or any(edge is not None and np.any(done.totals.get(edge, 0)) for edge in node.edges)
        ):
            continue
        place = witness.place_of(node)
        if place is None:
            continue
        names, value = nodes[id(node)]
        x = next((n for n in names if n), "") or operand_words(
            place, Trouble(node, place, 0, None, None, True, [], names)
        )
        words = place.written.of_primitive(node.primitive.name) or spelled(place, node.primitive.name)
        leaf = below[0]
        shown = number(np.ravel(value)[0])
        trained = any(id(leaf) in owned for leaf in below)
        message = (
            f"{x} is {shown}, exactly at the kink of {words}: "
            f"{node.primitive.convention or 'torch takes the slope 0 there'}."
        )
        stays = f", so {witness.name(leaf)} stays where it is" if trained else ""
        because = f"{witness.name(leaf)}.grad is 0 by that convention{stays}, though the slope beside it is not 0."
        first = f"{witness.name(leaf)} = torch.tensor(0.05, requires_grad=True)  # start beside the kink"
        instead = first if leaf.value.size == 1 and witness.name(leaf).isidentifier() else None
        yield KINK.finding(
            place,
            ", ".join([x, *map(witness.name, below)]),
            message,
            because,
            instead,
            "warning" if trained and not moves(witness, leaf) else "",
            see=[done.place.line],
        )


def moves(witness: Witness, leaf: Tensor) -> bool:
    """Return whether a leaf has had a gradient other than 0."""
    from gradcli.findings.order import Ledger

    account = witness.of(Ledger).accounts.get(leaf)
    return account is not None and account.ever_moved and bool(leaf._grad is not None and np.any(leaf._grad.value))
