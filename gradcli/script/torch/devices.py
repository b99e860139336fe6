"""Devices as snippets see them: each can be named, and the CPU holds all tensors."""

from __future__ import annotations

import re
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.tables import describe
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES

SPELLING = re.compile(r"(cpu|cuda|mps|xpu|meta)(?::(\d+))?")


class Device:
    """`torch.device("cpu")`, `torch.device("cuda", 1)`; a number alone asks for an accelerator, and there is none."""

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, Device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        match = SPELLING.fullmatch(type)
        if match is None:
            raise RuntimeError(f"Expected one of cpu, cuda, mps, xpu, meta at the start of a device string: {type}")
        self.type: str = match[1]
        self.index: int | None = int(match[2]) if match[2] else index

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
