"""The recorder of a run, which turns the calls of the interpreter and of torch's functions into events."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import Node
from gradcli.engine.modes import changes, mode
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.errors import shortened
from gradcli.ops.support.surface import Called
from gradcli.script.errors import python_class
from gradcli.script.machine import Machine
from gradcli.script.python.syntax.scopes import Env
from gradcli.script.python.text.formatting import text
from gradcli.script.timeline import end_state, passes, reasons, updates
from gradcli.script.timeline.calls import group_of, pieces
from gradcli.script.timeline.changes import add_changes, expose, reset, without_writing
from gradcli.script.timeline.expressions import Done, made_values
from gradcli.script.timeline.model import Asked, Failed, Forward, Named, Timeline, UpdateFacts
from gradcli.script.timeline.names import node_of
from gradcli.script.timeline.origins import Cut
from gradcli.script.timeline.run import Run
from gradcli.source import Source

RECORDED = "gradcli_recorded"  # the attribute of an exception that has its event
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class Recorder:
    """Records the events of a run; the interpreter and the facades of torch call it."""

    def __init__(self, machine: Machine, *, all: bool = False, keeps_last: bool = False) -> None:
        self.machine = machine
        self.run = Run(machine, all, keeps_last)
        self._pending: list[tuple[tuple[Source, int], Done]] = []
        self._depth = 0  # of the calls that run
        self.is_deep = True  # whether the tensors in objects are looked at too
        self.is_often = False  # whether a statement has run so often that only what it assigns is named
        self.is_brief = False  # whether besides that nothing but what it assigns is looked at
        self._is_print = False  # whether the statement that runs makes nothing of its values
        self._required: WeakKeyDictionary[Tensor, bool] = WeakKeyDictionary()
        self._sources: WeakSet[Source] = WeakSet()

    def followed(self, node: ast.stmt, execute: Callable[[Env], Any], source: Source) -> Callable[[Env], Any]:
        """Return a statement that adds its events when it is done."""
        self.run.training.reads(node, source)
        if isinstance(node, COMPOUND):
            return execute
        if source not in self._sources:
            self._sources.add(source)
            self.run.names.reads(source)
        line, machine, run = node.lineno, self.machine, self.run
        targets = [x.id for x in getattr(node, "targets", ()) if isinstance(x, ast.Name)]
        written = list(dict.fromkeys(x.id for x in ast.walk(node) if isinstance(x, ast.Name)))
        is_print, training = isinstance(node, ast.Expr), run.training

        def recorded(env: Env) -> Any:
            is_brief, named, resets = self.is_brief, written if self.is_often else None, run.resets
            if self.is_deep and not is_brief:
                self.look(env)
            latest, before, machine.source = changes.latest, machine.source, source
            olds = [(name, old) for name in targets if isinstance(old := env.get(name), Tensor)] if targets else ()
            muted, run.muted = run.muted, False  # within a hook, or a `backward` of the snippet
            self._is_print = is_print
            outer, training.env = training.env, env
            self._depth += 1
            try:
                signal = execute(env)
            except Exception as error:
                self.ended(env, line, latest)
                self.failed(error, line)
                raise
            finally:
                self._depth -= 1
                run.muted, training.env = muted, outer
            if olds:
                run.names.rename(env, line, olds)
                run.origins.forget(old for _, old in olds if old in run.names.former)
            if is_brief and not run.exposed and run.resets == resets:
                self.done(env, line, targets, latest)
            else:
                self.ended(env, line, latest, named)
            machine.source = before
            return signal

        return recorded

    def append(self, application: Application) -> None:
        """Take an operation from the engine, whose tape this is."""
        line, run = self.machine.line, self.run
        out = application.out
        node = node_of(out)
        if not run.is_silent:
            value = run.copied(out)
            if not run.muted:
                self._pending.append(((self.machine.source, line), Done(application, mode.call, node, value)))
            if isinstance(node, Node):
                run.made[node] = value
                run.read[node] = tuple(map(run.copied, application.inputs))
        if isinstance(node, Node):
            run.lines[node] = line
        run.origins.computed(application, node, line, self.machine.source)

    def cut(self, source: Any, result: Any, how: str) -> None:
        """Note that `detach()`, `.data` or the like took a value out of the graph of `source`."""
        if not isinstance(source, Tensor):
            return
        if isinstance(result, Tensor):
            if how.startswith(".") or how.endswith(")"):
                self.run.names.derived.append((result, source, how if how.startswith(".") else f".{how}"))
                expose(self.run, source)
        elif self._is_print:
            return
        self.run.origins.left(source, result, Cut(self.machine.line, how, self.machine.source))

    def dropped(self, tensor: Tensor, chance: float) -> None:
        """Ignore the note that dropout is applied; the timeline shows it as a product."""

    def copied(self, parts: Sequence[Any], result: Tensor, how: str) -> None:
        """Note that `torch.tensor(...)` copied tensors, or a list with tensors in it."""
        waiting = list(parts)
        for part in waiting:
            if isinstance(part, list | tuple):
                waiting.extend(part)
            elif isinstance(part, Tensor):
                self.run.origins.left(part, result, Cut(self.machine.line, how, self.machine.source))

    def asked(self, tensor: Tensor, gradient: Tensor | None) -> None:
        """Add an event that says why a `.grad` that the snippet reads is None."""
        if gradient is None:
            self.flush()
            name = self.run.name(tensor)
            code, message = reasons.why_none(self.run, tensor)
            self.run.add("asked", name, event=lambda: Asked(*self.run.place, name, code, message))

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """Pass on the events of a backward pass, and add it to the run."""
        self.flush()
        return passes.follow_pass(self.run, outputs, given, events)

    def differentiated(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        """Record a call of `torch.autograd.grad`, which returns gradients and leaves no `.grad`."""
        self.flush()
        return passes.follow_pass(self.run, outputs, given, events, inputs)

    @property
    def asks_how(self) -> bool:
        """Whether the step of an optimizer is shown with its numbers here."""
        return self.run.wanted("updated")

    def stepped(self, optimizer: Any, parameters: Sequence[Tensor], steps: Sequence[UpdateFacts]) -> None:
        """Note that an optimizer changed its parameters, and how."""
        updates.add_step(self.run, optimizer, parameters, steps)

    def zeroed(self, parameters: Sequence[Tensor]) -> None:
        """Note that an optimizer made gradients None or 0."""
        self.run.owned.update(parameters)
        reset(self.run, parameters)

    def look(self, env: Env, is_global: bool = False) -> None:
        """Note the names in these variables, and whether a leaf was made to require grad, or no longer to do so."""
        is_global = is_global or env is self.machine.globals
        depth = 0 if is_global else self._depth
        for tensor, name, before in self.run.names.look(env, depth, deep=self.is_deep):
            if is_global and "." in name:
                self.run.names.replace(tensor, name, self.machine.line)
            if before:
                self.run.add("named", name, event=lambda: Named(*self.run.place, name, before))  # noqa: B023  called now
            required = node_of(tensor) is not None
            if self._required.get(tensor, required) is not required and not isinstance(node_of(tensor), Node):
                self.run.switched[tensor] = (self.machine.line, required)
            self._required[tensor] = required

    def ended(self, env: Env, line: int, latest: int, named: Sequence[str] | None = None) -> None:
        """Name the tensors that a statement made, and add the events of its operations and changes.

        One that has run often is looked at in the variables alone that are written in it.
        """
        self.machine.line = line
        is_global = env is self.machine.globals
        env = env if named is None else {name: env[name] for name in named if name in env}
        self.look(env, is_global)
        self.flush()
        add_changes(self.run, env, line, latest)

    def done(self, env: Env, line: int, targets: Sequence[str], latest: int) -> None:
        """Name the values that a statement has assigned, and note when it changed others, if it has often run."""
        self.machine.lines[0] = line
        tensors = {name: x for name in targets if isinstance(x := env.get(name), Tensor)} if targets else {}
        if tensors:
            self.look(tensors, env is self.machine.globals)
        if self.run.names.derived:
            self.run.names.settle()
        if changes.latest > latest:
            self.run.changed_at.append((changes.latest, line, self.run.has_stepped))
        self.run.has_stepped = False

    def flush(self) -> None:
        """Add the operations that have run, by the lines that they stand on."""
        machine, pending = self.machine, self._pending
        if not pending:
            self.run.names.settle()
            return
        now = machine.source, machine.line
        self._pending = []
        for place in dict.fromkeys(place for place, _ in pending):
            machine.source, machine.line = place
            operations = [done for other, done in pending if other == place]
            kept = {id(application) for application in without_writing([done.application for done in operations])}
            operations = [done for done in operations if id(done.application) in kept]
            self.name_results([done.application for done in operations], [done.call for done in operations])
            if operations:
                self.run.add("forward", event=lambda: forward(self.run, operations))  # noqa: B023  called now
        machine.source, machine.line = now
        self.run.names.settle()

    def name_results(self, applications: Sequence[Application], calls: Sequence[Called | None]) -> None:
        """Name the results of a line, `v1` and of what is a part of it `v1_a`, and note which nodes are parts."""
        names, (source, line, _) = self.run.names, self.run.place
        for piece in pieces(applications, calls):
            *parts, last = (applications[place] for place in piece.places)
            names.name_result(last.out, source, line, piece.places[-1])
            for number, part in enumerate(parts):
                names.name_part(part.out, last.out, number)
            if group := group_of(piece, applications):
                self.run.groups.update([group])
        names.settle()

    def failed(self, error: Exception, line: int) -> None:
        """Add an exception that passes a statement, once, where it began."""
        if RECORDED not in vars(error):
            vars(error)[RECORDED] = True
            kind = python_class(error).__name__
            self.run.add("failed", event=lambda: Failed(*self.run.place, kind, shortened(text(error))))

    def finished(self) -> Timeline:
        """Return the whole run, when it has ended."""
        self.look(self.machine.globals)
        if self.run.names.former:  # leaves that nothing refers to any more are left out
            gc.collect()
        return Timeline(
            tuple(self.run.events),
            tuple(end_state.leaves(self.run)),
            tuple(end_state.notes(self.run)),
            tuple(self.run.training.loops()),
            {output: explain() for output, explain in self.run.last.items()},
        )

    def without_operations(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Leave out the operations of a function, and of one that it returns, except in the snippet's own functions."""

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            self.flush()
            muted, self.run.muted = self.run.muted, True
            try:
                result = function(*arguments, **keywords)
            finally:
                self.run.muted = muted
            return self.without_operations(result) if isinstance(result, FunctionType) else result

        return call


def forward(run: Run, done: Sequence[Done]) -> Forward:
    return Forward(*run.place, made_values(run.names, done, run.place[:2]))
