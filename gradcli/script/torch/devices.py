"""Devices as snippets see them: each can be named, and the CPU holds all tensors."""

from __future__ import annotations

import re
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.tables import describe
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES

KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)
SPELLING = re.compile(r"([A-Za-z_]+)(?::(0|[1-9]\d*))?")
MOST = 127  # torch keeps the index in eight bits


class Device:
    """`torch.device("cpu")`, `torch.device("cuda", 1)`; a number alone asks for an accelerator, and there is none."""

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        self.type: str
        self.index: int | None
        if isinstance(type, Device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int):
            if type < 0:
                raise RuntimeError("Device index must not be negative")
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not isinstance(type, str):
            raise UnsupportedError(f"torch.device of a {type.__class__.__name__} is not supported here")
        self.type, number = _read(type)
        if index is not None and number is not None:
            words = "type (string) must not include an index because index was passed explicitly"
            raise RuntimeError(f"{words}: {type}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.index = number if index is None else index
        if self.index is not None and self.index > MOST:
            raise UnsupportedError(f"the device {self} is not supported here")

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type={self.type!r}{index})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __enter__(self) -> Device:
        """Let new tensors lie on the device, where all lie already."""
        check_device(self)
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _read(text: str) -> tuple[str, int | None]:
    """Return the type and the index that a device's name holds."""
    if not text:
        raise RuntimeError("Device string must not be empty")
    found = SPELLING.fullmatch(text)
    if found is None:
        raise RuntimeError(f"Invalid device string: '{text}'")
    if found[1] not in KINDS.split(", "):
        raise RuntimeError(f"Expected one of {KINDS} device type at start of device string: {found[1]}")
    return found[1], None if found[2] is None else int(found[2])


def check_device(device: Any) -> None:
    """Refuse devices other than the CPU, in the words of a torch built without CUDA."""
    if device is None:
        return
    named = Device(device)
    if named.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    if named.type != "cpu":
        raise UnsupportedError(f"the device {named} is not supported here", help="the CPU is the only device")


CPU = Device()
Device.__name__ = "torch.device"  # as Python's own messages name it
describe(Device, getters={"type": lambda device: device.type, "index": lambda device: device.index})
TYPES[Device] = BuiltinType("device", Device, Device, module="torch")
