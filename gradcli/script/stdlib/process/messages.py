"""`logging`: messages of a level or above, written by handlers to the streams of the snippet."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import text
from gradcli.script.python.text.percent import percent
from gradcli.script.python.values.attributes import Facade, Namespace, attribute
from gradcli.script.stdlib.process.system import Stream

LEVELS = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
OTHER_NAMES = {"WARN": 30, "FATAL": 50}
NAMES = {number: name for name, number in LEVELS.items()}
PLAIN = "%(message)s"
BASIC = "%(levelname)s:%(name)s:%(message)s"
METHODS = {"debug": 10, "info": 20, "warning": 30, "warn": 30, "error": 40, "critical": 50, "fatal": 50}


def number_of(level: Any) -> int:
    """Return a level, which may be given by its name, as its number."""
    if isinstance(level, int):
        return level
    if not isinstance(level, str):
        raise TypeError(f"Level not an integer or a valid string: {text(level)}")
    found = {**LEVELS, **OTHER_NAMES}.get(level)
    if found is None:
        raise ValueError(f"Unknown level: {level!r}")
    return found


def name_of(level: Any) -> Any:
    """`logging.getLevelName`."""
    return LEVELS[level] if level in LEVELS else NAMES.get(level, f"Level {level}")


class Formatter(Facade):
    """The way in which a handler writes a message."""

    __parent__ = True

    def __init__(self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", **_: Any) -> None:
        if style != "%":
            raise UnsupportedError(f"the style {style!r} of messages is not supported here", help="write %(message)s")
        self._template, self._dates = fmt if fmt is not None else PLAIN, datefmt

    def format(self, record: Any) -> str:
        """Return the line for a message."""
        if type(record) is not Record:  # whose fields are all that a template may show
            raise TypeError("a record is what a logger makes")
        fields = vars(record)
        if "asctime" in self._template:
            now = time.localtime()
            fields["asctime"] = time.strftime(self._dates or "%Y-%m-%d %H:%M:%S,000", now)
        return percent(self._template, fields)


class Record(Facade):
    """One message, with the names that templates may ask for."""

    def __init__(self, logger: Logger, level: int, msg: Any, args: tuple[Any, ...]) -> None:
        given = args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
        message = percent(text(msg), given) if args else text(msg)
        path = running.machine.source.name if running.machine.source else ""
        file = path.rpartition("/")[2]
        vars(self).update(
            name=logger.name, levelno=level, levelname=name_of(level), message=message, msg=msg, args=args,
            lineno=running.machine.line, pathname=path, filename=file, module=file.rpartition(".")[0] or file,
            process=1, thread=1, processName="MainProcess", threadName="MainThread",
        )  # fmt: skip

    def getMessage(self) -> str:
        """Return the message with its arguments."""
        return str(vars(self)["message"])


class Handler(Facade):
    """A handler; this one writes nothing, as those for files do here."""

    __parent__ = True

    def __init__(self, *_: Any, **__: Any) -> None:
        self.level = 0
        self.formatter: Any = None

    def setLevel(self, level: Any) -> None:
        self.level = number_of(level)

    def format(self, record: Record) -> str:
        """Return the line for a message."""
        written = attribute(self.formatter or Formatter(), "format")(record)
        return str(written)

    def setFormatter(self, fmt: Formatter) -> None:
        self.formatter = fmt

    def emit(self, record: Record) -> None:
        """Do nothing with a message."""

    def close(self) -> None:
        """Do nothing: nothing is open."""

    flush = close


class StreamHandler(Handler):
    """A handler that writes lines to a stream, the one for errors if none is given."""

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self.stream = Stream(errors=True) if stream is None else stream

    def emit(self, record: Record) -> None:
        attribute(self.stream, "write")(f"{self.format(record)}\n")


class Logger(Facade):
    """A logger; what it lets through goes to its handlers and to those of its parents."""

    __parent__ = True

    def __init__(self, name: str, level: int = 0) -> None:
        self.name, self.level = name, level
        self.handlers: list[Any] = []
        self.propagate, self.disabled = True, False
        for word, number in METHODS.items():
            vars(self)[word] = partial(self.log, number)

    @property
    def parent(self) -> Logger | None:
        """The nearest logger above that there is; None of the root."""
        loggers, above = _loggers(), self.name.rpartition(".")[0]
        while above and above not in loggers.named:
            above = above.rpartition(".")[0]
        return None if self is loggers.root else loggers.named.get(above, loggers.root)

    def _chain(self) -> Iterable[Logger]:
        logger: Logger | None = self
        while logger is not None:
            yield logger
            logger = logger.parent if logger.propagate else None

    def getEffectiveLevel(self) -> int:
        logger: Logger | None = self
        while logger is not None and not logger.level:
            logger = logger.parent
        return logger.level if logger is not None else 0

    def isEnabledFor(self, level: int) -> bool:
        return not self.disabled and level > _loggers().least and level >= self.getEffectiveLevel()

    def log(self, level: int, msg: Any, *args: Any, exc_info: Any = None, **_: Any) -> None:
        """Write a message of any level."""
        if not self.isEnabledFor(level):
            return
        if exc_info:
            raise UnsupportedError("a message with a traceback is not supported here")
        record = Record(self, level, msg, args)
        handlers = [handler for logger in self._chain() for handler in logger.handlers]
        if not handlers and level >= LEVELS["WARNING"]:
            handlers = [StreamHandler()]
        for handler in handlers:
            if level >= attribute(handler, "level"):
                attribute(handler, "emit")(record)

    def exception(self, msg: Any, *args: Any, **_: Any) -> None:
        """Write a message with the traceback of an error."""
        self.log(LEVELS["ERROR"], msg, *args, exc_info=True)

    def setLevel(self, level: Any) -> None:
        self.level = number_of(level)

    def addHandler(self, hdlr: Any) -> None:
        if hdlr not in self.handlers:
            self.handlers.append(hdlr)

    def removeHandler(self, hdlr: Any) -> None:
        if hdlr in self.handlers:
            self.handlers.remove(hdlr)

    def hasHandlers(self) -> bool:
        return any(logger.handlers for logger in self._chain())

    def getChild(self, suffix: str) -> Logger:
        return _loggers().get(suffix if self.parent is None else f"{self.name}.{suffix}")

    def __repr__(self) -> str:
        kind = "RootLogger" if self.parent is None else "Logger"
        return f"<{kind} {self.name} ({name_of(self.getEffectiveLevel())})>"


class Loggers:
    """The loggers of one snippet by their names, below the root."""

    def __init__(self) -> None:
        self.root = Logger("root", LEVELS["WARNING"])
        self.named: dict[str, Logger] = {}
        self.least = 0  # messages up to this level are dropped

    def get(self, name: str | None = None) -> Logger:
        """Return the logger with a name, which is made when it is first asked for."""
        return self.named.setdefault(name, Logger(name)) if name and name != "root" else self.root

    def configure(
        self, *, level: Any = None, format: str | None = None, datefmt: str | None = None, style: str = "%",
        stream: Any = None, filename: Any = None, handlers: Any = None, force: bool = False, **_: Any,
    ) -> None:  # fmt: skip
        """Give the root a handler, unless it has one."""
        if self.root.handlers and not force:
            return
        made = handlers if handlers is not None else [Handler() if filename is not None else StreamHandler(stream)]
        self.root.handlers = list(made)
        plain = Formatter(format if format is not None else BASIC, datefmt, style)
        for handler in self.root.handlers:
            if handler.formatter is None:
                handler.formatter = plain
        if level is not None:
            self.root.setLevel(level)

    def disable(self, level: Any = LEVELS["CRITICAL"]) -> None:
        self.least = number_of(level)


def _loggers() -> Loggers:
    return running.machine.own(Loggers)


def at_root(word: str, *arguments: Any, **keywords: Any) -> Any:
    """Call a method of the root, which gets a handler first."""
    _loggers().configure()
    return attribute(_loggers().root, word)(*arguments, **keywords)


def namespace(name: str) -> Namespace:
    """`logging`."""
    words = {word: partial(at_root, word) for word in (*METHODS, "log", "exception")}
    kinds = {"Handler": Handler, "StreamHandler": StreamHandler, "FileHandler": Handler, "NullHandler": Handler}
    return Namespace(
        name,
        {
            **words,
            **kinds,
            **LEVELS,
            **OTHER_NAMES,
            "Formatter": Formatter,
            "Logger": Logger,
            "getLogger": lambda name=None: _loggers().get(name),
            "basicConfig": lambda **options: _loggers().configure(**options),
            "disable": lambda level=LEVELS["CRITICAL"]: _loggers().disable(level),
            "getLevelName": name_of,
        },
    )
