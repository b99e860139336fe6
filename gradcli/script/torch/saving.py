"""`torch.save` and `torch.load`: a snippet writes no files, so the run keeps saved objects until it ends."""

from __future__ import annotations

from errno import ENOENT
from os import strerror
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.stdlib.data.copying import Saved, deepcopy
from gradcli.script.stdlib.process.paths import NamedTemporaryFile, PosixPath
from gradcli.script.stdlib.process.streams import BytesIO
from gradcli.script.stdlib.process.system import FOLDER

NOTE = "no file is written: what torch.save is given can be loaded until the snippet ends"


def save(obj: Any, f: Any, *_: Any, **__: Any) -> None:
    """Keep a copy under the name of the file, or in a buffer."""
    copied = deepcopy(obj, Saved())
    if isinstance(f, BytesIO):
        f.keep(copied)
        return
    running.machine.saved[_path("save", f)] = copied
    running.machine.note(NOTE)


def load(f: Any, *_: Any, **__: Any) -> Any:
    """Return a copy of the object that was saved under the name, or in a buffer that was wound back."""
    if isinstance(f, BytesIO):
        return deepcopy(f.taken())
    path = _path("load", f)
    if running.machine.saved.get(path, FOLDER) is FOLDER:
        raise FileNotFoundError(ENOENT, strerror(ENOENT), path)
    return deepcopy(running.machine.saved[path])


def _path(name: str, f: Any) -> str:
    if type(f) is str:
        return f
    if isinstance(f, PosixPath):
        return str(f)
    if isinstance(f, NamedTemporaryFile):
        return f.name
    raise UnsupportedError(
        f"torch.{name} with anything but a path or an io.BytesIO is not supported here",
        python=TypeError,
        help=f"write torch.{name}(..., 'model.pt')",
    )


MEMBERS = {"save": save, "load": load}
