"""`contextlib`: blocks that begin and end with something."""

from __future__ import annotations

import contextlib
import functools
from types import GeneratorType
from typing import Any

from gradcli.script.errors import UnsupportedError, python_class
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace, attribute
from gradcli.script.python.values.builtins import python_types
from gradcli.script.python.values.kinds import is_own_function

GENERATOR = "decorate a function that yields once"


class suppress(Facade):  # noqa: N801  Python's name
    """A block that ignores some exceptions."""

    def __init__(self, *kinds: Any) -> None:
        self._kinds = python_types(kinds)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, _: Any) -> bool:
        return error is not None and issubclass(python_class(error), self._kinds)


class nullcontext(Facade):  # noqa: N801  Python's name
    """A block without any effect."""

    def __init__(self, enter_result: Any = None) -> None:
        self._result = enter_result

    def __enter__(self) -> Any:
        return self._result

    def __exit__(self, *_: Any) -> None:
        return None


class redirect_stdout(Facade):  # noqa: N801  Python's name
    """A block whose output goes somewhere else."""

    def __init__(self, new_target: Any) -> None:
        self._target = new_target
        self._inner: Any = running.machine.redirected(lambda text: attribute(new_target, "write")(text))

    def __enter__(self) -> Any:
        self._inner.__enter__()
        return self._target

    def __exit__(self, *_: Any) -> None:
        self._inner.__exit__(None, None, None)


def contextmanager(func: Any) -> Any:
    """Make a manager of a generator function of the snippet."""
    if not is_own_function(func):
        raise UnsupportedError("contextmanager() of this is not supported here", python=TypeError, help=GENERATOR)

    @functools.wraps(func)
    def generated(*arguments: Any, **keywords: Any) -> Any:
        generator = func(*arguments, **keywords)
        if type(generator) is not GeneratorType:  # another object would be handed Python's own exceptions
            raise TypeError(f"{type(generator).__name__!r} object is not an iterator")
        return generator

    return contextlib.contextmanager(generated)


def namespace(name: str) -> Namespace:
    """`contextlib`."""
    kinds = (suppress, nullcontext, redirect_stdout)
    return Namespace(name, {"contextmanager": contextmanager, **{kind.__name__: kind for kind in kinds}})
