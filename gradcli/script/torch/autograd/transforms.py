"""`torch.autograd.Function` in a function that `torch.func` transforms."""

from __future__ import annotations

from typing import Any

from gradcli.engine.modes import mode
from gradcli.engine.recorder import listening
from gradcli.engine.tangents import Level
from gradcli.script.errors import UnsupportedError

MORE = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod.{MORE}"
)
WITHOUT_RULE = (
    "does not have vmap support. Please override and implement the vmap staticmethod or set generate_vmap_rule=True."
)
AMBIGUOUS = (
    "has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set generate_vmap_rule=False or "
    "delete the overridden vmap staticmethod to avoid ambiguity."
)


def check_transforms(cls: Any, separate: bool, own: bool, arguments: tuple[Any, ...]) -> None:
    """Refuse in a function that torch.func transforms what torch refuses there, and a batching rule of one's own."""
    examples = mode.examples
    forward = any(level.transforms for level in listening(Level))
    if not separate and (mode.wrapping is not None or examples is not None or forward):
        raise RuntimeError(NO_SETUP)
    if examples is None or not any(map(examples.holds, arguments)):
        return
    if own == cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it {AMBIGUOUS if own else WITHOUT_RULE}{MORE}")
    if own:
        raise UnsupportedError(
            "a Function's own vmap rule is not supported",
            python=NotImplementedError,
            help="write generate_vmap_rule = True in its place",
        )
