"""How the functions of `torch.nn.functional` look at what they are given."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.arguments import kind_name


def check_tensor(function: str, value: Any, argument: str = "input", position: int = 1) -> None:
    """Refuse in torch's words what is no tensor."""
    if not isinstance(value, Tensor):
        kind = kind_name(value)
        raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be Tensor, not {kind}")
