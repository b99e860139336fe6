"""Pooling as modules."""

from __future__ import annotations

from typing import Any

from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.module import find


class Pool(Module):
    """One operation on the windows of its input."""

    _operation = ""

    def _pooled(self, input: Any, *arguments: Any) -> Any:
        function = find(self._operation)
        assert function is not None
        return function(input, *arguments)


class MaxPool(Pool):
    """The largest entry of each window."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices = padding, dilation, return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Any) -> Any:
        sizes = (self.kernel_size, self.stride, self.padding, self.dilation)
        return self._pooled(input, *sizes, self.ceil_mode, self.return_indices)

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, "
            f"ceil_mode={self.ceil_mode}"
        )


MaxPool.__init__.__qualname__ = "_MaxPoolNd.__init__"  # what torch's errors call it


class MaxPool1d(MaxPool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "max_pool1d"


class MaxPool2d(MaxPool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "max_pool2d"


class MaxPool3d(MaxPool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "max_pool3d"


class MaxUnpool(Pool):
    """The entries that max-pooling took, at their places among zeros."""

    _dimensions = 0

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        sizes = (kernel_size, kernel_size if stride is None else stride, padding)
        self.kernel_size, self.stride, self.padding = (
            tuple(x) if isinstance(x, tuple | list) else (x,) * self._dimensions for x in sizes
        )

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        return self._pooled(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(MaxUnpool):
    __module__ = "torch.nn.modules.pooling"
    _operation, _dimensions = "max_unpool1d", 1


class MaxUnpool2d(MaxUnpool):
    __module__ = "torch.nn.modules.pooling"
    _operation, _dimensions = "max_unpool2d", 2


class MaxUnpool3d(MaxUnpool):
    __module__ = "torch.nn.modules.pooling"
    _operation, _dimensions = "max_unpool3d", 3


class PowerPool(Pool):
    """The root of the sum of powers of each window."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def forward(self, input: Any) -> Any:
        return self._pooled(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self) -> str:
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(PowerPool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "lp_pool1d"


class LPPool2d(PowerPool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "lp_pool2d"


class AvgPool1d(Pool):
    """The mean of each window of a row."""

    __module__ = "torch.nn.modules.pooling"
    _operation = "avg_pool1d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        sizes = (kernel_size, kernel_size if stride is None else stride, padding)
        self.kernel_size, self.stride, self.padding = (x if isinstance(x, tuple) else (x,) for x in sizes)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Any) -> Any:
        sizes = (self.kernel_size, self.stride, self.padding)
        return self._pooled(input, *(size[0] for size in sizes), self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Pool):
    """The mean of each window of an image."""

    __module__ = "torch.nn.modules.pooling"
    _operation = "avg_pool2d"

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Any) -> Any:
        sizes = (self.kernel_size, self.stride, self.padding)
        return self._pooled(input, *sizes, self.ceil_mode, self.count_include_pad, self.divisor_override)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool3d(AvgPool2d):
    """The mean of each window of a volume."""

    __module__ = "torch.nn.modules.pooling"
    _operation = "avg_pool3d"


class AdaptivePool(Pool):
    """As many windows as asked for."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Any) -> Any:
        size = self.output_size
        if isinstance(size, tuple | list) and None in size:
            have = input.shape[-len(size) :]
            size = tuple(old if new is None else new for old, new in zip(have, size, strict=True))
        return self._pooled(input, size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(AdaptivePool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(AdaptivePool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(AdaptivePool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "adaptive_avg_pool3d"


class AdaptiveMaxPool1d(AdaptivePool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(AdaptivePool):
    __module__ = "torch.nn.modules.pooling"
    _operation = "adaptive_max_pool2d"
