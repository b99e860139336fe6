"""`torch.overrides.TorchFunctionMode`: in its block all functions of torch are asked of it first."""

from __future__ import annotations

from typing import Any

from gradcli.script.python.values.attributes import Facade
from gradcli.script.torch.overrides.dispatch import overrides


class TorchFunctionMode(Facade):
    """A mode of the snippet; the innermost is asked, and while it answers the one around it counts."""

    def __init__(self) -> None:
        """Do nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        overrides().modes.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        overrides().modes.pop()


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls what it is asked."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


for kind in (TorchFunctionMode, BaseTorchFunctionMode):
    kind.__module__ = "torch.overrides"
