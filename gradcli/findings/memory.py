"""Graphs that are gone, and values that changed after the graph had saved them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.graph import Node, leaves_below, nodes_below
from gradcli.engine.saved import ModifiedError, saved_positions
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.facts import dataclass
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.graphs import anonymous, severity_of
from gradcli.findings.order import Ledger, parameters_in
from gradcli.findings.spelling import meant, number, one_line, short
from gradcli.findings.witness import LARGEST, Pass, Place, Witness, creation, loops_around, value_of
from gradcli.script.timeline.names import node_of

FREED = Cause("freed-graph", "error", order=1)
CHANGED = Cause("changed-after-saving", "error", order=2)
BEHIND = Cause("changed-behind-autograd", "warning", order=1)


GROWN = Cause("graph-growth", "warning", order=4)
MANY = 4  # rounds whose graphs a total keeps


@GROWN.on("end")
def grown(witness: Witness) -> Iterator[Finding]:
    """State that a sum holds many graphs whose passes have run, and nothing can go back through it."""
    for name, value in witness.machine.globals.items():
        order = nodes_below([node]) if isinstance(value, Tensor) and isinstance(node := node_of(value), Node) else []
        sums = [x for x in order if x.primitive.name == "add" and x not in witness.run.freed and np.size(x.out) == 1]
        place = witness.place_of(sums[0]) if len(sums) >= MANY else None
        written = place.node if place is not None else None
        if place is None or not isinstance(written, ast.AugAssign) or place.written.target() != name:
            continue
        kept = sum(x in witness.run.freed for x in order)
        if kept < len(sums) or witness.run.passed < len(sums):
            continue
        message = f"{name} keeps the graph of each of the {len(sums)} rounds, and grows with every further one."
        because = f"{len(order)} operations hang on it; {kept} of them have had their pass, and none can have another."
        instead = place.written.with_(written.value, f"({ast.unparse(written.value)}).item()")
        yield GROWN.finding(place, f"{name}, {short(written.value)}", message, because, instead)


@FREED.on("end")
def freed(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        if not isinstance(error, AutogradError) or error.code != "E302":
            continue
        walked = witness.walked[id(error)]
        order = nodes_below(x.node for x in walked if x.node is not None)
        node = next((candidate for candidate in order if candidate in witness.run.freed), None)
        if node is None:
            continue
        yield of_freed(witness, node, walked, place, severity_of(witness, error, place))


def of_freed(witness: Witness, node: Node, walked: Any, place: Place, severity: str) -> Finding:
    line = witness.run.freed[node]
    made = witness.place_of(node)
    name = asked_name(witness, node, made)
    output = witness.known(walked[0]) or short_output(place)
    at = made.line if made is not None else 0
    x = place.written.operand("backward")
    loss = short(x) if x is not None else output
    if line != place.line:
        earlier = witness.at(place.source, line)
        y = earlier.written.operand("backward")
        other = short(y) if y is not None else ""
        message = (
            f"{loss} and {other or f'line {line}'} share {name} (line {at}): backward() at line {line} "
            f"freed its graph, and line {place.line} needs it again."
        )
        instead = f"({other} + {loss}).backward()  # one backward for both" if other and other != loss else None
        if other == loss:
            message = f"a second backward() from {loss}: the one at line {line} freed the graph."
            instead = f"{loss}.backward(retain_graph=True)  # at line {line}"
        elif name.isidentifier() and is_of_others(witness, node, place, line):
            written = next((x for x in [creation(witness, other)] if x is not None), earlier).written.text
            instead = re.sub(rf"\b{name}\b", f"{name}.detach()", written)
            instead = instead if instead != written else f"{name}.detach() before line {line}"
        because = f"the pass of line {line} went through {name}, and so does this one."
        for call in earlier.written.calls("grad")[:1]:
            kept = ast.Call(call.func, call.args, [*call.keywords, ast.keyword("create_graph", ast.Constant(True))])
            instead = earlier.written.with_(call, kept)
            message = f"{short(call) or 'torch.autograd.grad'} without create_graph=True freed the graph of {name} "
            message += f"(line {at}), and line {place.line} needs it again."
        return FREED.finding(place, f"{name}, {loss}", message, because, instead, severity, see=[line, at])
    loops = loops_around(witness, place)
    inner = loops[-1] if loops else None
    calls_of = [caller for caller in made.calls() if caller.source is place.source] if made is not None else []
    outside = inner is not None and not any(
        inner.lineno < caller.line <= (inner.end_lineno or 0) for caller in calls_of
    )
    if outside and calls_of and inner is not None:
        made = calls_of[-1]  # the statement that called the function
        name, at = made.written.target() or name, made.line
        value = made.env.get(name) if "requires_grad=True" in made.written.text else None
        if isinstance(value, Tensor) and (rebound := anonymous(witness, value)) is not None:
            return replace(rebound, severity=severity, see=(place.line,))
        message = (
            f"{name} is computed at line {at}, before the loop: the first backward() freed its graph, and "
            "each round needs it again."
        )
        instead = f"{made.written.text}  # inside the loop"
        return FREED.finding(
            place,
            f"{name}, {loss}",
            message,
            f"line {place.line} runs again with the same {name}.",
            instead,
            severity,
            see=[at],
        )
    if inner is None:
        message = f"a second backward() goes through {name} (line {at}), whose graph the first one freed."
        return FREED.finding(place, f"{name}, {loss}", message, "", None, severity, see=[at])
    for step in inner.body:
        if (
            isinstance(step, ast.AugAssign)
            and isinstance(step.op, ast.Add)
            and short(step.target) == loss
            and short(step.value)
        ):
            if any(isinstance(y, ast.Assign) and loss in map(short, y.targets) for y in ast.walk(inner)):
                continue  # begun anew in each round
            message = (
                f"{loss} adds up the rounds, and {short(step.value)} of the round before has a graph that was freed."
            )
            because = (
                f"line {step.lineno} keeps the graphs of all rounds in {loss}, and line {place.line} goes through "
            )
            instead = f"{short(step.value)}.backward()" if short(step.value).isidentifier() else None
            see = [step.lineno]
            because += f"them again; {loss} += {short(step.value)}.item() would keep the number alone."
            return FREED.finding(place, f"{loss}, {short(step.value)}", message, because, instead, severity, see=see)
    state = carried(witness, inner, walked)
    value = meant(witness.machine.globals, ast.parse(state, mode="eval").body) if state else None
    cut = f"tuple(x.detach() for x in {state})" if isinstance(value, tuple) else f"{state}.detach()"
    where = f"{state} = {cut}  # after line {place.line}, before the next round" if state else None
    message = f"this round was computed from {state or name} of the round before, whose graph its backward() freed."
    return FREED.finding(
        place,
        f"{state or name}, {loss}",
        message,
        f"line {at} runs on what the round before has left in {state or name}.",
        where,
        severity,
        see=[at],
    )


def is_of_others(witness: Witness, node: Node, place: Place, line: int) -> bool:
    """Return whether only optimizers stepped after a pass, and before another, that hold no leaf below a node."""
    below = {id(x.variable) for x in leaves_below(node)}
    between = [
        all(id(x) not in below for x in parameters_in(optimizer))
        for optimizer, steps in witness.of(Ledger).steps.items()
        if steps.latest is not None and line < steps.latest.line < place.line
    ]
    return bool(below) and bool(between) and all(between)


def short_output(place: Place) -> str:
    return place.written.text.removesuffix(".backward()")


def asked_name(witness: Witness, node: Node, made: Place | None) -> str:
    known = witness.run.names.of_node.get(node)
    from gradcli.script.timeline.names import Generated

    if known is not None and not isinstance(known, Generated):
        return str(known)
    if made is None:
        return "the graph"
    targets = [x.id for x in made.written.nodes() if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
    return (
        made.written.target()
        or ", ".join(targets)
        or made.written.of_primitive(node.primitive.name)
        or f"the result of line {made.line}"
    )


def carried(witness: Witness, loop: ast.For | ast.While, walked: Any) -> str:
    """Return the variable that a round takes over from the one before: read before it is assigned in the body."""
    stored = {x.id for x in ast.walk(loop) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
    seen: set[str] = set()
    for statement in loop.body:
        for x in ast.walk(statement):
            if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Load) and x.id in stored and x.id not in seen:
                value = witness.machine.globals.get(x.id)
                parts = value if isinstance(value, tuple | list) else [value]
                if any(isinstance(part, Tensor) and isinstance(node_of(part), Node) for part in parts):
                    return x.id
        seen |= {x.id for x in ast.walk(statement) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
    return ""


@CHANGED.on("end")
def changed(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        if isinstance(error, ModifiedError):
            yield of_changed(witness, error, place, severity_of(witness, error, place))


def of_changed(witness: Witness, error: ModifiedError, place: Place, severity: str) -> Finding:
    run, node = witness.run, error.saver
    inputs = [x for position, x in enumerate(node.inputs or ()) if position in saved_positions(node)]
    tensor = next((x for x in inputs if isinstance(x, Tensor) and x.history and x.history[-1] >= error.time), None)
    made = witness.place_of(node)
    line, by_optimizer = run.changed_by(error.time)
    at = witness.at(made.source if made is not None else place.source, line) if line else place
    if tensor is not None:
        name = witness.known(tensor.base if tensor.base is not None else tensor) or witness.name(tensor)
    else:
        name = asked_name(witness, node, made)
    saved_at = made.line if made is not None else 0
    operation = (made.written.of_primitive(node.primitive.name) or made.written.text) if made is not None else "a step"
    because = f"{operation} (line {saved_at}) saved {name} for its backward pass, which line {place.line} runs."
    if by_optimizer:
        loops = loops_around(witness, at)
        if made is not None and loops and made.outer is None and made.line < loops[0].lineno and made.written.target():
            target = made.written.target()
            message = (
                f"{target} is computed at line {made.line}, before the loop, and {at.written.text} at line {at.line} "
                f"changes {name}, which each backward pass from {target} reads."
            )
            instead = f"{made.written.text}  # inside the loop"
            return CHANGED.finding(
                at, f"{name}, {target}", message, because, instead, severity, see=[saved_at, place.line]
            )
        message = (
            f"{at.written.text} at line {at.line} changes {name} in place, and {place.written.text} at line "
            f"{place.line} still needs the old value."
        )
        loss = place.written.operand("backward")
        first = creation(witness, short(loss)) if loss is not None else None
        again = f"{first.written.text}  # after line {at.line}, of what is computed anew" if first else None
        return CHANGED.finding(at, name, message, because, again, severity, see=[saved_at, place.line])
    text = at.written.text
    message = f"{text} changes {name} in place after line {saved_at} has saved it."
    return CHANGED.finding(at, name, message, because, out_of_place(at), severity, see=[saved_at, place.line])


def out_of_place(place: Place) -> str | None:
    """Return the statement as one that makes a new tensor."""
    node = place.written.node
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        change = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return f"{node.target.id} = {one_line(ast.unparse(ast.fix_missing_locations(change)))}"
    if isinstance(node, ast.AugAssign | ast.Assign):
        target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
        if isinstance(target, ast.Subscript):
            base = ast.unparse(target.value)
            return f"{base} = {base}.clone(); {place.written.text}"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        method, owner = node.value.func.attr, node.value.func.value
        name = re.sub(r"(\.data|\.detach\(\))$", "", ast.unparse(owner))
        if method.endswith("_") and name.isidentifier():
            call = ast.Call(ast.Attribute(ast.Name(name), method[:-1]), node.value.args, node.value.keywords)
            return f"{name} = {one_line(ast.unparse(call))}"
    return None


@dataclass
class Write:
    """A change of a tensor that autograd did not see."""

    tensor: Tensor
    before: Any
    place: Place
    time: int


class Writes(list[Write]):
    """The changes of a run that autograd did not see, the latest ones."""

    def __init__(self) -> None:
        super().__init__()
        self.exposed: dict[int, tuple[Tensor, Any]] = {}


@BEHIND.on("exposed")
def written(witness: Witness, tensor: Tensor, before: Any, time: int) -> None:
    """Note a change through `.data` or an array."""
    writes = witness.of(Writes)
    writes.append(Write(tensor, before, witness.place, time))
    del writes[:-16]


@BEHIND.on("pass")
def read_changed(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that the pass reads values that were written over after the graph had saved them; both gradients."""
    for write in witness.of(Writes):
        tensor = write.tensor
        readers = [node for node in done.order if node.sequence < write.time and reads(node, tensor)]
        if not readers or write.before is None or np.shape(write.before) != tensor.shape:
            continue
        if np.array_equal(write.before, tensor.value, equal_nan=True) or tensor.value.size > LARGEST:
            continue
        now = witness.gradients(done.output) if done.output.value.size == 1 else {}
        then = as_before(witness, done, write) if now else {}
        wrong = [leaf for leaf in now if leaf in then and not np.allclose(now[leaf], then[leaf], equal_nan=True)]
        if not wrong:
            continue
        name = witness.name(tensor)
        at = witness.place_of(readers[0])
        leaf = wrong[0]
        saver = at.written.text if at is not None else ""
        message = (
            f"{write.place.written.text} changes {name} after line {at.line if at else 0} has saved it, and "
            "autograd does not notice."
        )
        because = (
            f"{witness.name(leaf)}.grad is {number(now[leaf])}, with the {name} of the forward pass it is "
            f"{number(then[leaf])}."
        )
        is_read_later = any(node.sequence > write.time and reads(node, tensor) for node in done.order)
        later = f"{done.place.written.text}; {write.place.written.text}" if not done.place.outer else None
        instead = out_of_place(write.place) if is_read_later else later
        names = ", ".join([name, *map(witness.name, wrong)])
        yield BEHIND.finding(write.place, names, message, because, instead, see=[at.line if at else 0, done.place.line])
        del saver


def reads(node: Node, tensor: Tensor) -> bool:
    """Return whether the backward pass of a node reads the values of a tensor."""
    positions = saved_positions(node)
    for position, x in enumerate(node.inputs or ()):
        if position in positions and isinstance(x, Tensor) and (x is tensor or shares(x, tensor)):
            return True
    return node.out is tensor.value and -1 in positions


def shares(x: Tensor, tensor: Tensor) -> bool:
    return (
        isinstance(x.value, np.ndarray)
        and isinstance(tensor.value, np.ndarray)
        and np.may_share_memory(x.value, tensor.value)
    )


def as_before(witness: Witness, done: Pass, write: Write) -> dict[Tensor, Any]:
    """Return the gradients of a pass with the value that a tensor had before."""
    value = write.tensor.value
    if not isinstance(value, np.ndarray):
        return {}
    kept = value.copy()
    try:
        value[...] = write.before
        return {leaf: np.array(value_of(g)) for leaf, g in witness.gradients(done.output).items()}
    finally:
        value[...] = kept
