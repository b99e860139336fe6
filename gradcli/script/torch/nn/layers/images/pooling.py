"""Padding and pooling: layers that add a border to their input, and layers that reduce windows of it."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn.base.configured import Configured, Rows, declared, numbered


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


BORDERS = {
    **numbered("ConstantPad", Constant),
    **numbered("ReflectionPad", Reflection),
    **numbered("ReplicationPad", Replication),
    **numbered("ZeroPad", Border),
}


class Pool(Configured):
    """A layer that reduces windows of its input; they lie side by side unless `stride` says otherwise."""

    _text = "kernel_size={kernel_size}, stride={stride}, padding={padding}"
    _dimensions = 0
    stride: Any

    def _settle(self) -> None:
        if self.stride is None:
            self.stride = self.kernel_size


class _MaxPoolNd(Pool):
    """The largest entry of each window."""

    _signature = "kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False"
    _passed = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    _absent = "return_indices"
    _text = f"{Pool._text}, dilation={{dilation}}, ceil_mode={{ceil_mode}}"


class AvgPoolOfRow(Pool):
    """The mean of each window of a row."""

    _signature = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True"

    def _settle(self) -> None:
        super()._settle()
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, value if isinstance(value, tuple) else (value,))

    def _behind(self) -> list[Any]:
        kernel, stride, padding, *rest = super()._behind()
        return [kernel[0], stride[0], padding[0], *rest]


class AvgPool(Pool):
    """The mean of each window of an image or a volume."""

    _signature = f"{AvgPoolOfRow._signature}, divisor_override=None"


class AdaptivePool(Configured):
    """A layer that divides its input into a given number of windows."""

    _signature = "output_size"
    _text = "output_size={output_size}"

    def forward(self, input: Any) -> Any:
        size = self.output_size
        if isinstance(size, tuple | list) and None in size:
            have = input.shape[-len(size) :]
            size = tuple(old if new is None else new for old, new in zip(have, size, strict=True))
        return self._called(input, size)


POOLS: Rows = {
    **numbered("MaxPool", _MaxPoolNd, 3, "max_pool"),
    **numbered("AvgPool", AvgPool, 3, "avg_pool"),
    "AvgPool1d": (AvgPoolOfRow, {"_function": "avg_pool1d"}),
    **numbered("AdaptiveAvgPool", AdaptivePool, 2, "adaptive_avg_pool"),
}
PLACES = (("padding", BORDERS), ("pooling", POOLS))
LAYERS: Rows = {
    name: (base, {"__module__": f"torch.nn.modules.{place}", **attributes})
    for place, rows in PLACES
    for name, (base, attributes) in rows.items()
}
__getattr__ = declared(LAYERS)
