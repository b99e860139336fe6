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
from gradcli.engine.writing import copy, fill, fill_tensor, overwrite, regenerated, zero
from gradcli.script.python.scopes import Env
from gradcli.script.timeline import diagnosis, passes, reasons
from gradcli.script.timeline.model import Asked, Changed, Event, Failed, Forward, LeafState, Reset, Timeline, Updated
from gradcli.script.timeline.names import TensorNames, node_of
from gradcli.script.timeline.written import kept, made
from gradcli.source import Source

SHOWN = 2  # of the times that one line did the same; the others are counted
TOLD = "gradcli_told"  # the attribute of an exception that has been told
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef)


# What writes over memory: a change in place is told as such, with the version that it leads to.
WRITING = frozenset((zero, fill, fill_tensor, copy, overwrite, regenerated))


def without_writing(applications: Sequence[Application]) -> list[Application]:
    """The operations that users wrote: not the picking of the part that `x[0] = 1` writes over."""
    parts = {id(one.inputs[0]) for one in applications if one.primitive in WRITING}
    return [one for one in applications if one.primitive not in WRITING and id(one.out) not in parts]


class Recorder:
    """Everything that the explanation of one run needs to remember."""

    def __init__(self, machine: Any, *, all: bool = False) -> None:
        self.machine = machine
        self.all = all
        self.names = TensorNames()
        self.events: list[Event] = []
        self.kept_at: dict[Any, list[int]] = {}  # what a line did, and the positions of the events that say so
        self.lines: WeakKeyDictionary[Node, int] = WeakKeyDictionary()  # where each node was made
        self.made: WeakKeyDictionary[Node, Any] = WeakKeyDictionary()  # and the value that it had then
        self.origins: WeakKeyDictionary[Tensor, frozenset[Tensor]] = WeakKeyDictionary()  # the leaves below a tensor
        self.cuts: list[reasons.Cut] = []
        self.changed_at: list[tuple[int, int]] = []  # the clock of the engine up to which a line changed memory
        self.passes: list[reasons.Pass] = []
        self.filled: dict[Tensor, tuple[int, bool]] = {}  # leaves: the line of the pass that left a gradient, is it 0
        self.reset_at: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()
        self.values: WeakKeyDictionary[Tensor, Any] = WeakKeyDictionary()  # leaves as the last pass saw them
        self.pending: list[tuple[int, Application]] = []
        self.walking = False  # a backward pass is: what it computes is told as the pass
        self.has_stepped = False  # an optimizer has, in this statement: its changes are told already

    # What the interpreter and the facades call.

    def followed(self, node: ast.stmt, execute: Callable[[Env], Any], source: Source) -> Callable[[Env], Any]:
        """A statement that tells what it did when it is done."""
        if isinstance(node, COMPOUND):
            return execute
        line, machine = node.lineno, self.machine

        def run(env: Env) -> Any:
            self.names.look(env)
            latest, before, machine.source = changes.latest, machine.source, source
            try:
                signal = execute(env)
            except Exception as error:
                self.ended(env, line, latest)
                self.failed(error, line)
                raise
            self.ended(env, line, latest)
            machine.source = before
            return signal

        return run

    def append(self, application: Application) -> None:
        """The tape of the engine: an operation was applied."""
        if self.walking:
            return
        line = self.machine.line
        self.pending.append((line, application))
        out = application.out
        if isinstance(out.node, Node):
            self.lines[out.node] = line
            self.made[out.node] = kept(out.value)
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
            self.names.provisional[result] = self.name(source) + (how if how.startswith(".") else f".{how}")
        if below and len(self.cuts) < 10_000:
            self.cuts.append(reasons.Cut(self.machine.line, how, below, result if isinstance(result, Tensor) else None))

    def asked(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """The snippet looked at `.grad`."""
        if gradient is None:
            name = self.name(tensor)
            code, message = reasons.why_none(self, tensor, name)
            self.add("asked", name, event=lambda: Asked(*self.place, name, code, message))

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """Pass on what a backward pass does, and keep it."""
        return passes.followed(self, outputs, given, events)

    def differentiated(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], found: Sequence[Any]) -> None:
        """`torch.autograd.grad` returns gradients and leaves no `.grad`."""
        self.passes.append(reasons.Pass(self.machine.line, self.below(outputs), returns=True))

    def stepped(self, optimizer: Any, parameters: Sequence[Tensor]) -> None:
        """An optimizer changed its parameters."""
        changed = tuple(
            (self.name(p), kept(self.values.get(p)), kept(p.value)) for p in parameters if p._grad is not None
        )
        self.has_stepped = True
        self.add("updated", event=lambda: Updated(*self.place, type(optimizer).__name__, changed))

    def zeroed(self, parameters: Sequence[Tensor]) -> None:
        """Gradients that became None or 0, whoever made them so."""
        gone = [p for p in parameters if p in self.filled and self.is_reset(p)]
        for tensor in gone:
            del self.filled[tensor]
            self.reset_at[tensor] = self.machine.line
        for to_none in (True, False):
            names = tuple(self.name(p) for p in gone if (p._grad is None) is to_none)
            if names:
                self.add("reset", to_none, event=lambda: Reset(*self.place, names, to_none))  # noqa: B023  called now

    def is_reset(self, leaf: Tensor) -> bool:
        """Whether a gradient that was there has become None, or 0 where it was not."""
        return leaf._grad is None or not (self.filled[leaf][1] or np.any(leaf._grad.value))

    # What follows from it.

    def ended(self, env: Env, line: int, latest: int) -> None:
        """A statement is done: name what it made, and tell what it changed."""
        self.names.look(env)
        self.flush()
        self.machine.line = line
        stepped, self.has_stepped = self.has_stepped, False
        if changes.latest > latest:
            self.changed_at.append((changes.latest, line))
        if changes.latest > latest and not stepped:
            for name, value in list(env.items()):
                if isinstance(value, Tensor) and value.history and value.history[-1] > latest:
                    told = self.names.get(value) or name
                    fact = Changed(*self.place, told, value._version, kept(value.value))
                    self.add("changed", told, event=lambda: fact)  # noqa: B023  called now
        self.zeroed(list(self.filled))

    def flush(self) -> None:
        """Tell the operations that have run, by the lines that they stand on."""
        now, pending = self.machine.line, self.pending
        self.pending = []
        for line in dict.fromkeys(line for line, _ in pending):
            applications = without_writing([application for other, application in pending if other == line])
            if not applications:
                continue
            for position, application in enumerate(applications):
                self.names.unnamed(application.out, self.machine.source, line, position)
            self.machine.line = line
            self.add(
                "forward",
                event=lambda: Forward(*self.place, tuple(made(self.names, one) for one in applications)),  # noqa: B023
            )
        self.machine.line = now

    def failed(self, error: Exception, line: int) -> None:
        """An exception passes a statement: told once, where it began."""
        if TOLD not in vars(error):
            vars(error)[TOLD] = True
            notes = diagnosis.notes(self, error)
            self.add("failed", event=lambda: Failed(*self.place, str(error), notes))

    def finished(self, error: Exception | None) -> Timeline:
        """The whole run, when it has ended."""
        self.names.look(self.machine.globals)
        return Timeline(tuple(self.events), tuple(self.leaves()))

    def leaves(self) -> Iterator[LeafState]:
        """The leaves that still have a name, with their gradients."""
        for tensor, name in list(self.names.of_tensor.items()):
            part = tensor.base is not None and tensor.base.requires_grad  # a view from no_grad mode is nobody's leaf
            if isinstance(node_of(tensor), AccumulateGrad) and not part:
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
                if isinstance(node_of(x), AccumulateGrad):
                    found |= {x}
        return found

    @property
    def place(self) -> tuple[Source, int, int]:
        """Where the run is, and once: what every event begins with."""
        return self.machine.source, self.machine.line, 1

    def wanted(self, *what: Any) -> bool:
        """Whether another event like this on this line is to be kept."""
        return self.all or len(self.kept_at.get((*self.place, *what), ())) < SHOWN

    def add(self, *what: Any, event: Callable[[], Event]) -> None:
        """Keep an event, or count it where its line has done the same before."""
        positions = self.kept_at.setdefault((*self.place, *what), [])
        if self.wanted(*what):
            positions.append(len(self.events))
            self.events.append(event())
        else:
            last = positions[-1]
            self.events[last] = replace(self.events[last], times=self.events[last].times + 1)
