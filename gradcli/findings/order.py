"""The order of calls: gradients that add up, are cleared too early or in the wrong place, steps without gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.modes import tick
from gradcli.engine.tensor import Tensor
from gradcli.facts import dataclass
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.spelling import called, names_in, number, several, short
from gradcli.findings.witness import (
    LARGEST,
    Pass,
    Place,
    Witness,
    creation,
    loaded,
    loops_around,
    optimizer_class,
)

NOT_CALLED = Cause("not-called", "warning", order=0)
ACCUMULATED = Cause("accumulated", "warning", order=3, answers=("accumulated",), follows=("not-called",))
WRONG_CLEARED = Cause("wrong-tensor-cleared", "warning", order=2, answers=("accumulated",))
CLEARED_EARLY = Cause("cleared-early", "warning", order=2, answers=("not-updated",))
WITHOUT_BACKWARD = Cause(
    "step-without-backward", "warning", order=2, answers=("not-updated", "no-backward"), follows=("not-called",)
)
BEFORE_BACKWARD = Cause("step-before-backward", "warning", order=2, answers=("not-updated", "accumulated"))
ZERO_RATE = Cause("zero-rate", "warning", order=2, answers=("not-updated",))
UNEVEN = Cause("uneven-accumulation", "warning", order=3)


LATE_CLIPPING = Cause("clipped-late", "warning", order=0)  # before what diverges because of it
EARLY_CLIPPING = Cause("clipped-early", "warning", order=0)
NEVER_STEPPED = Cause("never-stepped", "warning", order=2, follows=("not-called",))
MOST_LOST = 8  # gradients that were cleared unused, of one leaf


@dataclass
class Filling:
    """One pass that a leaf has had since its gradient was cleared."""

    number: int
    place: Place
    output: str


@dataclass
class Account:
    """What has happened to the gradient of one leaf."""

    open: list[Filling] = field(default_factory=list)  # passes since it was cleared
    moved: bool = False  # whether the leaf has changed since the first of these
    ever_moved: bool = False
    value: Any = None  # the leaf at the last pass
    wasted: tuple[Place, Filling] | None = None  # where a gradient was cleared that nobody had used
    count: int = 0  # passes in all
    last: Filling | None = None  # the latest pass, cleared or not
    since: int = 0  # the first pass since it was cleared
    lost: list[tuple[Place, Filling]] = field(default_factory=list)  # cleared unused, since the last step
    pending: Added | None = None  # what the last pass added to, until somebody uses the sum
    cleared: list[tuple[int, Place]] = field(default_factory=list)  # the first places and the passes before


@dataclass
class Steps:
    """The steps of an optimizer: how many, and how many met no gradient."""

    count: int = 0
    idle: int = 0
    first: Place | None = None
    latest: Place | None = None
    passed_before: int = 0  # passes that had run at the first step
    passed: int = 0  # passes that had run at the latest step
    rates: set[Any] = field(default_factory=set)  # the learning rates
    time: int = 0  # of the latest step
    late: Place | None = None  # of a pass whose output was computed before that step
    held: int = 0  # parameters


@dataclass
class Added:
    """A gradient that was added to an older one."""

    leaf: Tensor
    place: Place
    before: Filling
    whole: Any
    alone: Any
    moved: bool
    crossed: bool  # the older one is of a pass for another optimizer

    @property
    def key(self) -> tuple[Any, ...]:
        return self.place.key, self.leaf


class Ledger:
    """The accounts of the leaves, and the steps of the optimizers."""

    def __init__(self) -> None:
        self.accounts: WeakKeyDictionary[Tensor, Account] = WeakKeyDictionary()
        self.steps: dict[Any, Steps] = {}
        self.added: dict[tuple[Any, ...], Added] = {}
        self.means: dict[tuple[str, int], list[tuple[int, Any, dict[Tensor, Any], int, str]]] = {}
        self.resets = 0  # statements that reset gradients, so far
        self.has_new_mean = False  # since the last step
        self.mean: tuple[Node, int, str] | None = None  # of the pass that runs
        self.owned: WeakKeyDictionary[Tensor, Any] = WeakKeyDictionary()


def state(leaf: Tensor) -> Any:
    """Return what tells the value of a leaf from another one, and costs little."""
    return leaf.value.tobytes() if leaf.value.size <= LARGEST else float(np.sum(leaf.value))


def is_moved(leaf: Tensor, account: Account) -> bool:
    return account.moved or account.value not in (None, state(leaf))


def optimizer_of(witness: Witness, leaf: Tensor) -> str:
    """Return the name of the optimizer that holds a leaf, empty where there is none."""
    optimizers = witness.objects(optimizer_class())
    return next((name for name, value in optimizers if any(x is leaf for x in parameters_in(value))), "")


def held(witness: Witness) -> dict[int, Tensor]:
    """Return the tensors that some optimizer holds."""
    tensors = {id(x): x for x in witness.of(Ledger).owned}
    for _, value in witness.objects(optimizer_class()):
        tensors.update({id(x): x for x in parameters_in(value)})
    return tensors


def parameters_in(optimizer: Any) -> list[Tensor]:
    return [x for group in optimizer.param_groups for x in group["params"]]


@ACCUMULATED.on("often")
@ACCUMULATED.on("arrival")
def arrived(witness: Witness, done: Pass) -> None:
    if done.inputs is not None:
        return
    ledger = witness.of(Ledger)
    output = witness.known(done.output) or done.place.written.text
    for leaf, gradient, before in done.arrivals:
        account = ledger.accounts.get(leaf)
        if account is None:
            account = ledger.accounts[leaf] = Account()
        if account.open and before is not None and np.count_nonzero(before):
            last = account.open[-1]
            moved = is_moved(leaf, account)
            read = witness.read.get(leaf, -1) >= last.number
            key = (done.place.key, leaf)
            if account.pending is not None and moved:
                ledger.added[account.pending.key] = account.pending  # it was used
                account.pending = None
            crossed = is_crossed(ledger, leaf, last, done)
            if (moved or read or crossed) and (key not in ledger.added or moved):
                whole = leaf._grad.value if leaf._grad is not None else before
                account.pending = Added(leaf, done.place, last, np.array(whole), np.array(gradient), moved, crossed)
        elif before is None or not np.count_nonzero(before):
            account.open = []
        account.moved = False
        now = state(leaf)
        account.ever_moved |= account.value not in (None, now)
        account.value = now
        account.wasted = None
        account.count += 1
        if not account.open:
            account.since = done.number
        account.last = Filling(done.number, done.place, output)
        account.open.append(account.last)
        del account.open[:-3]
    noted_mean(ledger, done)


def is_crossed(ledger: Ledger, leaf: Tensor, last: Filling, done: Pass) -> bool:
    """Return whether another optimizer has stepped since the last pass, on parameters that this pass goes through too.

    So a discriminator steps by a loss that also fills the gradients of the generator; then comes the generator's loss.
    """
    owner = ledger.owned.get(leaf)
    others = {other for other, steps in ledger.steps.items() if other is not owner and steps.passed >= last.number}
    return any(ledger.owned.get(x) in others for x, _, _ in done.arrivals)


@UNEVEN.on("pass")
def begun(witness: Witness, done: Pass) -> None:
    """Note over how many rows, or labels, the loss of a pass is a mean."""
    target: Any = done.output.node
    ledger = witness.of(Ledger)
    ledger.mean = None
    while isinstance(target, Node) and np.size(target.out) == 1 and done.inputs is None:
        if (counted := counted_in(target)) is not None:
            ledger.mean = target, *counted
            break
        edges = [edge for edge in target.edges if edge is not None]
        target = edges[0] if len(edges) == 1 else None


def counted_in(node: Node) -> tuple[int, str] | None:
    """Return over how many rows, labels or entries of a mask a node is the mean, and which; None where it is none."""
    values = [x.value if isinstance(x, Tensor) else x for x in node.inputs or ()]
    if node.primitive.name == "nll_loss" and node.options.get("reduction") == "mean":
        ignored = values[1] == node.options.get("ignore_index")
        return int(np.count_nonzero(~ignored)), "labels" if np.any(ignored) or np.ndim(ignored) > 1 else "rows"
    if node.primitive.name == "mean" or node.options.get("reduction") == "mean":
        shape = np.shape(values[0]) if values else ()
        return shape[0] if shape else 1, "rows"
    summed = node.edges[0] if node.primitive.name == "div" else None
    is_sum = isinstance(summed, Node) and (summed.primitive.name == "sum" or summed.options.get("reduction") == "sum")
    divisor = node.inputs[1] if is_sum and node.inputs else None
    if isinstance(divisor, Tensor) and divisor.node is None and divisor.value == int(divisor.value) > 0:
        return int(divisor.value), "entries"  # as sum() / mask.sum() has it
    return None


def noted_mean(ledger: Ledger, done: Pass) -> None:
    """Note the mean that the pass began with, its weight, and what it gave."""
    if ledger.mean is not None:
        (node, rows, unit), ledger.mean, ledger.has_new_mean = ledger.mean, None, True
        weight = float(np.ravel(done.totals.get(node, 1.0))[0])
        series = ledger.means.setdefault(done.place.key, [])
        small = [(leaf, gradient) for leaf, gradient, _ in done.arrivals if np.size(gradient) <= LARGEST][:4]
        series.append((rows, weight, {leaf: np.array(gradient) for leaf, gradient in small}, done.number, unit))
        del series[:-64]


@ACCUMULATED.on("statement")
def cleared(witness: Witness, env: Any) -> None:
    """Note the gradients that this statement cleared."""
    ledger, filled = witness.of(Ledger), witness.run.filled
    if ledger.resets == witness.run.resets:
        return
    ledger.resets = witness.run.resets
    sources = {source.name: source for source in witness.statements}
    for leaf, account in list(ledger.accounts.items()):
        if not account.open:
            continue
        now = filled.get(leaf)
        if now is not None and now.line and leaf._grad is not None:
            continue
        last = account.open[-1]
        moved = is_moved(leaf, account)
        account.ever_moved |= moved
        readers = [key for key, number in witness.readers.get(leaf, {}).items() if number >= last.number]
        used = moved or any(key != witness.place.key for key in readers)
        reads = [witness.at(sources.get(name), line) for name, line in readers if (name, line) != witness.place.key]
        is_read = moved or any(".grad" in x.written.text or x.node is None for x in reads)
        account.wasted = None if is_read else (witness.place, last)  # `if p.grad is not None:` is no use of it
        if account.wasted is not None and len(account.lost) < MOST_LOST:
            account.lost.append(account.wasted)
        if used and account.pending is not None:
            ledger.added[account.pending.key] = account.pending
        account.pending = None
        if len(account.cleared) < 64:
            account.cleared.append((last.number, witness.place))
        account.open = []
        account.moved = False


def rate_of(lr: Any) -> float | None:
    return float(lr) if isinstance(lr, int | float) else None


@CLEARED_EARLY.on("step")
def stepped(witness: Witness, optimizer: Any, parameters: Sequence[Tensor]) -> Iterator[Finding]:
    ledger, place = witness.of(Ledger), witness.place
    held = parameters_in(optimizer)
    steps = ledger.steps.get(optimizer)
    if steps is None or steps.held != len(held):
        steps = ledger.steps[optimizer] = steps or Steps()
        steps.held = len(held)
        ledger.owned.update(dict.fromkeys(held, optimizer))
    steps.count += 1
    steps.latest, steps.time, steps.passed = place, next(tick), witness.run.passed
    steps.rates.update([] if len(steps.rates) > 1 else [rate_of(group.get("lr")) for group in optimizer.param_groups])
    if ledger.has_new_mean:
        ledger.has_new_mean = False
        yield from uneven(ledger, witness)
    yield from last_alone(witness, ledger, place, held)
    if steps.first is None:
        steps.first, steps.passed_before = place, witness.run.passed
    filled = witness.run.filled
    is_idle = all(x._grad is None or (x in filled and not filled[x].line) for x in parameters)
    steps.idle += is_idle
    for leaf in parameters:
        if (account := ledger.accounts.get(leaf)) is not None and account.open:
            account.moved = account.ever_moved = True
            if account.pending is not None:
                ledger.added[account.pending.key] = account.pending
                account.pending = None
    wasted = [(x, account.wasted) for x in held if (account := ledger.accounts.get(x)) is not None and account.wasted]
    if not is_idle or not wasted or (steps.passed_before == 0 and steps.idle == steps.count):
        return
    leaf, (at, filling) = wasted[0]
    names = several(witness.name(x) for x, _ in wasted)
    step = place.written.text
    message = (
        f"{at.written.text} at line {at.line} clears the gradients of line {filling.place.line} before "
        f"{step} at line {place.line} can use them."
    )
    because = f"step() meets no gradient of {names}, and changes nothing."
    instead = f"{step}; {at.written.text}"
    yield CLEARED_EARLY.finding(
        at,
        ", ".join([*(witness.name(x) for x, _ in wasted), witness.path(optimizer)]).removesuffix(", "),
        message,
        because,
        instead,
        see=[filling.place.line, place.line],
    )


@LATE_CLIPPING.on("end")
def clipped(witness: Witness) -> Iterator[Finding]:
    """State that a loop clips gradients where the step cannot use them: after it, or before the pass."""
    for optimizer, steps in witness.of(Ledger).steps.items():
        step, ours = steps.latest, parameters_in(optimizer)
        accounts = [y for x in ours if (y := witness.of(Ledger).accounts.get(x)) is not None]
        passes = [filling.place for y in accounts for filling in (*y.open, *([y.last] if y.last else []))]
        loops = loops_around(witness, step) if step is not None else []
        if step is None or not passes or not loops or any(x.source is not step.source for x in passes):
            continue
        first, last = min(x.line for x in passes), max(x.line for x in passes)
        clips = [
            Place(step.source, x.lineno, x, step.env)
            for x in ast.walk(loops[-1])
            if isinstance(x, ast.Expr) and isinstance(x.value, ast.Call) and called(x.value).startswith("clip_grad_")
        ]
        if not loops[-1].lineno < first <= last < step.line or any(first <= at.line <= step.line for at in clips):
            continue
        for at in (at for at in clips if loops_around(witness, at)[-1] is loops[-1]):
            names = [called(at.node.value), witness.path(optimizer), *map(witness.name, ours[:4])]  # type: ignore[union-attr]
            about = ", ".join(x for x in names if x)
            if at.line > step.line:
                message = f"{at.written.text} at line {at.line} comes after {step.written.text} at line {step.line}."
                because = f"the step has used the gradients of line {last} as they were, unclipped."
                cause, instead = LATE_CLIPPING, f"{at.written.text}; {step.written.text}"
            else:
                message = f"{at.written.text} at line {at.line} runs before the pass of line {first} fills .grad."
                because = f"it meets no gradient, or an old one; {step.written.text} uses the new ones, unclipped."
                cause, instead = EARLY_CLIPPING, f"{at.written.text}  # after line {last}, before line {step.line}"
            yield cause.finding(at, about, message, because, instead, see=[step.line, first, last])
            return


@NEVER_STEPPED.on("end")
def unstepped(witness: Witness) -> Iterator[Finding]:
    """State that gradients are computed and cleared in each round, and nothing ever uses them."""
    ledger = witness.of(Ledger)
    for name, optimizer in witness.objects(optimizer_class()):
        ours = parameters_in(optimizer)
        accounts = [ledger.accounts[x] for x in ours if x in ledger.accounts]
        is_kept = any(account.ever_moved or account.moved or account.count < 2 for account in accounts)
        if optimizer in ledger.steps or not accounts or is_kept or any(x in witness.read for x in ours):
            continue
        at, last = creation(witness, name), accounts[0].last
        if at is None or last is None or not accounts[0].cleared:
            continue
        message = f"{name} never steps: {accounts[0].count} passes give gradients, and nothing uses them."
        names = several(witness.name(x) for x in ours)
        because = f"as at the start, after {accounts[0].count} backward passes: {names}."
        instead = f"{last.place.written.text}; {name}.step()"
        yield NEVER_STEPPED.finding(last.place, f"{name}, {names}", message, because, instead)


def updates(witness: Witness, leaf: Tensor) -> list[Place]:
    """Return the statements that read the gradient of a leaf and change something: `w -= lr * w.grad`."""
    sources = {source.name: source for source in witness.statements}
    places = [witness.at(sources.get(name), line) for name, line in witness.readers.get(leaf, {})]
    return [x for x in places if isinstance(x.node, ast.AugAssign) or x.written.calls("sub_", "add_", "copy_")]


def functions_around(place: Place) -> list[int]:
    """Return the lines of the functions that a statement is in."""
    functions = (x for x in ast.walk(ast.parse(place.source.text)) if isinstance(x, ast.FunctionDef))
    return [x.lineno for x in functions if x.lineno < place.line <= (x.end_lineno or 0)]


@CLEARED_EARLY.on("end")
def cleared_by_hand(witness: Witness) -> Iterator[Finding]:
    """State that a leaf which no optimizer holds is moved by a gradient that was cleared just before, in each round."""
    ledger = witness.of(Ledger)
    for leaf, account in ledger.accounts.items():
        if leaf in ledger.owned or account.ever_moved or not 1 < len(account.lost) == min(account.count, MOST_LOST):
            continue
        at, filling = account.lost[0]
        used = next((x for x in updates(witness, leaf) if x.key != at.key), None)
        if used is None:
            continue
        name, blocks = witness.name(leaf), functions_around(used)
        at = next((x for x in at.calls() if functions_around(x) == blocks), at)  # where the order is written
        message = f"{at.written.text} at line {at.line} clears the gradient of line {filling.place.line} before "
        message += f"{used.written.text} at line {used.line} can use it."
        because = f"{name} stays as at the start: the gradient that line {used.line} reads is 0."
        instead = f"{used.written.text}; {at.written.text}"
        see = [filling.place.line, used.line]
        yield CLEARED_EARLY.finding(at, name, message, because, instead, see=see)


def last_alone(witness: Witness, ledger: Ledger, place: Place, held: Sequence[Tensor]) -> Iterator[Finding]:
    """State that gradients of all parts but the last were cleared in the loop over the parts, before this step."""
    lost = next((x for x in held if x in ledger.accounts and ledger.accounts[x].lost), None)
    if lost is None:
        return
    account = ledger.accounts[lost]
    at, filling = account.lost[0]
    many = len(account.lost) > 1 and account.open and all(clearing.key == at.key for clearing, _ in account.lost)
    for x in held:
        if x in ledger.accounts:
            ledger.accounts[x].lost.clear()
    loops = [loop for loop in loops_around(witness, at) if not loop.lineno < place.line <= (loop.end_lineno or 0)]
    if not many or not loops or not loops[-1].lineno < filling.place.line <= (loops[-1].end_lineno or 0):
        return
    names = [witness.name(x) for x in held if x in ledger.accounts]
    written = place.written.text
    message = f"{at.written.text} at line {at.line} runs in each turn of the inner loop: {written} sees the last alone."
    because = f"the gradients of the turns before are cleared, and line {place.line} runs once, after the loop."
    holder = optimizer_of(witness, lost)
    instead = f"{at.written.text}  # before line {loops[-1].lineno}, outside of the loop"
    yield CLEARED_EARLY.finding(at, ", ".join([*names, holder]), message, because, instead, see=[place.line])


@ACCUMULATED.on("end")
def judged(witness: Witness) -> Iterator[Finding]:
    ledger = witness.of(Ledger)
    for leaf, account in ledger.accounts.items():
        pending, last = account.pending, account.open[-1].number if account.open else 0
        if pending is not None and (is_moved(leaf, account) or witness.read.get(leaf, -1) >= last):
            ledger.added[pending.key] = pending
    groups: dict[Any, list[Added]] = {}
    for addition in ledger.added.values():
        if addition.moved or addition.crossed or is_unmeant(witness, addition):
            groups.setdefault(addition.place.key, []).append(addition)
    wrong: set[int] = set()
    for adds in groups.values():
        first = adds[0]
        other = wrong_clearing(ledger, first)
        if other is not None and first.moved:
            leaf, place = other
            cleared_name, names = witness.name(leaf), several(witness.name(addition.leaf) for addition in adds)
            leaf_name = witness.name(first.leaf)
            message = (
                f"line {place.line} clears {cleared_name}.grad, and never {leaf_name}.grad, which every pass adds to."
            )
            instead = place.written.text.replace(f"{cleared_name}.grad", f"{leaf_name}.grad")
            yield WRONG_CLEARED.finding(
                place, f"{names}, {cleared_name}", message, evidence(witness, first), instead, see=[first.place.line]
            )
            wrong.add(id(first))
            continue
        yield of_added(witness, adds)


def is_unmeant(witness: Witness, addition: Added) -> bool:
    """Return whether gradients of different outputs were added, and read after each, by somebody who never clears.

    Whoever gives weights, keeps the graph or starts from one output twice shows that gradients add up.
    """
    account = witness.of(Ledger).accounts[addition.leaf]
    outputs = [filling.output for filling in account.open]
    plain = all(
        re.fullmatch(r"\w+\.backward\(\)", filling.place.written.text) and filling.output.isidentifier()
        for filling in account.open
    )
    read = witness.read.get(addition.leaf, -1) > addition.before.number
    if read and not account.cleared and is_row_by_row(witness, addition):
        return True
    return read and plain and not account.cleared and len(set(outputs)) == len(outputs) == account.count


def is_row_by_row(witness: Witness, addition: Added) -> bool:
    """Return whether a loop differentiates one entry or output after another, and keeps `.grad` after each."""
    place = addition.place
    loops = loops_around(witness, place)
    calls = place.written.calls("backward")
    output = place.written.argument(calls[0]) if calls else None
    if not loops or not isinstance(loops[-1], ast.For):
        return False
    turn = set(names_in(loops[-1].target))
    index = output.slice if isinstance(output, ast.Subscript) else ast.Pass()
    is_entry = bool(turn & set(names_in(index)))
    before, alone = np.ravel(addition.whole - addition.alone), np.ravel(addition.alone)
    times = round(float(before @ alone) / (float(alone @ alone) or 1.0))
    if not is_entry and np.allclose(before, times * alone):  # the same again, as lessons on adding up have it
        return False
    keeps = [
        x.value
        for x in ast.walk(loops[-1])
        if (isinstance(x, ast.Assign) and isinstance(x.targets[0], ast.Subscript))
        or (isinstance(x, ast.Expr) and isinstance(x.value, ast.Call) and called(x.value) == "append")
    ]
    return any(isinstance(x, ast.Attribute) and x.attr == "grad" for kept in keeps for x in ast.walk(kept))


def wrong_clearing(ledger: Ledger, addition: Added) -> tuple[Tensor, Place] | None:
    """Return a leaf that nothing trains and whose gradient is cleared in each round."""
    for leaf, account in ledger.accounts.items():
        if leaf is addition.leaf or account.ever_moved or leaf in ledger.owned or len(account.cleared) < 2:
            continue
        if any(number >= addition.before.number for number, _ in account.cleared):
            return leaf, account.cleared[0][1]
    return None


def evidence(witness: Witness, addition: Added) -> str:
    name = witness.name(addition.leaf)
    whole, alone = number(addition.whole), number(addition.alone)
    return f"{name}.grad is {whole}, where the last pass alone gives {alone}."


def of_added(witness: Witness, adds: list[Added]) -> Finding:
    first = adds[0]
    place, before = first.place, first.before
    names = several(f"{witness.name(addition.leaf)}.grad" for addition in adds)
    holder = optimizer_of(witness, first.leaf)
    name = witness.name(first.leaf)
    clear = f"{holder}.zero_grad()" if holder else f"{name}.grad = None"
    text = place.written.text
    instead = f"{clear}; {text}" if text and len(text) < 70 else clear
    if first.moved:
        since = "step()" if holder else "the update"
        message = (
            f"{names} still held the gradient of an earlier pass, from before {since}: no zero_grad() "
            "since, so this one was added."
        )
    else:
        message = (
            f"{names} still held the gradient of line {before.place.line}, from {before.output}: this pass added to it."
        )
    listed_names = ", ".join(witness.name(addition.leaf) for addition in adds)
    if holder:
        listed_names += f", {holder}"
    return ACCUMULATED.finding(place, listed_names, message, evidence(witness, first), instead, see=[before.place.line])


@NOT_CALLED.on("end")
def uncalled(witness: Witness) -> Iterator[Finding]:
    """State that a statement names a method that changes something, and does not call it."""
    steps = [x.first.key for x in witness.of(Ledger).steps.values() if x.first is not None]
    for source, x in witness.syntax():
        method = x.value.attr if isinstance(x, ast.Expr) and isinstance(x.value, ast.Attribute) else ""
        if method not in ("backward", "step", "zero_grad", "train", "eval") and not re.search("[a-z]_$", method):
            continue
        text, at = short(x.value), Place(source, x.lineno, x, witness.machine.globals)
        message = f"{text} without () is not called: this line does nothing."
        because = f"it names the method {method}, and runs nothing of it."
        about = ", ".join([*names_in(x), method])
        see = [line for name, line in [*witness.passes, *steps] if name == source.name]
        yield NOT_CALLED.finding(at, about, message, because, f"{text}()", see=see)


@ZERO_RATE.on("end")
def resting(witness: Witness) -> Iterator[Finding]:
    """State that all steps of an optimizer had the rate 0, and gradients."""
    for optimizer, steps in witness.of(Ledger).steps.items():
        if steps.rates != {0} or steps.idle == steps.count or steps.count < 2:
            continue
        name = witness.path(optimizer) or "the optimizer"
        made = creation(witness, name)
        names = several(witness.name(x) for group in optimizer.param_groups for x in group["params"])
        message = f"{name} has the learning rate lr = 0, so its {steps.count} steps change nothing."
        because = f"as at the start, though the passes give gradients: {names}."
        is_made_so = made is not None and getattr(optimizer, "defaults", {}).get("lr") == 0
        instead = made.written.with_rate(0.01) if made is not None and is_made_so else None
        place = made or steps.first or witness.place
        plans = witness.objects(loaded("gradcli.script.torch.optim.lr_scheduler", "LRScheduler"))
        plan = next((name for name, plan in plans if getattr(plan, "optimizer", None) is optimizer), "")
        if plan and any(group.get("initial_lr") for group in optimizer.param_groups):
            message = f"{plan} makes the learning rate of {name} 0, so its {steps.count} steps change nothing."
            place, instead = creation(witness, plan) or place, None
        yield ZERO_RATE.finding(place, f"{name}, lr, {names}", message, because, instead)


@BEFORE_BACKWARD.on("pass", closely=True)
def late(witness: Witness, done: Pass) -> None:
    """Note a pass from what was computed before the step of an optimizer whose first step met no gradient."""
    ledger = witness.of(Ledger)
    for optimizer, steps in ledger.steps.items():
        if steps.idle and not steps.passed_before and done.place.source is getattr(steps.latest, "source", None):
            ours = (x for x in done.order if x.sequence < steps.time)
            leaves = (edge.variable for x in ours for edge in x.edges if isinstance(edge, AccumulateGrad))
            if any(ledger.owned.get(leaf) is optimizer for leaf in leaves):
                steps.late = done.place


@WITHOUT_BACKWARD.on("end")
def idle(witness: Witness) -> Iterator[Finding]:
    """State that all steps of an optimizer met no gradient, and why."""
    ledger = witness.of(Ledger)
    early = any(finding.code == "cleared-early" for finding in witness.findings.values())
    for optimizer, steps in ledger.steps.items():
        is_late = steps.late is not None and steps.count > 1
        if (steps.idle < steps.count and not is_late) or early or steps.first is None:
            continue
        held = parameters_in(optimizer)
        name = witness.path(optimizer) or type(optimizer).__name__
        names = several(map(witness.name, held))
        met = f"all {steps.count} steps meet" if steps.count > 1 else "the step meets"
        fact = f"{met} no gradient, so {names} {'stays' if len(held) == 1 else 'stay'} as at the start."
        about = ", ".join([name, *map(witness.name, held)])
        if is_late and steps.late is not None and steps.idle < steps.count:
            fact = "the first step meets no gradient, and each later one that of the round before, at older weights."
        passed = [(leaf, account) for leaf in held if (account := ledger.accounts.get(leaf)) is not None]
        if passed:
            later = [filling for _, account in passed for filling in account.open]
            at = steps.late or next((filling.place for filling in later), None)
            if at is None:
                continue
            message = (
                f"{steps.first.written.text} at line {steps.first.line} runs before {at.written.text} at "
                f"line {at.line} in each round: the order is wrong."
            )
            instead = f"{at.written.text}; {steps.first.written.text}  # after zero_grad()"
            yield BEFORE_BACKWARD.finding(steps.first, about, message, fact, instead, see=[at.line])
        elif any(leaf in witness.run.origins.used for leaf in held) and not witness.run.passed and not witness.errors:
            yield from never_backward(witness, steps, about, fact)


def never_backward(witness: Witness, steps: Steps, about: str, fact: str) -> Iterator[Finding]:
    """State that a loss was computed and no backward pass ran from it."""
    assert steps.first is not None
    place = steps.first
    losses = [
        key
        for key, value in place.env.items()
        if isinstance(value, Tensor) and isinstance(value.node, Node) and value.value.size == 1
    ]
    loss = losses[-1] if losses else ""
    calls = [
        x
        for tree in witness.trees(place.source)
        for x in ast.walk(tree)
        if isinstance(x, ast.Call) and short(x).endswith(".backward()")
    ]
    if calls:
        unrun = calls[0]
        message = f"{short(unrun)} at line {unrun.lineno} never runs: its branch is not taken."
        at, instead, see = place, f"{short(unrun)}; {place.written.text}", [unrun.lineno]
    elif loss:
        message, see = f"no backward() runs before {place.written.text}: {loss} is computed and not differentiated.", []
        at, instead = place, f"{loss}.backward(); {place.written.text}"
    else:
        message, at, instead, see = f"no backward() runs before {place.written.text}.", place, None, []
    yield WITHOUT_BACKWARD.finding(at, f"{about}, {loss}" if loss else about, message, fact, instead, see=see)


@UNEVEN.on("end")
def uneven_at_end(witness: Witness) -> Iterator[Finding]:
    yield from uneven(witness.of(Ledger), witness)


def uneven(ledger: Ledger, witness: Witness) -> Iterator[Finding]:
    """State that means over unequal parts were added with equal weights."""
    for (source, line), whole_series in ledger.means.items():
        if len({size for size, *_ in whole_series}) < 2:
            continue
        open_now = [
            account
            for account in ledger.accounts.values()
            if account.open and account.open[-1].place.key == (source, line) and not account.moved
        ]
        if not open_now:
            continue
        series = [part for part in whole_series if part[3] >= open_now[0].since]
        sizes = [size for size, *_ in series]
        weights = {round(weight, 12) for _, weight, *_ in series}
        if not open_now or len(series) < 2 or len(set(sizes)) < 2 or len(weights) > 1 or weights == {1.0}:
            continue
        if len(open_now[0].open) < min(2, len(series)):
            continue
        place = open_now[0].open[-1].place
        leaves = list(series[-1][2])
        total = sum(sizes)
        leaf = leaves[0]
        parts = [gradients.get(leaf) for _, _, gradients, *_ in series]
        if any(part is None for part in parts):
            continue
        whole = sum(np.asarray(part) for part in parts)
        weight = series[0][1]
        even = sum(np.asarray(part) / weight * size / total for part, size in zip(parts, sizes, strict=True))
        if np.allclose(whole, even):
            continue
        name = witness.name(leaf)
        rows = ", ".join(map(str, sizes[:6]))
        unit = next((part[4] for part in series if part[4] != "rows"), "rows")
        message = f"the parts have unequal sizes, {rows} {unit}, and each mean counts the same."
        because = f"{name}.grad is {number(whole)}, where the mean over all {total} {unit} gives {number(even)}."
        whole_set = next((key for key, x in place.env.items() if isinstance(x, Tensor) and x.shape[:1] == (total,)), "")
        all_rows = f"len({whole_set})" if whole_set and unit == "rows" else f"{total}"
        instead = weighed(place, sizes[-1], "len({part})" if unit == "rows" else "count", unit, all_rows)
        yield UNEVEN.finding(place, ", ".join(map(witness.name, leaves)), message, because, instead)


def weighed(place: Place, size: int, weight: str, unit: str, total: str) -> str | None:
    """Return the call of backward with a loss that is weighed by its rows, or what else it is a mean of."""
    calls = place.written.calls("backward")
    x = place.written.argument(calls[0]) if calls else None
    if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Div):
        arrays = [
            key for key, value in place.env.items() if isinstance(value, Tensor) and value.ndim and value.node is None
        ]
        part = next((key for key in arrays if len(place.env[key].value) == size), "part")
        of_part = f"  # count: the {unit} of this part" if weight == "count" else ""
        return f"({short(x.left)} * {weight.format(part=part)} / {total}).backward(){of_part}"
    return None
