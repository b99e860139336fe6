"""`logging`: messages of a level or above, printed to the standard error of the snippet, or to another stream."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import text
from gradcli.script.python.text.percent import percent
from gradcli.script.python.values.attributes import Facade, Namespace, attribute
from gradcli.script.stdlib.process.system import Stream

LEVELS = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
NAMES = {number: name for name, number in LEVELS.items()}
METHODS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


def number_of(level: Any) -> int:
    """Return a level, which may be given by its name, as its number."""
    if isinstance(level, int):
        return level
    if level not in LEVELS:
        raise ValueError(f"Unknown level: {level!r}")
    return LEVELS[level]


class Logger(Facade):
    """A logger, whose level is that of the root until it has one of its own."""

    def __init__(self, name: str) -> None:
        self.name, self.level = name, 0
        for word, number in METHODS.items():
            vars(self)[word] = partial(self.log, number)

    def log(self, level: int, msg: Any, *args: Any, exc_info: Any = None) -> None:
        """Print a message of any level."""
        if exc_info:
            raise UnsupportedError("a message with a traceback is not supported here", help="print the error")
        root = running.machine.own(Root)
        if level >= (self.level or root.level):
            attribute(root.stream, "write")(
                root.line(self.name, level, percent(text(msg), args) if args else text(msg))
            )

    def setLevel(self, level: Any) -> None:
        self.level = number_of(level)
        if self.name == "root":
            running.machine.own(Root).level = self.level

    def getEffectiveLevel(self) -> int:
        return self.level or running.machine.own(Root).level

    def isEnabledFor(self, level: int) -> bool:
        return level >= self.getEffectiveLevel()


class Root:
    """How the messages of a snippet are printed, and its loggers by their names."""

    def __init__(self) -> None:
        self.level = LEVELS["WARNING"]
        self.stream: Any = Stream(errors=True)
        self.template: str | None = None  # before it is configured, a logger prints the message alone
        self.dates = "%Y-%m-%d %H:%M:%S,000"
        self.loggers: dict[str, Logger] = {}

    def line(self, name: str, level: int, message: str) -> str:
        """Return the line that is printed for a message."""
        machine = running.machine
        file = machine.source.name.rpartition("/")[2]
        fields = {
            "name": name, "levelname": NAMES.get(level, f"Level {level}"), "levelno": level, "message": message,
            "lineno": machine.line, "filename": file, "module": file.rpartition(".")[0] or file,
            "asctime": time.strftime(self.dates),
        }  # fmt: skip
        return f"{percent('%(message)s' if self.template is None else self.template, fields)}\n"

    def configure(
        self, *, level: Any = None, format: str | None = None, datefmt: str | None = None, stream: Any = None,
        force: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        """`logging.basicConfig`, whose first call counts."""
        if options:
            name = next(iter(options))
            raise UnsupportedError(f"basicConfig({name}=...) is not supported here", help="messages are printed")
        if self.template is not None and not force:
            return
        self.template = "%(levelname)s:%(name)s:%(message)s" if format is None else format
        self.dates = datefmt or self.dates
        self.stream = self.stream if stream is None else stream
        if level is not None:
            self.level = number_of(level)


def get_logger(name: str | None = None) -> Logger:
    """Return the logger with a name, which is made when it is first asked for."""
    loggers = running.machine.own(Root).loggers
    return loggers.setdefault(name or "root", Logger(name or "root"))


def at_root(level: int, msg: Any, *args: Any, exc_info: Any = None) -> None:
    """Print a message of the root, which `basicConfig` configures first."""
    running.machine.own(Root).configure()
    get_logger().log(level, msg, *args, exc_info=exc_info)


def namespace(name: str) -> Namespace:
    """`logging`."""
    words = {word: partial(at_root, number) for word, number in METHODS.items()}
    return Namespace(
        name,
        {
            **words,
            **LEVELS,
            "log": at_root,
            "getLogger": get_logger,
            "basicConfig": lambda **options: running.machine.own(Root).configure(**options),
        },
    )
