"""How a locked process imports modules of Python: it asks for no file by its path, but opens it, which has its wall.

Such a question would tell the sizes and dates of others' files. The system's library asks one where it loads a module
that is not Python, and where it lists a folder.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from copy import copy
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any
from zipimport import zipimporter

FSTAT = {"x86_64": 5, "aarch64": 80}  # the number of the call, which the library may spell as a question about a path
SIZE, TIME, FACTS = 48, 88, 144  # offsets in its answer, and the bytes of it
# Modules that are not Python, of which some part of gradcli imports each only when it needs it.
# fmt: off
QUICK = (
    "_bisect", "_blake2", "_csv", "_datetime", "_decimal", "_heapq", "_json", "_md5", "_random", "_sha1", "_sha2",
    "_sha256", "_sha3", "_sha512", "_statistics", "array", "binascii", "cmath", "math", "termios", "unicodedata",
    "zlib",
)
# fmt: on
SLOW = ("numpy.random",)  # a command that may need them imports them before it is locked


def import_compiled(names: Collection[str]) -> None:
    """Import modules that are not Python, those that exist."""
    for name in names:
        with suppress(ImportError):
            import_module(name)


def import_by_opening() -> None:
    """Let this process find its modules without a question about a path from now on."""
    sys.dont_write_bytecode = True
    place = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else len(sys.meta_path)
    sys.meta_path.insert(place, Opener(FSTAT[os.uname().machine]))


class Opener(MetaPathFinder):
    """Finds modules in folders by opening their files."""

    def __init__(self, number: int) -> None:
        self.number, self.ask = number, ctypes.CDLL(None).syscall

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = fullname.rpartition(".")[2]
        for folder in sys.path if path is None else path:
            archive = archive_of(folder)
            if archive and (spec := archive.find_spec(fullname, target)):
                return spec
            for file, inner in ((f"{folder}/{name}/__init__.py", [f"{folder}/{name}"]), (f"{folder}/{name}.py", None)):
                with suppress(OSError):
                    loader = Loader(fullname, file, self)
                    return spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=inner)
        return None

    def facts(self, descriptor: int) -> dict[str, Any]:
        """Return the size of an open file, and when it was changed."""
        answer = ctypes.create_string_buffer(FACTS)
        if self.ask(self.number, descriptor, answer):
            raise OSError("the system does not say")
        (size,), (seconds,) = struct.unpack_from("<q", answer, SIZE), struct.unpack_from("<q", answer, TIME)
        return {"size": size, "mtime": seconds}


def archive_of(folder: str) -> zipimporter | None:
    """Return what imports from a folder in an archive that was opened before; None for a folder of files."""
    for place, importer in sys.path_importer_cache.items():
        if isinstance(importer, zipimporter) and not importer.prefix and folder.startswith(place):
            inner = copy(importer)
            inner.prefix = "".join(f"{name}/" for name in folder[len(place) :].split("/") if name)
            return inner
    return None


class Loader(SourceFileLoader):
    """Loads a module from a file, which it opens and asks nothing about by its path."""

    def __init__(self, fullname: str, path: str, opener: Opener) -> None:
        super().__init__(fullname, path)
        self.opener = opener
        at = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.stats = opener.facts(at)
        finally:
            os.close(at)

    def path_stats(self, path: Any) -> dict[str, Any]:
        return self.stats

    def get_data(self, path: Any) -> bytes:
        at = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.read(at, self.opener.facts(at)["size"])
        finally:
            os.close(at)
