"""`pathlib` and `tempfile`: paths to what `torch.save` keeps until the snippet ends, and folders that are names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, fields, listed
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.stdlib.process.system import exists, is_folder, listdir, makedirs, remove


class PosixPath(PurePosixPath):
    """A path of `pathlib.Path`."""

    __slots__ = ()

    def exists(self) -> bool:
        return exists(str(self))

    def is_dir(self) -> bool:
        return is_folder(str(self))

    def is_file(self) -> bool:
        return self.exists() and not self.is_dir()

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a folder."""
        makedirs(str(self), mode, exist_ok)

    def unlink(self, missing_ok: bool = False) -> None:
        """Forget what was saved here."""
        if not missing_ok or self.exists():
            remove(str(self))

    def iterdir(self) -> Iterator[PosixPath]:
        """Yield the paths in a folder."""
        yield from (self / name for name in listdir(str(self)))


def cwd() -> PosixPath:
    """`Path.cwd`: there is one folder to begin with."""
    return PosixPath("/")


OWN = "exists is_dir is_file mkdir unlink iterdir"
PURE = "joinpath with_suffix with_name with_stem as_posix is_absolute relative_to match"
describe(
    PosixPath, methods=listed(PosixPath, f"{OWN} {PURE}"), getters=fields("name stem suffix suffixes parent parts")
)
TYPES[PosixPath] = BuiltinType("PosixPath", PosixPath, PosixPath, {"cwd": cwd}, module="pathlib")


class TemporaryDirectory(Facade):
    """A folder that is forgotten with all that was saved in it."""

    def __init__(self, suffix: str = "", prefix: str = "tmp", dir: Any = None) -> None:
        self.name = mkdtemp(suffix, prefix, dir)

    def cleanup(self) -> None:
        """Forget what is in the folder."""
        for path in [path for path in running.machine.saved if f"{path}/".startswith(f"{self.name}/")]:
            del running.machine.saved[path]

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: Any) -> None:
        self.cleanup()


class NamedTemporaryFile(Facade):
    """A file that is forgotten in the end."""

    def __init__(self, mode: str = "w+b", *, suffix: str = "", prefix: str = "tmp", delete: bool = True) -> None:
        self.name, self._deleted = f"{mkdtemp('', prefix)}{suffix}", delete

    def close(self) -> None:
        """Forget what was saved."""
        if self._deleted:
            running.machine.saved.pop(self.name, None)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def __enter__(self) -> NamedTemporaryFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def mkdtemp(suffix: str = "", prefix: str = "tmp", dir: Any = None) -> str:
    """Return the name of a new folder."""
    name = f"{dir or '/tmp'}/{prefix}{len(running.machine.saved):08}{suffix}"
    makedirs(name)
    return name


def namespace(name: str) -> Namespace:
    """`pathlib` or `tempfile`."""
    if name == "pathlib":
        return Namespace(name, {"Path": TYPES[PosixPath], "PosixPath": TYPES[PosixPath]})
    kinds = {kind.__name__: kind for kind in (TemporaryDirectory, NamedTemporaryFile)}
    return Namespace(name, {**kinds, "mkdtemp": mkdtemp, "gettempdir": lambda: "/tmp"})
