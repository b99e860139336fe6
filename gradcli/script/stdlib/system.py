"""`sys`, `os` and `string`: what a snippet may know of where it runs, and constants."""

from __future__ import annotations

import string
import sys
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.attributes import Facade, Namespace, describe

STRING = "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation whitespace printable"


class Stream(Facade):
    """`sys.stdout` and `sys.stderr`: what is written to the second is not shown."""

    def __init__(self, name: str) -> None:
        self.name = name

    def write(self, text: str) -> int:
        """Print without a line end."""
        if self.name != "sys.stderr":
            running.machine.write(text)
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""


describe(
    type(sys.float_info),
    getters={
        name: lambda info, name=name: getattr(info, name) for name in ("max", "min", "epsilon", "dig", "mant_dig")
    },
)
describe(
    type(sys.version_info),
    getters={name: lambda info, name=name: getattr(info, name) for name in ("major", "minor", "micro")},
)


def leave(code: Any = None) -> None:
    """`sys.exit`: the end of the snippet, and its failure if a code is given that is not 0."""
    raise SystemExit(code)


def namespace(name: str) -> Namespace:
    """`sys`, `os` or `string`."""
    if name == "string":
        return Namespace(name, {word: getattr(string, word) for word in STRING.split()})
    if name == "os":
        return Namespace(name, {"name": "posix", "sep": "/", "linesep": "\n", "cpu_count": lambda: 1})
    members: dict[str, Any] = {
        "stdout": Stream("sys.stdout"),
        "stderr": Stream("sys.stderr"),
        "version": sys.version,
        "version_info": sys.version_info,
        "maxsize": sys.maxsize,
        "float_info": sys.float_info,
        "platform": sys.platform,
        "argv": ["snippet.py"],
        "exit": leave,
    }
    return Namespace(name, members)
