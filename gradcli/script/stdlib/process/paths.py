"""`pathlib`: paths to what `torch.save` keeps until the snippet ends."""

from __future__ import annotations

from pathlib import PurePosixPath

from gradcli.script.python.members.tables import describe, fields, listed
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.stdlib.process.system import exists, is_folder, makedirs


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


OWN = "exists is_dir is_file mkdir"
PURE = "joinpath with_suffix with_name as_posix"
describe(
    PosixPath, methods=listed(PosixPath, f"{OWN} {PURE}"), getters=fields("name stem suffix suffixes parent parts")
)
TYPES[PosixPath] = BuiltinType("PosixPath", PosixPath, PosixPath, module="pathlib")


def namespace(name: str) -> Namespace:
    """`pathlib`."""
    return Namespace(name, {"Path": TYPES[PosixPath], "PosixPath": TYPES[PosixPath]})
