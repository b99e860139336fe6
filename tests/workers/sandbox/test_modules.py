"""A locked process imports what it needs later, although it may ask for no file by its path."""

from __future__ import annotations

import hashlib
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.workers.sandbox import lock, modules
from gradcli.workers.sandbox.readiness import PACKAGE
from tests.workers.sandbox.door import inside

pytestmark = pytest.mark.skipif(not all(lock.walls().values()), reason="the system has not all walls")
LATER = ("colorsys", "sched", "wsgiref.util", "numpy.polynomial", "gradcli.ops.linalg", "rich.markdown")


def test_modules_are_imported_and_computing_goes_on() -> None:
    def work() -> Any:
        for name in LATER:
            sys.modules.pop(name, None)
        found = [importlib.import_module(name) for name in LATER]
        product = float((np.ones((30, 30)) @ np.ones((30, 30))).sum())
        return [module.__name__ for module in found], product, str(Path.cwd()), hashlib.md5(b"x").hexdigest()[:4]

    assert inside(work) == (list(LATER), 30.0**3, "/", "9dd4")


def test_a_module_that_is_nowhere_is_not_found() -> None:
    for name in ("nowhere", "wsgiref.nowhere", "passwd"):
        assert isinstance(inside(lambda name=name: importlib.import_module(name)), ModuleNotFoundError)  # type: ignore[misc]


def test_bytecode_is_used_while_its_source_is_the_same(tmp_path: Path) -> None:
    """What a loader says of a source is what the system says of it."""
    source = tmp_path / "one.py"
    source.write_text("x = 1\n")
    os.utime(source, (10**9, 10**9))
    loader = modules.Loader("one", str(source), modules.Opener(modules.FSTAT[os.uname().machine]))
    assert loader.path_stats("") == {"size": 6, "mtime": 10**9}
    assert loader.get_data(source) == b"x = 1\n"


@pytest.mark.parametrize("zone", ["", "EST+5", "Asia/Kolkata"])
def test_the_time_of_the_day_stays(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if zone:
        monkeypatch.setenv("TZ", zone)
    time.tzset()

    def told() -> str:
        return time.strftime("%H:%M %Z", time.localtime(86400)) + str(time.mktime((1970, 1, 3, 0, 0, 0, 0, 0, 0)))

    def twice() -> list[str]:
        time.tzset()
        return [told(), told()]

    assert inside(twice) == [told()] * 2
    monkeypatch.undo()
    time.tzset()


COMPILED = """
import sys
from importlib.machinery import ExtensionFileLoader
import numpy
def compiled():
    specs = {name: getattr(module, "__spec__", None) for name, module in sys.modules.items()}
    return {name for name, spec in specs.items() if isinstance(getattr(spec, "loader", None), ExtensionFileLoader)}
from gradcli.workers.sandbox.modules import QUICK, SLOW, import_compiled
import_compiled((*QUICK, *SLOW))
ready = compiled()
from gradcli.workers.sandbox.readiness import make_ready
make_ready()
print(*sorted(compiled() - ready))
"""
# What no locked process imports: they are for processes, terminals, files and the network, and for archives; orjson is
# imported before where there may be many numbers, and missed nowhere else.
UNLOCKED = {
    "_bz2", "_lzma", "_zstd", "_interpreters", "orjson.orjson", "_hashlib", "_multiprocessing", "_posixshmem", "_queue",
    "_socket", "_ssl", "_uuid", "readline", "mmap", "fcntl", "select", "resource", "_posixsubprocess", "_contextvars",
    "_opcode", "_pickle", "_struct", "_ctypes", "_asyncio", "_typing", "_zoneinfo",
}  # fmt: skip


def test_all_that_is_not_python_is_imported_before() -> None:
    done = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= UNLOCKED


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import numpy as np\nprint(np.random.default_rng(0).integers(1, 2))", "1\n"),
        ("import numpy\nprint(getattr(numpy, 'ran' + 'dom'))", "write np.random"),
        ("from numpy import random as draws\nprint(draws.rand(1).shape)", "(1,)\n"),
        (
            "import csv, decimal, json, random, statistics\nprint(json.dumps(random.Random(1).random() < 1))",
            "true\n",
        ),
    ],
)
def test_a_snippet_has_what_it_names(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "one.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "gradcli", "run", str(tmp_path / "one.py")], capture_output=True, text=True, check=False
    )
    assert told in done.stdout + done.stderr


def test_draws_of_numpy_are_used_where_they_were_imported_before() -> None:
    """numpy imports `numpy.random` where it is first named, which a locked process cannot: `Draws` needs none."""
    users = {
        path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py") if "np.random." in path.read_text("utf-8")
    }
    assert users <= {"script", "homework"}  # a snippet that names it; workers, which are made ready for all
