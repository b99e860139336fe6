"""`contextlib`: blocks that begin and end with something."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from types import GeneratorType
from typing import Any

from gradcli.script.errors import UnsupportedError, is_final, python_class
from gradcli.script.machine import running
from gradcli.script.python.syntax.managers import left
from gradcli.script.python.values.attributes import Facade, Namespace, attribute
from gradcli.script.python.values.builtins import python_types, type_of
from gradcli.script.python.values.kinds import is_own_function

GENERATOR = "decorate a function that yields once"


class suppress(Facade):  # noqa: N801  Python's name
    """A block in which some exceptions are nothing."""

    def __init__(self, *kinds: Any) -> None:
        self._kinds = python_types(kinds)

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, _: Any) -> bool:
        return error is not None and issubclass(python_class(error), self._kinds)


class nullcontext(Facade):  # noqa: N801  Python's name
    """A block like any other."""

    def __init__(self, enter_result: Any = None) -> None:
        self._result = enter_result

    def __enter__(self) -> Any:
        return self._result

    def __exit__(self, *_: Any) -> None:
        return None


class closing(Facade):  # noqa: N801  Python's name
    """A block after which a thing is closed."""

    def __init__(self, thing: Any) -> None:
        self._thing = thing

    def __enter__(self) -> Any:
        return self._thing

    def __exit__(self, *_: Any) -> None:
        attribute(self._thing, "close")()


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


class ContextDecorator(Facade):
    """The parent of managers that are decorators too: the function runs in the block."""

    __parent__ = True

    def _recreate_cm(self) -> Any:
        return self

    def __call__(self, func: Any) -> Any:
        def inner(*arguments: Any, **named: Any) -> Any:
            manager: Any = self._recreate_cm()
            kind: Any = type(manager)
            kind.__enter__(manager)
            try:
                result = func(*arguments, **named)
            except Exception as error:
                if not left(kind.__exit__, manager, error) or is_final(error):
                    raise
                return None
            left(kind.__exit__, manager, None)
            return result

        inner.__name__, inner.__doc__ = func.__name__, func.__doc__
        return inner


class AbstractContextManager(Facade):
    """The parent of managers, which enters as itself."""

    __parent__ = True

    def __enter__(self) -> Any:
        return self


class ExitStack(Facade):
    """A block that leaves, the last first, every manager that was entered in it."""

    __parent__ = True

    def __init__(self) -> None:
        self._exits: list[Callable[..., Any]] = []

    def enter_context(self, cm: Any) -> Any:
        """Enter a block that ends with this one."""
        kind = type(cm)
        if not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
            raise TypeError(f"{kind.__name__!r} object does not support the context manager protocol")
        entered = kind.__enter__(cm)
        self._exits.append(lambda error: left(kind.__exit__, cm, error))
        return entered

    def push(self, exit: Any) -> Any:
        """Leave a manager that was entered elsewhere, or ask a function as one is asked."""
        leave = getattr(type(exit), "__exit__", None)
        if leave is not None:
            self._exits.append(lambda error: left(leave, exit, error))
        else:
            self._exits.append(lambda error: exit(None if error is None else type_of(error), error, None))
        return exit

    def pop_all(self) -> ExitStack:
        """Hand everything over to a new block."""
        moved = type(self)()
        moved._exits, self._exits = self._exits, []
        return moved

    def callback(self, callback: Any, *arguments: Any, **named: Any) -> Any:
        """Call something in the end."""
        self._exits.append(lambda error: callback(*arguments, **named) and None)
        return callback

    def close(self) -> None:
        """Leave the managers now."""
        self.__exit__(None, None, None)

    def __enter__(self) -> ExitStack:
        return self

    def __exit__(self, _: Any, error: Any, __: Any) -> bool:
        swallowed = False
        while self._exits:
            if self._exits.pop()(error):
                swallowed, error = True, None
        return swallowed


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
    kinds = (suppress, nullcontext, closing, redirect_stdout, ContextDecorator, AbstractContextManager, ExitStack)
    return Namespace(name, {"contextmanager": contextmanager, **{kind.__name__: kind for kind in kinds}})
