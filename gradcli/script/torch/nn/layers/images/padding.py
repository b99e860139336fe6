"""Padding: layers that add a border of zeros, of one number, or of the entries themselves."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn.base.configured import Configured, declared, numbered


class Border(Configured):
    """A border with one width for all sides, or one for each: left, right, top, bottom, front, back."""

    _function = "pad"
    _signature = "padding"
    _text = "{padding}"
    _dimensions = 0
    _mode = "constant"
    padding: Any
    value = 0.0

    def _settle(self) -> None:
        sides = self.padding
        self.padding = tuple(sides) if isinstance(sides, tuple | list) else (sides,) * (2 * self._dimensions)

    def forward(self, input: Any) -> Any:
        if self._mode == "constant":
            return self._called(input, self.padding, "constant", self.value)
        return self._called(input, self.padding, self._mode)


class Constant(Border):
    """A border of one number."""

    _signature = "padding, value"
    _text = "padding={padding}, value={value}"


class Reflection(Border):
    """A border of the entries beside the first and the last, as in a mirror."""

    _mode = "reflect"


class Replication(Border):
    """A border of the first and the last entry."""

    _mode = "replicate"


LAYERS = {
    **numbered("ConstantPad", Constant),
    **numbered("ReflectionPad", Reflection),
    **numbered("ReplicationPad", Replication),
    **numbered("ZeroPad", Border),
}
__getattr__ = declared(LAYERS, "torch.nn.modules.padding")
