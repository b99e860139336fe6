"""The interpreter: cells are parsed by Python's own parser, compiled to closures, and run on one machine."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import numpy as np

from gradcli.engine.modes import renewed
from gradcli.errors import ProgramSyntaxError
from gradcli.script import library
from gradcli.script.advice import syntax_advice
from gradcli.script.errors import ExitError, LimitError, UnsupportedError
from gradcli.script.guards import deep, limits_watched, memory_confined
from gradcli.script.limits import TEXT
from gradcli.script.machine import Machine, running
from gradcli.script.python.functions import calls, classes, functions  # noqa: F401  each declares compilers
from gradcli.script.python.syntax import (  # noqa: F401  each declares compilers
    comprehensions,
    control,
    exceptions,
    imports,
    managers,
    patterns,
)
from gradcli.script.python.syntax.compiler import Closure, Unit
from gradcli.script.python.syntax.exceptions import is_exhaustion
from gradcli.script.python.syntax.scopes import Scope
from gradcli.script.python.syntax.statements import block
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.builtins import builtins
from gradcli.script.python.values.places import PLACES
from gradcli.source import Source, Span
from gradcli.workers.confinement import require_walls

PARSER_FRAMES = 1000
OURS = (LimitError, UnsupportedError, ExitError, ProgramSyntaxError)  # errors that Python and torch do not know


def compile_cell(source: Source, machine: Machine, *, echo: bool = False) -> Closure:
    """Compile one cell to a closure; with `echo` a final expression is printed, as notebooks do.

    Raises ProgramSyntaxError for text that Python cannot read, and for syntax that snippets may not contain.
    """
    if len(source.text) > TEXT:
        machine.budget.refuse(f"the snippet has more than {TEXT:,} characters", "put its data into loops")
    tree = parse(source)
    last = tree.body[-1] if tree.body else None
    if echo and isinstance(last, ast.Expr) and not source.text.rstrip().endswith(";"):
        tree.body[-1] = ast.copy_location(ast.Assign([ast.Name(ECHO, ast.Store())], last.value), last)
    try:
        return block(tree.body, Scope("module", frozenset()), Unit(source, machine))
    except RecursionError:
        raise _too_deep(source) from None


ECHO = " echo"  # where the last expression of a cell leaves its value


def parse(source: Source) -> ast.Module:
    """Return the syntax tree; raise ProgramSyntaxError in Python's words, with the place."""
    frames = sys.getrecursionlimit()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sys.setrecursionlimit(PARSER_FRAMES)  # the parser's C code may recurse three times as deep
            tree = ast.parse(source.text)
            compile(source.text, source.name, "exec", dont_inherit=True)  # refuses a return outside a function and such
            return tree
    except SyntaxError as error:
        raise _unreadable(error, source) from None
    except (RecursionError, MemoryError):
        raise _too_deep(source) from None
    except ValueError as error:
        raise ProgramSyntaxError("E101", str(error), help="save the file as text", source=source) from None
    finally:
        sys.setrecursionlimit(frames)


def _too_deep(source: Source) -> ProgramSyntaxError:
    return ProgramSyntaxError(
        "E101", "the snippet is nested too deeply", help="split it into statements", source=source
    )


def _unreadable(error: SyntaxError, source: Source) -> ProgramSyntaxError:
    line = min(error.lineno or 1, source.text.count("\n") + 1)
    start = source.offset(max(line, 1)) + max((error.offset or 1) - 1, 0)
    same = error.end_lineno == error.lineno and (error.end_offset or 0) > (error.offset or 0)
    end = start + (error.end_offset or 0) - (error.offset or 0) if same else start + 1
    return ProgramSyntaxError(
        "E101",
        f"{type(error).__name__}: {error.msg}",
        span=Span(start, end),
        help=syntax_advice(error.msg, source.line(max(line, 1))),
        source=source,
    )


def run(
    cells: Sequence[Source],
    machine: Machine,
    *,
    echo: bool = False,
    asked: Sequence[Source] = (),
    raised: list[Exception] | None = None,
) -> list[object]:
    """Run the cells one after the other; their output goes to `machine.write`.

    Returns the values of the `asked` expressions after the cells have run; the exception that one of them raises is
    in its place. Raises an exception that the snippet did not catch, with the places it came from (see `places`); or
    keeps it in `raised`, if there is such a list and the exception is one that Python or torch would raise.
    """
    require_walls()
    machine.builtins, machine.modules = builtins(), library.modules(machine)
    with _prepared(machine):
        try:
            try:
                _run_cells(cells, machine, echo)
            except Exception as error:
                if raised is None or isinstance(error, OURS):
                    raise
                raised.append(with_message(error, machine))
            return [evaluate_expression(expression, machine) for expression in asked]
        except Exception as error:
            raise with_message(error, machine) from error.__cause__
        finally:
            machine.budget.over = True


def _run_cells(cells: Sequence[Source], machine: Machine, echo: bool) -> None:
    try:
        for cell in cells:
            machine.source = cell
            machine.entered(cell)
            compile_cell(cell, machine, echo=echo)(machine.globals)
            value = machine.globals.pop(ECHO, None)
            if value is not None:
                machine.write(represent(value) + "\n")
    except (SystemExit, KeyboardInterrupt) as stop:
        if (error := end_of_snippet(stop, machine)) is not None:
            raise error from None


def end_of_snippet(stop: SystemExit | KeyboardInterrupt, machine: Machine) -> ExitError | None:
    """Return the error for a snippet that ended itself, at its current line; None where its exit code is 0."""
    if isinstance(stop, SystemExit):
        if stop.code is None or (type(stop.code) in (int, bool) and not stop.code):
            return None
        message, help = "SystemExit", "sys.exit() ends the snippet well"
        with suppress(SystemExit, KeyboardInterrupt):  # of a `__str__`
            message += f": {text(stop.code)}"
    elif PLACES in stop.__dict__:
        message, help = "KeyboardInterrupt", "derive exceptions of your own from Exception"
    else:  # an interruption by a person, not by the snippet
        raise stop
    return ExitError(message, help).at(machine.span, machine.source)


def with_message(error: Exception, machine: Machine) -> Exception:
    """Return the error with its message, which a class of the snippet may compute, and so under the limits."""
    from gradcli.script.failure import MESSAGE, message_of

    places = error.__dict__.get(PLACES, [])
    try:
        if is_exhaustion(error):
            machine.budget.exhausted()
        error.__dict__[MESSAGE] = message_of(error)
    except LimitError as limit:
        limit.__dict__.setdefault(PLACES, places)
        error = limit
    except (Exception, SystemExit, KeyboardInterrupt):  # Python says so too
        error.__dict__[MESSAGE] = "<exception str() failed>"
    if isinstance(error, LimitError) and not error.__dict__.get(PLACES):
        error.at(machine.span, machine.source)
    return error


def evaluate_expression(expression: Source, machine: Machine) -> object:
    """Return the value of an expression, or the exception that it raises."""
    machine.source = expression
    try:
        compile_cell(expression, machine, echo=True)(machine.globals)
    except (SystemExit, KeyboardInterrupt) as stop:
        return end_of_snippet(stop, machine)
    except Exception as error:  # whatever a snippet may raise
        return with_message(error, machine)
    return machine.globals.pop(ECHO, None)


@contextmanager
def _prepared(machine: Machine) -> Iterator[None]:
    """Set for a while the engine's modes, the depth of Python's stack, the warnings and the timer of a run."""
    before, running.machine = running.machine, machine
    largest = machine.budget.limits.elements
    try:
        with (
            renewed(default_dtype=np.dtype(np.float32), largest=largest, tape=machine.timeline),
            np.errstate(all="ignore"),
            np.printoptions(),
            warnings.catch_warnings(),
            deep(),
            memory_confined(machine.budget),
            limits_watched(machine.budget),
        ):
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ResourceWarning)  # of a look at the memory that another one interrupted
            warnings.showwarning = machine.warned
            yield
    finally:
        running.machine = before
