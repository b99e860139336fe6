"""What no snippet may hold: Python's own classes, modules, frames, code and buffers, and what leads to them."""

from __future__ import annotations

import builtins
import functools
import io
import operator
import os
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodWrapperType,
    ModuleType,
    TracebackType,
)
from typing import Any

import numpy as np

import gradcli
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import LimitError
from gradcli.script.library import MODULES
from gradcli.script.machine import running
from gradcli.script.python.members.tables import members_of
from gradcli.script.python.values import failures
from gradcli.script.python.values.builtins import FUNCTIONS
from gradcli.script.python.values.kinds import BuiltinType, Facade, Namespace, is_shown
from gradcli.script.python.values.readonly import Held

CLOSED = (
    ModuleType, FrameType, CodeType, TracebackType, io.IOBase, memoryview, GetSetDescriptorType, MemberDescriptorType,
    MappingProxyType,
)  # fmt: skip
ROOTS = tuple(
    getattr(builtins, name)
    for name in (
        [
            "__import__",
            "breakpoint",
            "compile",
            "delattr",
            "dir",
            "eval",
            "exec",
            "getattr",
            "globals",
            "input",
            "locals",
            "open",
            "setattr",
            "vars",
        ]
    )
)
METHODS = frozenset(("__getattribute__", "__reduce__", "__reduce_ex__", "__subclasses__", "__subclasshook__", "mro",
                     "__sizeof__", "__dir__"))  # fmt: skip
TEXTS = (str.format, str.format_map)
OPEN_CLASSES = (functools.partial, functools.partialmethod)  # which have no attributes for a snippet
PLAIN = (str, int, float, bool, type(None))
LEADING = """
__class__ __base__ __bases__ __mro__ __subclasses__ __dict__ __globals__ __builtins__ __closure__ __code__ __self__
__func__ __wrapped__ __init__ __new__ __call__ __reduce__ __reduce_ex__ __getattribute__ __module__ __defaults__
__kwdefaults__ __weakref__ __traceback__ __array_interface__ __init_subclass__ __loader__ __spec__ gi_frame gi_code
cr_frame f_globals f_builtins tb_frame node value array base forward rules find members fget _kinds _memo _text _held
_parser _inner _own data tofile tobytes ctypes getfield setfield dump
""".split()  # noqa: SIM905  a column of a hundred lines
UNDRAWN = [name for name, place in MODULES.items() if place.endswith("pictures")]  # these answer to any name


def wrong(value: Any) -> str:
    """Return what is wrong with a value in the hands of a snippet; empty if nothing is."""
    if isinstance(value, CLOSED):
        return f"a {type(value).__name__}"
    if isinstance(value, type):
        return "" if is_shown(value) or value in OPEN_CLASSES else f"Python's own class {value.__name__}"
    if any(value is root for root in (*ROOTS, *TEXTS)):
        return f"the function {value.__name__}"
    if isinstance(value, operator.attrgetter | operator.methodcaller):
        return "what reads any attribute"
    if isinstance(value, BuiltinFunctionType | MethodWrapperType) and value.__name__ in METHODS:
        return f"the method {value.__name__}"
    if type(value) is dict and ("__builtins__" in value or "__loader__" in value):
        return "the names of a module"
    return ""


def names_of(value: Any) -> set[str]:
    """Return what there is to ask for: what the tables say, what Python has, and what leads out of jails."""
    names = {*LEADING, *dir(type(value))}
    members = members_of(type(value))
    if members is not None:
        names |= {*members.methods, *members.getters}
    if isinstance(value, Namespace):
        names |= set(value.names)
    elif isinstance(value, BuiltinType):
        names |= set(value.members)
    elif isinstance(value, Facade | type):
        names |= set(dir(value))
    return names


def parts(value: Any) -> Iterator[Any]:
    """Yield what is in a value that a snippet can take out without an attribute."""
    if isinstance(value, dict | Held):
        for key, item in list(dict.items(value) if isinstance(value, dict) else value.items()):
            yield key
            yield item
    elif isinstance(value, list | tuple | set | frozenset | deque):
        yield from list(value)
    elif isinstance(value, BaseException):
        yield from failures.arguments(value)
        yield from (value.__cause__, value.__context__)


def found_in(value: Any, depth: int = 4) -> str:
    """Return what is wrong with a value or with what is in it."""
    if type(value) in PLAIN or depth == 0:
        return ""
    return wrong(value) or next(filter(None, (found_in(part, depth - 1) for part in parts(value))), "")


reports: list[str] = []
WORDS = b"CANARY "  # which the fuzzer looks for on standard output


def report(words: str) -> None:
    reports.append(words)
    if is_heard:
        os.write(1, WORDS + f"{words}\n".encode())


def see(*values: Any) -> None:
    """Look at what a hostile method of a snippet was given."""
    for words in filter(None, map(found_in, values)):
        report(words)


def probe(call: Any) -> None:
    """Call a function of a snippet, and look at what it returns or raises; a refusal, too, is no end here."""
    try:
        see(call())
    except LimitError:
        raise
    except BaseException as error:
        see(error)


KEYS = (
    int,
    float,
    str,
    bool,
    list,
    tuple,
    dict,
    set,
    type,
    object,
    type(None),
    np.float32,
    np.dtype("float32"),
    Tensor,
)


def hash_of(number: int) -> int:
    """Return the hash of a key that tables of gradcli have: Python asks a snippet whether its value is equal to it."""
    return hash(KEYS[number % len(KEYS)])


READS = frozenset(
    ("__globals__", "__closure__", "__builtins__", "tb_frame", "gi_frame", "gi_code", "f_code", "__code__")
)
EVENTS = (
    "exec",
    "compile",
    "open",
    "os.",
    "subprocess.",
    "socket.",
    "ctypes.",
    "code.__new__",
    "shutil.",
)
IMPORTING = (
    "importlib._bootstrap", "importlib._bootstrap_external", "_frozen_importlib", "_frozen_importlib_external",
    "ast", "gradcli.facts", "gradcli.script.limits", "gradcli.script.python.members.reserved",
    "gradcli.script.torch.places", "gradcli.workers.confinement", "inspect", "warnings",
)  # fmt: skip
# The modules and functions that read the snippet, and the code of our own rules.
READING = (
    ("gradcli.script.interpreter", "parse"),
    ("gradcli.engine.primitive", "positions_read"),
    ("gradcli.script.torch.optim.formulas", "__init__"),
)


TABLES = str(Path(gradcli.__file__).parent)  # the files of gradcli that hold names


def heard(event: str, arguments: tuple[Any, ...]) -> None:
    """Report what a snippet makes Python do; imports, and the reading of the snippet, are gradcli's own doing."""
    if not listening or getattr(running, "machine", None) is None or not running.machine.builtins:
        return
    is_read = event == "object.__getattr__" and arguments[1] in READS
    if not is_read and not event.startswith(EVENTS):
        return
    if event == "open" and str(arguments[0]).startswith(TABLES):
        return
    was_listening = listening.pop()  # a look at a frame would be heard, too
    try:
        if not is_by_gradcli(sys._getframe(1)):
            report(f"{event} {arguments[1] if is_read else arguments[:1]!r}")
    finally:
        listening.append(was_listening)


def is_by_gradcli(frame: FrameType | None) -> bool:
    """Whether an import or the reading of the snippet led here."""
    while frame is not None:
        module = frame.f_globals.get("__name__")
        if module in IMPORTING or (module, frame.f_code.co_name) in READING:
            return True
        frame = frame.f_back
    return False


listening: list[bool] = []
is_heard: list[bool] = []


def install(*, aloud: bool = False) -> None:
    """Let snippets of this process call `see`, and listen to what they make Python do; aloud, print what is found."""
    if aloud:
        is_heard.append(True)
        listening.append(True)
    if "see" not in FUNCTIONS:
        FUNCTIONS.update(see=see, probe=probe, hash_of=hash_of)
        sys.addaudithook(heard)
