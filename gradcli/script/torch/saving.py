"""`torch.save` and `torch.load`: a snippet writes no files, so the run keeps saved objects until it ends."""

from __future__ import annotations

from collections import Counter, OrderedDict
from errno import ENOENT
from os import strerror
from pickle import UnpicklingError
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.kinds import BuiltinType, full_name, is_own_function, type_of
from gradcli.script.stdlib.data.copying import Saved, deepcopy
from gradcli.script.stdlib.process.streams import BytesIO
from gradcli.script.stdlib.process.system import FOLDER
from gradcli.script.torch.devices import Device
from gradcli.script.torch.tensor.dtypes import DType, Size

NOTE = "no file is written: what torch.save is given can be loaded until the snippet ends"


def save(obj: Any, f: Any, *_: Any, **__: Any) -> None:
    """Keep a copy under the name of the file, or in a buffer."""
    copied = deepcopy(obj, Saved())
    if isinstance(f, BytesIO):
        f.keep(copied)
        return
    running.machine.saved[_path("save", f)] = copied
    running.machine.note(NOTE)


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None, **_: Any
) -> Any:
    """Return a copy of the object that was saved under the name, or in a buffer that was wound back.

    Raises UnpicklingError for an object of a class that is not among those of weights, unless `weights_only` is False.
    """
    if isinstance(f, BytesIO):
        saved = f.taken()
    else:
        path = _path("load", f)
        if running.machine.saved.get(path, FOLDER) is FOLDER:
            raise FileNotFoundError(ENOENT, strerror(ENOENT), path)
        saved = running.machine.saved[path]
    if isinstance(map_location, str | Device):
        check_place(map_location if isinstance(map_location, str) else map_location.type)
    if weights_only is not False:
        check_weights(saved)
    return deepcopy(saved)


def check_place(name: str) -> None:
    """Refuse to put what is loaded where nothing can be."""
    if name.startswith("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    if not name.startswith("cpu"):
        raise UnsupportedError(f"torch.load with map_location={name!r} is not supported here")


PLAIN = (Tensor, Size, DType, Device, int, float, str, complex, type(None))
ITEMS = (list, tuple, dict, set)  # and the two classes of dictionaries that are allowed


def check_weights(saved: Any) -> None:
    """Look for what is neither a tensor nor a plain value, in the order in which it is read."""
    waiting, seen = [saved], set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, PLAIN):
            continue
        seen.add(id(value))
        if type(value) not in (*ITEMS, OrderedDict, Counter):
            raise UnpicklingError(_refusal(_global(value)))
        items = [part for pair in value.items() for part in pair] if isinstance(value, dict) else list(value)
        waiting.extend(reversed(items))


def _global(value: Any) -> str:
    """Return the name by which an object would be made again."""
    if isinstance(value, np.ndarray | np.generic):
        return f"numpy._core.multiarray.{'_reconstruct' if isinstance(value, np.ndarray) else 'scalar'}"
    kind = value if isinstance(value, type) or is_own_function(value) else type_of(value)
    if isinstance(kind, BuiltinType):
        return f"{kind.module}.{kind.name}".lstrip(".")
    return full_name(kind)


def _refusal(name: str) -> str:
    return (
        "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps "
        "only if you trust the source of the checkpoint\x1b[0m. \n"
        "\t(1) In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from "
        "`False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can "
        "result in arbitrary code execution. Do it only if you got the file from a trusted source.\n"
        "\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the following "
        "error message.\n\tWeightsUnpickler error: Unsupported global: GLOBAL "
        f"{name} was not an allowed global by default. Please use `torch.serialization.add_safe_globals([{name}])` or "
        f"the `torch.serialization.safe_globals([{name}])` context manager to allowlist this global if you trust this "
        "class/function.\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
        "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
    )


def _path(name: str, f: Any) -> str:
    if type(f) is str:
        return f
    raise UnsupportedError(
        f"torch.{name} with anything but a path or an io.BytesIO is not supported here",
        python=TypeError,
        help=f"write torch.{name}(..., 'model.pt')",
    )


MEMBERS = {"save": save, "load": load}
