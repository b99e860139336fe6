"""Borders as modules: of zeros, of one number, of the entries themselves."""

from __future__ import annotations

from typing import Any, ClassVar

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.module import operation

# The mode of each kind; a name ends with the number of dimensions.
KINDS = {"CircularPad": "circular", "ReflectionPad": "reflect", "ReplicationPad": "replicate", "ZeroPad": "constant"}


class Border(Module):
    """One number for all sides, or one for each: left, right, top, bottom, front, back."""

    _dimensions: ClassVar[int] = 0
    _mode: ClassVar[str] = "constant"
    value = 0.0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, tuple | list) else (padding,) * (2 * self._dimensions)

    def forward(self, input: Tensor) -> Any:
        if self._mode == "circular" and input.ndim - self._dimensions not in (1, 2):
            expected = f"{self._dimensions + 1}D or {self._dimensions + 2}D"
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")
        if self._mode == "constant":
            return operation("pad")(input, self.padding, "constant", self.value)
        return operation("pad")(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


def _constant(name: str) -> dict[str, Any]:
    """What borders of the same number everywhere have of their own."""

    def made(self: Border, padding: Any, value: float) -> None:
        Border.__init__(self, padding)
        self.value = value

    made.__qualname__ = f"{name}.__init__"  # what torch's errors call it
    return {"__init__": made, "extra_repr": lambda self: f"padding={self.padding}, value={self.value}"}


def __getattr__(name: str) -> type[Border]:
    kind, dimensions = name[:-2], name[-2:-1]
    if kind not in (*KINDS, "ConstantPad") or dimensions not in ("1", "2", "3"):
        raise AttributeError(name)
    facts = {
        "__module__": "torch.nn.modules.padding",
        "_dimensions": int(dimensions),
        "_mode": KINDS.get(kind, "constant"),
    }
    globals()[name] = type(name, (Border,), facts | ({} if kind in KINDS else _constant(name)))
    return globals()[name]  # type: ignore[no-any-return]
