"""Listening to a run: what each line built, changed, asked for, and what each backward pass did."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import AccumulateGrad, Node, changes
from gradcli.engine.modes import mode
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.script.python.scopes import Env
from gradcli.script.timeline import diagnosis, passes, reasons
from gradcli.script.timeline.model import Asked, Changed, Event, Failed, Forward, LeafState, Reset, Timeline, Updated
from gradcli.script.timeline.names import TensorNames
from gradcli.script.timeline.written import kept, made
from gradcli.source import Source

SHOWN = 2  # of the times that one line did the same; the others are counted
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef)


class Recorder:
    """Everything that the explanation of one run needs to remember."""

    def __init__(self, machine: Any, *, all: bool = False) -> None:
        self.machine = machine
        self.all = all
        self.names = TensorNames()
        self.events: list[Event] = []
        self.counts: dict[Any, list[int]] = {}  # what a line did: how often, and the positions of its events
        self.lines: WeakKeyDictionary[Node, int] = WeakKeyDictionary()  # where each node was made
        self.origins: WeakKeyDictionary[Tensor, frozenset[Tensor]] = WeakKeyDictionary()  # the leaves below a tensor
        self.cuts: list[reasons.Cut] = []
        self.changed_at: list[tuple[int, int]] = []  # the clock of the engine up to which a line changed memory
        self.passes: list[int] = []  # the lines of the backward passes
        self.filled: dict[Tensor, int] = {}  # leaves with a gradient, and the line of the pass that left it
        self.reset_at: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()
        self.values: WeakKeyDictionary[Tensor, Any] = WeakKeyDictionary()  # leaves as the last pass saw them
        self.pending: list[tuple[int, Application]] = []
        self.failures: set[int] = set()

    # What the interpreter and the facades call.

    def followed(self, node: ast.stmt, execute: Callable[[Env], Any], source: Source) -> Callable[[Env], Any]:
        """A statement that tells what it did when it is done."""
        if isinstance(node, COMPOUND):
            return execute
        line = node.lineno

        def run(env: Env) -> Any:
            self.names.look(env)
            latest = changes.latest
            try:
                signal = execute(env)
            except Exception as error:
                self.ended(env, line, latest)
                self.failed(error, line)
                raise
            self.ended(env, line, latest)
            return signal

        return run

    def append(self, application: Application) -> None:
        """The tape of the engine: an operation was applied."""
        line = self.machine.line
        self.pending.append((line, application))
        out = application.out
        if isinstance(out.node, Node):
            self.lines[out.node] = line
        below = self.below(application.inputs)
        if below:
            self.origins[out] = below
            if out.node is None and not mode.grad_enabled:
                self.cuts.append(reasons.Cut(line, "no_grad", below, out))

    def cut(self, source: Tensor, result: Any, how: str) -> None:
        """`detach()`, `.data` and their kin: what follows is outside the graph of `source`."""
        below = self.below((source,))
        if isinstance(result, Tensor):
            self.origins[result] = below
        if below and len(self.cuts) < 10_000:
            self.cuts.append(reasons.Cut(self.machine.line, how, below, result if isinstance(result, Tensor) else None))

    def asked(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """The snippet looked at `.grad`."""
        if gradient is None:
            name = self.name(tensor)
            code, message = reasons.why_none(self, tensor, name)
            self.add(("asked", self.machine.line, name, code), Asked(self.machine.line, 1, name, code, message))

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """Pass on what a backward pass does, and keep it."""
        return passes.followed(self, outputs, given, events)

    def differentiated(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], found: Sequence[Any]) -> None:
        """`torch.autograd.grad` leaves no `.grad`; the lines that it ran on count as passes."""
        self.passes.append(self.machine.line)

    def stepped(self, optimizer: Any, parameters: Sequence[Tensor]) -> None:
        """An optimizer changed its parameters."""
        changed = tuple(
            (self.name(p), kept(self.values.get(p)), kept(p.value)) for p in parameters if p._grad is not None
        )
        line, kind = self.machine.line, type(optimizer).__name__
        self.add(("updated", line), Updated(line, 1, kind, changed))

    def zeroed(self, parameters: Sequence[Tensor]) -> None:
        """Gradients that became None or 0, whoever made them so."""
        gone = [p for p in parameters if p in self.filled and (p._grad is None or not np.any(p._grad.value))]
        for tensor in gone:
            del self.filled[tensor]
            self.reset_at[tensor] = self.machine.line
        for to_none in (True, False):
            names = tuple(self.name(p) for p in gone if (p._grad is None) is to_none)
            if names:
                self.add(("reset", self.machine.line, to_none), Reset(self.machine.line, 1, names, to_none))

    # What follows from it.

    def ended(self, env: Env, line: int, latest: int) -> None:
        """A statement is done: name what it made, and tell what it changed."""
        self.names.look(env)
        for at in dict.fromkeys(line for line, _ in self.pending):
            self.built(at, [application for other, application in self.pending if other == at])
        self.pending.clear()
        if changes.latest > latest:
            self.changed_at.append((changes.latest, line))
            for name, value in list(env.items()):
                if isinstance(value, Tensor) and value.history and value.history[-1] > latest:
                    told = self.names.get(value) or name
                    self.add(("changed", line, told), Changed(line, 1, told, value._version))
        self.zeroed(list(self.filled))

    def built(self, line: int, applications: Sequence[Application]) -> None:
        if self.wanted(("forward", line)):
            for position, application in enumerate(applications):
                self.names.unnamed(application.out, line, position)
            self.add(("forward", line), Forward(line, 1, tuple(made(self.names, one) for one in applications)))
        else:
            self.add(("forward", line), None)

    def failed(self, error: Exception, line: int) -> None:
        """An exception passes a statement: told once, where it began."""
        if id(error) not in self.failures:
            self.failures.add(id(error))
            notes = diagnosis.notes(self, error)
            self.add(("failed", line), Failed(line, 1, str(error), notes))

    def finished(self, error: Exception | None) -> Timeline:
        """The whole run, when it has ended."""
        self.names.look(self.machine.globals)
        source = self.machine.source
        lines = tuple(source.text.split("\n"))
        return Timeline(source.name, lines, tuple(self.events), tuple(self.leaves()))

    def leaves(self) -> Iterator[LeafState]:
        """The leaves that still have a name, with their gradients."""
        for tensor, name in list(self.names.of_tensor.items()):
            if isinstance(tensor.node, AccumulateGrad):
                reason = "" if tensor._grad is not None else reasons.why_none(self, tensor, name)[1]
                gradient = None if tensor._grad is None else kept(tensor._grad.value)
                yield LeafState(name, kept(tensor.value), gradient, reason)

    def name(self, tensor: Tensor) -> str:
        return self.names.get(tensor) or "a tensor without a name"

    def below(self, inputs: Sequence[Any]) -> frozenset[Tensor]:
        """The leaves that require grad below these tensors, whether or not the graph still leads to them."""
        found: frozenset[Tensor] = frozenset()
        for x in inputs:
            if isinstance(x, Tensor):
                found |= self.origins.get(x, frozenset())
                if isinstance(x.node, AccumulateGrad):
                    found |= {x}
        return found

    def wanted(self, key: Any) -> bool:
        """Whether another event like this is to be kept."""
        return self.all or len(self.counts.get(key, ())) <= SHOWN

    def add(self, key: Any, event: Event | None) -> None:
        """Keep an event, or count it where its line has done the same before."""
        counted = self.counts.setdefault(key, [0])
        counted[0] += 1
        if event is not None and self.wanted(key):
            counted.append(len(self.events))
            self.events.append(event)
        elif len(counted) > 1:
            last = counted[-1]
            self.events[last] = replace(self.events[last], times=self.events[last].times + 1)
