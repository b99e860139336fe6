"""Listening to a run: what each line built, changed, asked for, and what each backward pass did."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import Node
from gradcli.engine.modes import changes
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import python_class
from gradcli.script.python.syntax.scopes import Env
from gradcli.script.timeline import diagnosis, endings, passes, reasons
from gradcli.script.timeline.changes import Memory, without_writing
from gradcli.script.timeline.history import History
from gradcli.script.timeline.model import Asked, Event, Failed, Forward, Named, Timeline
from gradcli.script.timeline.names import TensorNames, node_of
from gradcli.script.timeline.origins import Cut, Origins
from gradcli.script.timeline.updates import Updates
from gradcli.script.timeline.written import kept, made
from gradcli.source import Source

SHOWN = 2  # of the times that one line did the same; the others are counted
TOLD = "gradcli_told"  # the attribute of an exception that has been told
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class Recorder(History):
    """Everything that the explanation of one run needs to remember."""

    def __init__(self, machine: Any, *, all: bool = False) -> None:
        super().__init__()
        self.machine = machine
        self.all = all
        self.names = TensorNames()
        self.origins = Origins(self.names.former)
        self.memory = Memory(self)
        self.updates = Updates(self)
        self.events: list[Event] = []
        self.kept_at: dict[Any, list[int]] = {}  # what a line did, and the positions of the events that say so
        self.lines: WeakKeyDictionary[Node, int] = WeakKeyDictionary()  # where each node was made
        self.made: WeakKeyDictionary[Node, Any] = WeakKeyDictionary()  # and the value that it had then
        self.switched: WeakKeyDictionary[Tensor, tuple[int, bool]] = (
            WeakKeyDictionary()
        )  # requires_grad: where, to what
        self.told: set[Any] = set()  # what is said once
        self.walking = False  # a backward pass is: what it computes itself is told as the pass
        self.pending: list[tuple[int, Application]] = []
        self._required: WeakKeyDictionary[Tensor, bool] = WeakKeyDictionary()
        self._sources: WeakSet[Source] = WeakSet()

    # What the interpreter and the facades call.

    def followed(self, node: ast.stmt, execute: Callable[[Env], Any], source: Source) -> Callable[[Env], Any]:
        """A statement that tells what it did when it is done."""
        if isinstance(node, COMPOUND):
            return execute
        if source not in self._sources:
            self._sources.add(source)
            self.names.reads(source)
        line, machine = node.lineno, self.machine
        targets = [x.id for x in getattr(node, "targets", ()) if isinstance(x, ast.Name)]
        is_print = isinstance(node, ast.Expr)

        def run(env: Env) -> Any:
            self.look(env)
            latest, before, machine.source = changes.latest, machine.source, source
            olds = [(name, env.get(name)) for name in targets]
            walking, self.walking = self.walking, False  # in a hook, or the backward of a function of the snippet
            self.memory.is_print = is_print
            try:
                signal = execute(env)
            except Exception as error:
                self.ended(env, line, latest)
                self.failed(error, line)
                raise
            finally:
                self.walking = walking
            self.names.rename(env, line, olds)
            self.origins.forget(old for _, old in olds if isinstance(old, Tensor) and old in self.names.former)
            self.ended(env, line, latest)
            machine.source = before
            return signal

        return run

    def append(self, application: Application) -> None:
        """The tape of the engine: an operation was applied."""
        line = self.machine.line
        if not self.walking:
            self.pending.append((line, application))
        out = application.out
        if isinstance(out.node, Node):
            self.lines[out.node] = line
            self.made[out.node] = kept(out.value)
        self.origins.computed(application, line)

    def cut(self, source: Any, result: Any, how: str) -> None:
        """`detach()`, `.data` and their kin: what follows is outside the graph of `source`."""
        if not isinstance(source, Tensor):
            return
        if isinstance(result, Tensor):
            self.names.derived.append((result, source, how if how.startswith(".") else f".{how}"))
            self.memory.exposed(source)
        elif self.memory.is_print:
            return
        self.origins.left(source, result, Cut(self.machine.line, how))

    def copied(self, parts: Sequence[Any], result: Tensor, how: str) -> None:
        """`torch.tensor(...)` of tensors, or of a list with tensors in it."""
        for part in parts:
            if isinstance(part, Tensor):
                self.origins.left(part, result, Cut(self.machine.line, how))

    def asked(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """The snippet looked at `.grad`."""
        if gradient is None:
            self.flush()
            name = self.name(tensor)
            code, message = reasons.why_none(self, tensor)
            self.add("asked", name, event=lambda: Asked(*self.place, name, code, message))

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """Pass on what a backward pass does, and keep it."""
        return passes.followed(self, outputs, given, events)

    def differentiated(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """The same for `torch.autograd.grad`, which returns gradients and leaves no `.grad`."""
        return passes.followed(self, outputs, given, events, inputs)

    def stepped(self, optimizer: Any, parameters: Sequence[Tensor]) -> None:
        """An optimizer changed its parameters."""
        self.updates.stepped(optimizer, parameters)

    def zeroed(self, parameters: Sequence[Tensor]) -> None:
        """An optimizer made gradients None or 0."""
        self.updates.owned.update(parameters)
        self.memory.reset(parameters)

    def look(self, env: Env) -> None:
        """Note the names in these variables, and whether a leaf was made to require grad, or no longer to do so."""
        for tensor, name, before in self.names.look(env):
            if env is self.machine.globals and "." in name:
                self.names.replace(tensor, name, self.machine.line)
            if before:
                self.add("named", name, event=lambda: Named(*self.place, name, before))  # noqa: B023  called now
            required = node_of(tensor) is not None
            if self._required.get(tensor, required) is not required and not isinstance(node_of(tensor), Node):
                self.switched[tensor] = (self.machine.line, required)
            self._required[tensor] = required

    def ended(self, env: Env, line: int, latest: int) -> None:
        """A statement is done: name what it made, and tell what it changed."""
        self.machine.line = line
        self.look(env)
        self.flush()
        self.memory.ended(env, line, latest)

    def flush(self) -> None:
        """Tell the operations that have run, by the lines that they stand on."""
        now, pending = self.machine.line, self.pending
        self.pending = []
        for line in dict.fromkeys(line for line, _ in pending):
            self.machine.line = line
            applications = without_writing([application for other, application in pending if other == line])
            for position, application in enumerate(applications):
                self.names.unnamed(application.out, self.machine.source, line, position)
            self.names.settle()
            if applications:
                place = (self.machine.source, line)
                self.add(
                    "forward",
                    event=lambda: Forward(*self.place, tuple(made(self.names, one, place) for one in applications)),  # noqa: B023
                )
        self.machine.line = now
        self.names.settle()

    def failed(self, error: Exception, line: int) -> None:
        """An exception passes a statement: told once, where it began."""
        if TOLD not in vars(error):
            vars(error)[TOLD] = True
            notes, kind = tuple(diagnosis.notes(self, error)), python_class(error).__name__
            self.add("failed", event=lambda: Failed(*self.place, kind, str(error), notes))

    def finished(self, error: Exception | None) -> Timeline:
        """The whole run, when it has ended."""
        self.look(self.machine.globals)
        if self.names.former:  # those that nothing leads to are no leaves of the run any more
            gc.collect()
        return Timeline(tuple(self.events), tuple(endings.leaves(self)), tuple(endings.notes(self)))

    def untold(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function, and what it makes, whose own operations are not told; those of the snippet's functions are."""

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.flush()
            walking, self.walking = self.walking, True
            try:
                result = function(*arguments, **keywords)
            finally:
                self.walking = walking
            return self.untold(result) if isinstance(result, FunctionType) else result

        return call

    def name(self, tensor: Tensor) -> str:
        return self.names.of_input(tensor)

    @property
    def place(self) -> tuple[Source, int, int]:
        """Where the run is, and once: what every event begins with."""
        return self.machine.source, self.machine.line, 1

    def once(self, *what: Any) -> bool:
        """Whether something is said for the first time."""
        if what in self.told:
            return False
        self.told.add(what)
        return True

    def wanted(self, *what: Any) -> bool:
        """Whether another event like this on this line is to be kept."""
        return self.all or len(self.kept_at.get((*self.place, *what), ())) < SHOWN

    def times(self, *what: Any) -> int:
        """How often this line has done something so far."""
        return sum(self.events[position].times for position in self.kept_at.get((*self.place, *what), ()))

    def add(self, *what: Any, event: Callable[[], Event], news: bool = False) -> None:
        """Keep an event, or count it where its line has done the same before and there is no news in it."""
        positions = self.kept_at.setdefault((*self.place, *what), [])
        if news or self.wanted(*what):
            positions.append(len(self.events))
            self.events.append(event())
        else:
            last = positions[-1]
            self.events[last] = replace(self.events[last], times=self.events[last].times + 1)
