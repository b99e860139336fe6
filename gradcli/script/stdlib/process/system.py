"""`sys`, `os`, `string`, `platform` and `traceback`: the public facts about the process, and constants."""

from __future__ import annotations

import posixpath
import string
import sys
from typing import Any

from gradcli.script.limits import DEPTH
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace, describe, fields, listed

STRING = "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation whitespace printable"


class Stream(Facade):
    """`sys.stdout` or `sys.stderr`."""

    def __init__(self, errors: bool) -> None:
        self.errors = errors

    def write(self, text: str) -> int:
        """Print without a line end."""
        (running.machine.write_error if self.errors else running.machine.write)(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def isatty(self) -> bool:
        """Return False: no person types at it."""
        return False


describe(type(sys.float_info), getters=fields("max min epsilon dig mant_dig"))
describe(type(sys.version_info), getters=fields("major minor micro"))


def leave(code: Any = None) -> None:
    """`sys.exit`: end the snippet, as failed if the code is not 0."""
    raise SystemExit(code)


def environment() -> Namespace:
    """Return `os`, whose variables are the ones that the snippet sets."""
    variables: dict[str, str] = {}
    paths = listed(posixpath, "basename dirname splitext split")
    found = dict.fromkeys(("exists", "isfile"), lambda path: path in running.machine.saved)
    own = {"environ": variables, "getenv": variables.get, "name": "posix", "sep": "/", "linesep": "\n"}
    path = Namespace("os.path", {**paths, **found, "isdir": lambda _: False, "join": join, "sep": "/"})
    return Namespace("os", {**own, "cpu_count": lambda: 1, "path": path})


def join(*parts: str) -> str:
    """`os.path.join`."""
    running.machine.budget.fits(sum(map(len, parts)), "the text")
    return posixpath.join(*parts)


def nothing(*_: Any, **__: Any) -> None:
    """Do nothing."""


SMALL: dict[str, dict[str, Any]] = {
    "string": listed(string, STRING),
    "platform": {"python_version": lambda: sys.version.split()[0]},
    "traceback": {"print_exc": nothing, "print_stack": nothing},
}


def namespace(name: str) -> Namespace:
    """`sys`, `os`, or one of the small modules."""
    if name in SMALL:
        return Namespace(name, SMALL[name])
    if name == "os":
        return environment()
    members: dict[str, Any] = {
        "stdout": Stream(errors=False),
        "stderr": Stream(errors=True),
        **listed(sys, "version version_info maxsize maxunicode byteorder float_info platform getsizeof"),
        "argv": ["snippet.py"],
        "exit": leave,
        "getrecursionlimit": lambda: DEPTH,
        "setrecursionlimit": nothing,
    }
    return Namespace(name, members)
