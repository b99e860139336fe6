"""`logging`: messages of a level or above, printed to the standard error of the snippet, or to another stream."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.python.text.formatting import text
from gradcli.script.python.text.templates import percent
from gradcli.script.python.values.attributes import Facade, Namespace, attribute
from gradcli.script.stdlib.process.system import Stream

LEVELS = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
METHODS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}


def number_of(level: Any) -> int:
    """Return a level, which may be given by its name, as its number."""
    if not isinstance(level, int) and level not in LEVELS:
        raise ValueError(f"Unknown level: {level!r}")
    return level if isinstance(level, int) else LEVELS[level]


class Logger(Facade):
    """A logger, whose level is that of the root until it has one of its own."""

    def __init__(self, name: str) -> None:
        self.name, self.level = name, 0
        for word, number in METHODS.items():
            vars(self)[word] = partial(self.log, number)

    @without("exc_info")
    def log(self, level: int, msg: Any, *args: Any) -> None:
        """Print a message of any level."""
        root = running.machine.instance(Root)
        if level >= (self.level or root.level):
            root.write(self.name, level, percent(text(msg), args) if args else text(msg))

    def setLevel(self, level: Any) -> None:
        self.level = number_of(level)
        if self.name == "root":
            running.machine.instance(Root).level = self.level


class Root:
    """How the messages of a snippet are printed, and its loggers by their names."""

    def __init__(self) -> None:
        self.level = LEVELS["WARNING"]
        self.stream: Any = Stream(errors=True)
        self.template: str | None = None  # before it is configured, a logger prints the message alone
        self.loggers: dict[str, Logger] = {}

    def write(self, name: str, level: int, message: str) -> None:
        """Print a message by the template."""
        shown = next((word for word, number in LEVELS.items() if number == level), f"Level {level}")
        facts = {
            "name": name,
            "levelname": shown,
            "message": message,
            "lineno": running.machine.line,
            "asctime": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        attribute(self.stream, "write")(f"{percent(self.template or '%(message)s', facts)}\n")

    @without("datefmt style handlers filename filemode encoding errors")
    def configure(self, *, level: Any = None, format: Any = None, stream: Any = None, force: bool = False) -> None:
        """`logging.basicConfig`, whose first call counts."""
        if self.template is not None and not force:
            return
        self.template = "%(levelname)s:%(name)s:%(message)s" if format is None else format
        self.stream = self.stream if stream is None else stream
        self.level = self.level if level is None else number_of(level)


def get_logger(name: str | None = None) -> Logger:
    """Return the logger with a name, which is made when it is first asked for."""
    return running.machine.instance(Root).loggers.setdefault(name or "root", Logger(name or "root"))


def at_root(level: int, msg: Any, *args: Any, **options: Any) -> None:
    """Print a message of the root, which `basicConfig` configures first."""
    running.machine.instance(Root).configure()
    get_logger().log(level, msg, *args, **options)


def namespace(name: str) -> Namespace:
    """`logging`."""
    words = {word: partial(at_root, number) for word, number in METHODS.items()}
    functions = {"log": at_root, "getLogger": get_logger}
    configure = lambda **options: running.machine.instance(Root).configure(**options)  # noqa: E731
    return Namespace(name, {**words, **LEVELS, **functions, "basicConfig": configure})
