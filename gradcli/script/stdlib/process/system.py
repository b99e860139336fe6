"""`sys`, `os`, `string` and `gc`: the public facts about the process, and constants."""

from __future__ import annotations

import posixpath
import string
import sys
from errno import EEXIST, ENOENT
from os import fspath, strerror
from typing import Any

from gradcli.script.limits import DEPTH
from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, fields, members_named
from gradcli.script.python.values.attributes import Facade, Namespace

STRING = "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation whitespace printable"


class Stream(Facade):
    """`sys.stdout` or `sys.stderr`."""

    def __init__(self, errors: bool) -> None:
        self.errors = errors

    def write(self, text: str) -> int:
        """Print without a line end."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
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


FOLDER = object()  # what is kept under the name of a folder


def exists(path: Any) -> bool:
    """`os.path.exists`: what was saved, folders that were made, and folders that something was saved in."""
    return fspath(path) in running.machine.saved or is_folder(path)


def is_folder(path: Any) -> bool:
    """`os.path.isdir`."""
    name = fspath(path).rstrip("/")
    return running.machine.saved.get(name) is FOLDER or bool(listdir(path))


def makedirs(path: Any, mode: int = 0o777, exist_ok: bool = False) -> None:
    """`os.makedirs`: keep the name of a folder."""
    if exists(path) and not exist_ok:
        raise FileExistsError(EEXIST, strerror(EEXIST), fspath(path))
    running.machine.saved[fspath(path).rstrip("/")] = FOLDER


def listdir(path: Any = ".") -> list[str]:
    """`os.listdir`: the names in a folder, in the order in which they came."""
    above = "" if fspath(path) in (".", "") else fspath(path).rstrip("/") + "/"
    inside = [name.removeprefix(above) for name in running.machine.saved if name.startswith(above)]
    return list(dict.fromkeys(name.partition("/")[0] for name in inside))


def remove(path: Any) -> None:
    """`os.remove`: forget what was saved."""
    if running.machine.saved.get(fspath(path), FOLDER) is FOLDER:
        raise FileNotFoundError(ENOENT, strerror(ENOENT), fspath(path))
    del running.machine.saved[fspath(path)]


def environment() -> Namespace:
    """Return `os`, whose variables are the ones that the snippet sets."""
    variables: dict[str, str] = {}
    paths = members_named(posixpath, "basename dirname splitext split")
    questions = {"exists": exists, "isfile": lambda path: exists(path) and not is_folder(path), "isdir": is_folder}
    members = {"environ": variables, "getenv": variables.get, "sep": "/"}
    path = Namespace("os.path", {**paths, **questions, "join": join, "sep": "/"})
    files = {"remove": remove, "listdir": listdir, "mkdir": makedirs, "makedirs": makedirs}
    return Namespace("os", {**members, **files, "cpu_count": lambda: 1, "path": path})


def join(*parts: Any) -> str:
    """`os.path.join`."""
    running.machine.budget.fits(sum(len(fspath(part)) for part in parts), "the text")
    return str(posixpath.join(*parts))


def nothing(*_: Any, **__: Any) -> None:
    """Do nothing."""


SMALL: dict[str, dict[str, Any]] = {
    "string": members_named(string, STRING),
    "gc": {"collect": lambda: 0, "enable": nothing, "disable": nothing, "isenabled": lambda: True},
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
        **members_named(sys, "version version_info maxsize maxunicode byteorder float_info platform getsizeof"),
        "argv": ["snippet.py"],
        "exit": leave,
        "getrecursionlimit": lambda: DEPTH,
        "setrecursionlimit": nothing,
    }
    return Namespace(name, members)
