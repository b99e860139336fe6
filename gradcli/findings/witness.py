"""The witness of a run: the recorder of the timeline, which also asks the detectors of the catalogue."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.backward import Accumulation, Contribution, trace
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import AccumulateGrad, Node, Target, nodes_below
from gradcli.engine.modes import switched, tick
from gradcli.engine.recorder import Application
from gradcli.engine.rites import Rites
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.facts import dataclass
from gradcli.findings.declaration import AT_OPERATIONS, DETECTORS
from gradcli.findings.finding import Finding
from gradcli.findings.paths import paths
from gradcli.findings.spelling import Written, backward_call, called
from gradcli.guard import guarded
from gradcli.script.machine import Machine
from gradcli.script.python.syntax.scopes import Env
from gradcli.script.timeline.model import UpdateFacts
from gradcli.script.timeline.names import Generated, node_of
from gradcli.script.timeline.origins import Cut
from gradcli.script.timeline.passes import settle
from gradcli.script.timeline.reasons import list_names
from gradcli.script.timeline.recorder import COMPOUND, Recorder
from gradcli.script.timeline.run import Pass as Passed
from gradcli.source import Source

State = TypeVar("State")
SURVEYED = 3  # first passes of a line that are looked at closely; later ones at every power of two
OFTEN = 64  # times that a statement is looked at as a whole; later ones at every power of two
LARGEST = 4096  # entries of a value that is kept


class Place(NamedTuple):
    """A statement of the snippet that ran, with the variables that it saw; `outer` is the statement that called it."""

    source: Source
    line: int
    node: ast.stmt | None
    env: Env
    outer: Place | None = None

    @property
    def cell(self) -> int | None:
        """The number of the cell of a notebook."""
        number = re.search(r" cell (\d+)$", self.source.name)
        return int(number[1]) if number else None

    @property
    def words(self) -> str:
        """The line in words, and the cell where there is one."""
        return f"line {self.line}" if self.cell is None else f"line {self.line} of cell {self.cell}"

    @property
    def written(self) -> Written:
        return Written(self.node)

    @property
    def key(self) -> tuple[str, int]:
        return self.source.name, self.line

    def calls(self) -> Iterator[Place]:
        """Yield the statements around it, from the inside."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.outer


class Aside(Rites):
    """The rites of a pass that nobody is to notice."""

    def accumulate(self, place: AccumulateGrad, gradient: Carrier, unshared: bool) -> None:
        """Leave `.grad` as it is."""


class Operation(NamedTuple):
    """A primitive that the snippet applied, and where."""

    application: Application
    place: Place

    @property
    def tensors(self) -> list[Tensor]:
        return [x for x in self.application.inputs if isinstance(x, Tensor)]


class Held(NamedTuple):
    """A contribution of a pass, and what its node held then: the pass frees it."""

    event: Contribution
    inputs: tuple[Any, ...] | None
    out: Any


@dataclass
class Pass:
    """A backward pass: what it starts from, its nodes from the oldest, and once it has run what arrived at leaves.

    With `inputs` it is one of `torch.autograd.grad`. It `is_surveyed` if detectors are to look closely.
    """

    number: int
    place: Place
    outputs: Sequence[Tensor]
    inputs: Sequence[Tensor] | None
    is_surveyed: bool
    times: int  # passes of this line so far
    given: Sequence[Any] = ()
    arrivals: list[tuple[Tensor, Any, Any]] = field(default_factory=list)  # a leaf, its gradient, its `.grad` before
    held: list[Held] = field(default_factory=list)

    @property
    def output(self) -> Tensor:
        return self.outputs[0]

    @cached_property
    def order(self) -> list[Node]:
        return nodes_below(x.node for x in self.outputs if x.node is not None)[::-1]

    @cached_property
    def outs(self) -> dict[Node, Any]:
        """The results of the nodes, which the pass frees."""
        return {node: node.out for node in self.order} | {step.event.node: step.out for step in self.held}

    @cached_property
    def totals(self) -> dict[Target, Any]:
        """What has arrived at each place, once the pass has run."""
        edges = ((step.event.node.edges[step.event.position], step.event) for step in self.held)
        return {edge: value_of(event.total) for edge, event in edges if edge is not None}

    @cached_property
    def is_spoilt(self) -> bool:
        """Whether a gradient that arrived is not finite."""
        return not all(finite(gradient) for _, gradient, _ in self.arrivals)

    @cached_property
    def zeros(self) -> list[Tensor]:
        """The leaves whose gradient is 0 everywhere."""
        return [leaf for leaf, gradient, _ in self.arrivals if not np.count_nonzero(gradient)]

    def consumers(self, node: Target) -> list[Node]:
        return [other for other in self.order if any(edge is node for edge in other.edges)]

    def gradient(self, target: Target | None) -> Any:
        return None if target is None else self.totals.get(target)


class Asking(NamedTuple):
    """The snippet read a `.grad` that was None: why, by the reasons of the timeline."""

    place: Place
    tensor: Tensor
    code: str
    message: str
    passes: int


class Witness(Recorder):
    """Records a run and collects findings; if it is not `told`, no event of the timeline is kept."""

    def __init__(self, machine: Machine, *more: Any, all: bool = False, is_told: bool = False) -> None:
        super().__init__(machine, *more, all=all)
        self.run.is_silent = not is_told
        self.findings: dict[tuple[Any, ...], Finding] = {}
        self.stack: list[Place] = []
        self.places: WeakKeyDictionary[Node, Place] = WeakKeyDictionary()  # of the nodes
        self.calls: list[Asking] = []
        self.read: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # leaves: the passes when `.grad` was read
        self.readers: WeakKeyDictionary[Tensor, dict[tuple[str, int], int]] = WeakKeyDictionary()  # the same, by place
        self.errors: list[tuple[Exception, Place]] = []
        self.passes: Counter[tuple[str, int]] = Counter()
        self.statements: dict[Source, list[ast.stmt]] = {}
        self.walked: dict[int, Sequence[Tensor]] = {}  # outputs of the pass that an error ended, by its id
        self.renamed_in: WeakKeyDictionary[Tensor, Source] = WeakKeyDictionary()
        self.returned_in: dict[int, Source] = {}  # by line
        self.differentiated_by: dict[int, Sequence[Tensor]] = {}  # the inputs of the latest `autograd.grad`, by line
        self.departed: dict[tuple[str, int], tuple[Cut, tuple[Tensor, ...]]] = {}  # values for Python, by place
        self.stopped_by: Exception | None = None
        self.is_custom = False  # whether a pass went through a function of the snippet
        self.is_expecting = False  # whether a detector waits for a gradient other than 0
        self._states: dict[type, Any] = {}
        self._paths: dict[int, tuple[str, Any]] = {}
        self._trees: dict[Source, list[ast.Module]] = {}

    def trees(self, source: Source) -> list[ast.Module]:
        """Return the syntax tree of a cell."""
        if source not in self._trees:
            try:
                self._trees[source] = [ast.parse(source.text)]
            except (SyntaxError, ValueError):
                self._trees[source] = []
        return self._trees[source]

    def syntax(self) -> Iterator[tuple[Source, Any]]:
        """Yield all nodes of the syntax trees of the cells."""
        for source in self.statements:
            for tree in self.trees(source):
                yield from ((source, x) for x in ast.walk(tree))

    def of(self, kind: type[State]) -> State:
        """Return what a family of causes keeps about this run, made when it is first asked for."""
        state = self._states.get(kind)
        if state is None:
            state = self._states[kind] = kind()
        return state

    @property
    def place(self) -> Place:
        if self.stack:
            return self.stack[-1]
        return Place(self.machine.source, self.machine.line, None, self.machine.globals)

    def at(self, source: Source | None, line: int) -> Place:
        """Return the place of a line of a cell; where that is not known, of the first cell with a statement there."""
        for cell in self.statements if source is None else (source,):
            for statement in self.statements.get(cell, ()):
                if statement.lineno == line:
                    return Place(cell, line, statement, self.machine.globals)
        return Place(source or self.machine.source, line, None, self.machine.globals)

    def add(self, findings: Iterable[Finding] | None) -> None:
        """Keep findings, one for each code, place and name: that of an error, if there is one."""
        for finding in findings or ():
            key = finding.code, finding.source, finding.line, finding.name
            if key not in self.findings or finding.severity == "error":
                self.findings[key] = finding

    def tell(self, event: str, *facts: Any) -> None:
        """Ask the detectors of an event; one that fails is none of the snippet's errors."""
        for detect in DETECTORS[event]:
            try:
                findings = detect(self, *facts)
                if findings is not None:
                    self.add(findings)
            except Exception as error:
                guarded("note", partial(raised, error), [])

    # What the run does.

    def followed(self, node: ast.stmt, execute: Callable[[Env], Any], source: Source) -> Callable[[Env], Any]:
        """Return a statement that is on the stack of places while it runs."""
        self.statements.setdefault(source, []).append(node)
        inner = super().followed(node, execute, source)
        if isinstance(node, COMPOUND):
            return inner
        stack, times, lines = self.stack, 0, self.machine.lines
        is_silent, is_pass, run = self.run.is_silent, backward_call(node) is not None, self.run
        is_plain = "grad" not in ast.unparse(node).replace(".grad", "")  # switches no mode, and asks for no gradient

        def placed(env: Env) -> Any:
            nonlocal times
            times += 1
            self.is_deep = times <= SURVEYED or not self.run.is_silent
            self.is_often = is_silent and times > OFTEN and times & (times - 1) != 0
            self.is_brief = self.is_often and is_plain
            if is_pass and not run.passed:
                self.is_brief = False  # that of an engine of the snippet
            stack.append(Place(source, node.lineno, node, env, stack[-1] if stack else None))
            try:
                return inner(env)
            finally:
                stack.pop()
                if stack:
                    lines[0] = stack[-1].line  # the statement goes on

        return placed

    def append(self, application: Application) -> None:
        super().append(application)
        if self.run.muted:
            return
        place, node = self.place, node_of(application.out)
        if isinstance(node, Node):
            self.places[node] = place
        detectors = AT_OPERATIONS.get(application.primitive.name)
        if detectors and not (self.is_often and (node is not None or finite(application.out.value))):
            for detect in detectors:
                self.add(detect(self, Operation(application, place)))

    def asked(self, tensor: Tensor, gradient: Tensor | None) -> None:
        if gradient is not None:
            self.read[tensor] = self.readers.setdefault(tensor, {})[self.place.key] = self.run.passed
            return
        self.flush()
        from gradcli.script.timeline import reasons

        code, message = reasons.why_none(self.run, tensor)
        self.calls = [
            asking for asking in self.calls if asking.tensor is not tensor or asking.place.key != self.place.key
        ]
        self.calls.append(Asking(self.place, tensor, code, message, self.run.passed))
        super().asked(tensor, gradient)

    def cut(self, source: Any, result: Any, how: str) -> None:
        """Note a value that left the graph; one that a statement only prints is of no use to a loss."""
        node = self.place.node
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) != "print":
            self._is_print = False
        super().cut(source, result, how)
        if isinstance(source, Tensor) and not isinstance(result, Tensor) and not self._is_print:
            leaves = tuple(self.run.origins.below([source]))
            if leaves:
                place = self.place
                cut, before = self.departed.get(place.key, (Cut(place.line, how, place.source), ()))
                self.departed[place.key] = cut, tuple(dict.fromkeys((*before, *leaves)))[-8:]

    def dropped(self, tensor: Tensor, chance: float) -> None:
        self.tell("dropout", tensor, chance)

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        return self._passed(outputs, given, events, None)

    def differentiated(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        return self._passed(outputs, given, events, inputs)

    def _passed(
        self,
        outputs: Sequence[Tensor],
        given: Sequence[Any],
        events: Iterator[Contributed],
        inputs: Sequence[Tensor] | None,
    ) -> Iterator[Contributed]:
        place = self.place
        self.flush()
        self.passes[place.key] += 1
        times = self.passes[place.key]
        closely = times <= SURVEYED or times & (times - 1) == 0
        done = Pass(self.run.passed + 1, place, outputs, inputs, closely, times, given)
        custom = custom_node()
        is_often = times > OFTEN and not closely and inputs is None and self.run.is_silent
        if is_often and not self.is_expecting and not self.is_custom and finite(outputs[0].value):
            return self._passed_often(done, events)
        return self._passed_closely(done, custom, events)

    def _passed_closely(self, done: Pass, custom: Any, events: Iterator[Contributed]) -> Iterator[Contributed]:
        place, outputs, inputs, given, closely = done.place, done.outputs, done.inputs, done.given, done.is_surveyed
        if inputs is not None:
            self.returned_in[place.line] = place.source
            self.differentiated_by[place.line] = inputs
        is_fresh = not closely or all(node.inputs is not None and done.outs for node in done.order)
        if is_fresh:
            self.tell("pass", done)
        if is_fresh and closely:
            self.tell("pass closely", done)
        is_own = bool(custom) and any(type(node) is not Node for node in done.order)
        self.is_custom |= is_own
        is_quick = self.run.is_silent and not is_own
        if is_quick:
            self.run.walked = outputs
        elif inputs is None:
            events = super().backward(outputs, given, events)
        else:
            events = super().differentiated(outputs, inputs, given, events)
        for event in self.muting(events) if is_quick else events:
            if isinstance(event, Accumulation):
                arrive(done, event)
            else:
                done.held.append(Held(event, event.node.inputs, event.node.out))
                if custom and isinstance(event.node, custom):
                    self.tell("answer", done, event)
            yield event
        if is_quick:
            self.settled(done, {step.event.node for step in done.held})
        if inputs is not None or not finite(done.output.value) or done.is_spoilt:
            self.reconsider(done)
        self.tell("arrival", done)
        if closely:
            self.tell("arrival closely", done)

    def _passed_often(self, done: Pass, events: Iterator[Contributed]) -> Iterator[Contributed]:
        """Follow a pass of a line that has had many: only what it leaves at leaves, unless that is not finite."""
        self.run.walked, self.run.muted = done.outputs, True
        held: list[tuple[Contribution, Any, Any]] = []
        try:
            for event in events:
                if isinstance(event, Accumulation):
                    arrive(done, event)
                else:
                    held.append((event, event.node.inputs, event.node.out))
                yield event
        finally:
            self.run.muted = False
        self.settled(done, {event.node for event, _, _ in held})
        if done.is_spoilt:
            done.held = [Held(*step) for step in held]
            with restored(done.held):
                self.tell("pass", done)
            self.reconsider(done)
            self.tell("arrival", done)
        else:
            self.tell("often", done)

    def reconsider(self, done: Pass) -> None:
        """Ask of each contribution of a pass that is not finite, while its node has again what it held then."""
        for event, inputs, out in done.held:
            node = event.node
            if not finite(value_of(event.contribution)):
                now = node.inputs, node.out
                try:
                    node.inputs, node.out = inputs, out
                    self.tell("contribution", done, event)
                finally:
                    node.inputs, node.out = now

    def muting(self, events: Iterator[Contributed]) -> Iterator[Contributed]:
        """Pass on the events of a pass whose own operations are none of the snippet's."""
        self.run.muted = True
        try:
            yield from events
        finally:
            self.run.muted = False

    def settled(self, done: Pass, nodes: Collection[Node]) -> None:
        """Note what the timeline has to know of a pass that it did not follow."""
        run, line = self.run, done.place.line
        run.machine.line = line
        for node in nodes:
            if node.inputs is None:
                run.freed.setdefault(node, line)
        reached = [leaf for leaf, _, _ in done.arrivals] if done.inputs is None else []
        output = list_names(map(run.name, done.outputs))
        run.add_pass(Passed(line, output, run.origins.below(done.outputs), reached, done.inputs is not None))
        settle(run, line, reached)

    def stepped(self, optimizer: Any, parameters: Sequence[Tensor], facts: Sequence[UpdateFacts]) -> None:
        self.tell("step", optimizer, parameters)
        super().stepped(optimizer, parameters, facts)

    def ended(self, env: Env, line: int, latest: int, named: Sequence[str] | None = None) -> None:
        exposed = [(x, before) for x, before in self.run.exposed.items() if before is not None]
        super().ended(env, line, latest, named)
        for tensor, before in exposed:
            if not np.array_equal(before, tensor.value, equal_nan=True):
                self.tell("exposed", tensor, before, next(tick))
        if self.run.names.renamed:
            for tensor in self.run.names.renamed:
                self.renamed_in.setdefault(tensor, self.machine.source)
        self.tell("statement", env)

    def failed(self, error: Exception, line: int) -> None:
        super().failed(error, line)
        if all(error is not known for known, _ in self.errors):
            self.errors.append((error, self.place))
            self.walked[id(error)] = tuple(self.run.walked)
            self.tell("error", error)

    def judged(self, error: GradcliError | None) -> list[Finding]:
        """Return the findings of the whole run, when it has ended; the error is the one that stopped it."""
        self.stopped_by = self.errors[-1][0] if error is not None and self.errors else None
        self.tell("end")
        self.tell("stopped")
        from gradcli.findings.judging import ordered

        return ordered(self.findings.values())

    # Words about it.

    def known(self, tensor: Tensor) -> str:
        """Return the asker's name of a tensor, empty where there is none; of a leaf that of the outermost caller."""
        name = self.run.names.get(tensor)
        given = "" if name is None or isinstance(name, Generated) else spelled(name)
        if isinstance(node_of(tensor), AccumulateGrad):
            holder = self.machine.globals.get(re.split(r"[.\[]", given)[0])
            return self.path(tensor) or given if holder is None or isinstance(holder, list | tuple | dict) else given
        return given

    def path(self, value: Any) -> str:
        """Return the path to a leaf or an object from the variables of the snippet, the outermost; else ""."""
        name, known_value = self._paths.get(id(value), ("", None))
        if known_value is not value:
            self._paths = {id(x): (spelled(name), x) for name, x in self.paths()}
            name, known_value = self._paths.get(id(value), ("", None))
        return name if known_value is value else ""

    def paths(self) -> Iterator[tuple[str, Any]]:
        """Yield the leaves and the objects that variables lead to, with their names, those of outer callers first."""
        seen: set[int] = set()
        for variables in (self.machine.globals, *(place.env for place in self.stack)):
            for name, x in paths(variables):
                if id(x) not in seen and not (isinstance(x, Tensor) and isinstance(node_of(x), Node)):
                    seen.add(id(x))
                    yield name, x

    def objects(self, kind: Any) -> list[tuple[str, Any]]:
        """Return the objects of a class that variables lead to, with their names."""
        return [(name, x) for name, x in self.paths() if isinstance(x, kind)]

    def name(self, tensor: Tensor) -> str:
        """Return the asker's name of a tensor, or the expression that made it."""
        known_name = self.known(tensor)
        if known_name:
            return known_name
        node = node_of(tensor)
        place = self.places.get(node) if isinstance(node, Node) else None
        if place is not None and isinstance(node, Node):
            return place.written.of_primitive(node.primitive.name) or f"the result of line {place.line}"
        return ("" if isinstance(node, Node) else self.path(tensor)) or "a tensor without a name"

    def place_of(self, node: Any) -> Place | None:
        return self.places.get(node) if isinstance(node, Node) else None

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Compute inside the block what the run does not see."""
        muted, self.run.muted = self.run.muted, True
        try:
            with switched(tape=None, grad_enabled=True), np.errstate(all="ignore"):
                yield
        finally:
            self.run.muted = muted

    def instead(
        self, done: Pass, replaced: dict[Node, Tensor], others: Mapping[str, Callable[..., Any]] = MappingProxyType({})
    ) -> tuple[Tensor, dict[Tensor, Any]] | None:
        """Compute a pass again with other results of some nodes, or other operations in place of those of a name.

        Return the output and the gradients of the leaves, None where that cannot be computed.
        """
        made = dict(replaced)
        try:
            with self.aside():
                for node in done.order:
                    if node in made or node.inputs is None:
                        continue
                    inputs = [
                        made.get(x.node, x) if isinstance(x, Tensor) and isinstance(x.node, Node) else x
                        for x in node.inputs
                    ]
                    other = others.get(node.primitive.name)
                    if other is not None:
                        made[node] = other(*inputs)
                    elif any(x is not y for x, y in zip(inputs, node.inputs, strict=True)):
                        made[node] = node.primitive(*inputs, **node.options)
                output = made.get(done.output.node, done.output) if isinstance(done.output.node, Node) else done.output
                return output, self.gradients(output)
        except Exception:  # another shape, which nothing after it can take
            return None

    def gradients(self, output: Tensor) -> dict[Tensor, Any]:
        """Return the gradients of the leaves of an output, without leaving a trace."""
        with self.aside():
            events = list(trace([output], [np.ones_like(output.value)[()]], Aside()))
        return {event.leaf: value_of(event.gradient) for event in events if isinstance(event, Accumulation)}


def assignments(witness: Witness, name: str) -> list[Place]:
    """Return the statements that assign a variable or an attribute; inside its class it is one of self."""
    names = {name, re.sub(r"^.*\.", "self.", name)}
    places = []
    for source, statements in witness.statements.items():
        for x in statements:
            targets = x.targets if isinstance(x, ast.Assign) else []
            parts = [y for target in targets for y in (target.elts if isinstance(target, ast.Tuple) else [target])]
            if any(ast.unparse(part) in names for part in parts):
                places.append(Place(source, x.lineno, x, witness.machine.globals))
    return places


def creation(witness: Witness, name: str) -> Place | None:
    """Return the statement that assigned a variable first."""
    return next(iter(assignments(witness, name)), None)


def loops_around(witness: Witness, place: Place) -> list[ast.For | ast.While]:
    """Return the loops around a line of the snippet, from the outside."""
    return [
        x
        for tree in witness.trees(place.source)
        for x in ast.walk(tree)
        if isinstance(x, ast.For | ast.While) and x.lineno < place.line <= (x.end_lineno or x.lineno)
    ]


def raised(error: Exception) -> list[Finding]:
    raise error


def loaded(module: str, name: str) -> Any:
    """Return a class of a module if the snippet has needed that, else what nothing is an instance of."""
    namespace = sys.modules.get(module)
    return () if namespace is None else getattr(namespace, name)


def custom_node() -> Any:
    return loaded("gradcli.script.torch.autograd.functions", "CustomNode")


def module_class() -> Any:
    return loaded("gradcli.script.torch.nn.base.base", "Module")


def optimizer_class() -> Any:
    return loaded("gradcli.script.torch.optim.optimizer", "Optimizer")


def value_of(x: Any) -> Any:
    return x.value if isinstance(x, Tensor) else x


def spelled(name: str) -> str:
    """Return `net.0.weight` as it is typed: `net[0].weight`."""
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name)


def arrive(done: Pass, event: Accumulation) -> None:
    """Note what arrived at a leaf, and the `.grad` that was there."""
    before = event.leaf._grad
    copied = None if before is None or before.value.size > LARGEST else np.array(before.value)
    done.arrivals.append((event.leaf, value_of(event.gradient), copied))


@contextmanager
def restored(held: Sequence[Held]) -> Iterator[None]:
    """Let the nodes of a pass have inside the block what it has freed."""
    now = {step.event.node: (step.event.node.inputs, step.event.node.out) for step in held}
    for step in held:
        step.event.node.inputs, step.event.node.out = step.inputs, step.out
    try:
        yield
    finally:
        for node, (inputs, out) in now.items():
            node.inputs, node.out = inputs, out


def finite(value: Any) -> bool:
    return bool(np.count_nonzero(np.isfinite(value)) == np.size(value))


def leads(node: Node, leaf: Tensor) -> bool:
    """Return whether a node leads to a leaf."""
    waiting, seen = [node], {node}
    while waiting:
        for edge in waiting.pop().edges:
            if isinstance(edge, AccumulateGrad) and edge.variable is leaf:
                return True
            if isinstance(edge, Node) and edge not in seen:
                seen.add(edge)
                waiting.append(edge)
    return False
