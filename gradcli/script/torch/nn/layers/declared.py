"""Layers that call a function of `torch.nn.functional`: activations, losses, dropout, borders, pools, other shapes."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.configured import Configured, Rows, declared, numbered
from gradcli.script.torch.nn.base.parameter import Parameter, blank
from gradcli.script.torch.nn.functional.module import check_chance
from gradcli.script.torch.signature import names

# The function of each, and its signature.
ACTIVATIONS = {
    "ELU": ("elu", "alpha=1.0, inplace=False"),
    "GELU": ("gelu", "approximate='none'"),
    "Hardsigmoid": ("hardsigmoid", "inplace=False"),
    "Hardswish": ("hardswish", "inplace=False"),
    "Hardtanh": ("hardtanh", "min_val=-1.0, max_val=1.0, inplace=False"),
    "LeakyReLU": ("leaky_relu", "negative_slope=0.01, inplace=False"),
    "LogSigmoid": ("logsigmoid", ""),
    "LogSoftmax": ("log_softmax", "dim=None"),
    "Mish": ("mish", "inplace=False"),
    "ReLU": ("relu", "inplace=False"),
    "ReLU6": ("relu6", "inplace=False"),
    "SELU": ("selu", "inplace=False"),
    "Sigmoid": ("sigmoid", ""),
    "SiLU": ("silu", "inplace=False"),
    "Softmax": ("softmax", "dim=None"),
    "Softplus": ("softplus", "beta=1.0, threshold=20.0"),
    "Softsign": ("softsign", ""),
    "Tanh": ("tanh", ""),
    "Threshold": ("threshold", "threshold, value, inplace=False"),
}
UNSHOWN = ("hardsigmoid", "hardswish")  # torch prints no arguments of these


class Activation(Configured):
    """A function of a tensor."""

    def _settle(self, *_: Any, **__: Any) -> None:
        if self._function == "hardtanh" and not self.max_val > self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def extra_repr(self) -> str:
        shown = {name: getattr(self, name) for name in names(self._signature) if self._function not in UNSHOWN}
        if shown.pop("inplace", False):
            shown["inplace"] = True
        return ", ".join(f"{name}={value!r}" for name, value in shown.items())


class PReLU(Configured):
    """A leaky relu whose slopes are learned: one, or one for each channel."""

    __module__ = "torch.nn.modules.activation"
    _function, _signature = "prelu", "num_parameters=1, init=0.25, device=None, dtype=None"
    _passed = ("weight",)
    _text = "num_parameters={num_parameters}"

    def _settle(self, device: Any, dtype: Any) -> None:
        self.weight = Parameter(blank((self.num_parameters,), dtype, self.init))


OLD = ("size_average", "reduce")  # arguments that one called reduction has replaced
REDUCED = "size_average=None, reduce=None, reduction='mean'"
LABELLED = "weight=None, size_average=None, ignore_index=-100, reduce=None, reduction='mean'"
LOSSES = {
    "BCELoss": ("binary_cross_entropy", f"weight=None, {REDUCED}"),
    "BCEWithLogitsLoss": ("binary_cross_entropy_with_logits", f"weight=None, {REDUCED}, pos_weight=None"),
    "CrossEntropyLoss": ("cross_entropy", f"{LABELLED}, label_smoothing=0.0"),
    "HuberLoss": ("huber_loss", "reduction='mean', delta=1.0"),
    "KLDivLoss": ("kl_div", f"{REDUCED}, log_target=False"),
    "L1Loss": ("l1_loss", REDUCED),
    "MSELoss": ("mse_loss", REDUCED),
    "NLLLoss": ("nll_loss", LABELLED),
    "PoissonNLLLoss": (
        "poisson_nll_loss",
        "log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction='mean'",
    ),
    "SmoothL1Loss": ("smooth_l1_loss", f"{REDUCED}, beta=1.0"),
}


class Loss(Configured):
    """A distance of predictions from targets."""

    _absent = "size_average reduce"

    def _settle(self) -> None:
        for name in {"weight", "pos_weight"} & vars(self).keys():
            self.register_buffer(name, vars(self).pop(name))
        for name in OLD:
            vars(self).pop(name, None)

    def forward(self, input: Tensor, target: Tensor) -> Any:  # type: ignore[override]
        options = {name: getattr(self, name) for name in names(self._signature) if name not in OLD}
        return self._called(input, target, **options)


class _DropoutNd(Configured):
    """A layer that drops entries or whole channels with probability `p` while training."""

    _signature = "p=0.5, inplace=False"
    _passed = ("p", "training", "inplace")
    _text = "p={p}, inplace={inplace}"

    def _settle(self) -> None:
        check_chance(self.p)


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


OF_NUMBER: dict[str, Any] = {"_signature": "padding, value", "_text": "padding={padding}, value={value}"}
BORDERS: Rows = {
    **numbered("ConstantPad", Border, **OF_NUMBER),
    **numbered("ReflectionPad", Border, _mode="reflect"),
    **numbered("ReplicationPad", Border, _mode="replicate"),
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
    _passed = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    _text = f"{Pool._text}, dilation={{dilation}}, ceil_mode={{ceil_mode}}"


class AvgPoolOfRow(Pool):
    """The mean of each window of a row."""

    _signature = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True"

    def _settle(self) -> None:
        super()._settle()
        for name in ("kernel_size", "stride", "padding"):
            value = getattr(self, name)
            setattr(self, name, value if isinstance(value, tuple) else (value,))


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


class CosineSimilarity(Configured):
    """The cosine of the angle between rows."""

    __module__ = "torch.nn.modules.distance"
    _function, _signature = "cosine_similarity", "dim=1, eps=1e-08"

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        return self._called(x1, x2, *self._behind())


class Upsample(Configured):
    """A layer that resizes its input to a size, or by a factor."""

    __module__ = "torch.nn.modules.upsampling"
    _function = "interpolate"
    _signature = "size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None"
    _passed = ("size", "scale_factor", "mode", "align_corners")
    _absent = "recompute_scale_factor"
    scale_factor: Any

    def _settle(self) -> None:
        factor = self.scale_factor
        self.scale_factor = None
        if factor:
            self.scale_factor = tuple(map(float, factor)) if isinstance(factor, tuple) else float(factor)

    def extra_repr(self) -> str:
        shown = "size" if self.scale_factor is None else "scale_factor"
        return f"{shown}={getattr(self, shown)!r}, mode={self.mode!r}"


def _of_function(name: str, signature: str) -> tuple[type[Configured], dict[str, Any]]:
    """Return the row of a layer whose text names all of its arguments."""
    text = ", ".join(f"{argument}={{{argument}}}" for argument in names(signature))
    return Configured, {"_function": name, "_signature": signature, "_text": text}


PATCHES = "kernel_size, dilation=1, padding=0, stride=1"
LAYERS_OF: dict[str, Rows] = {  # by the module of torch that has them
    "activation": {
        name: (Activation, {"_function": function, "_signature": signature})
        for name, (function, signature) in ACTIVATIONS.items()
    },
    "loss": {
        name: (Loss, {"_function": function, "_signature": signature}) for name, (function, signature) in LOSSES.items()
    },
    "dropout": {name: (_DropoutNd, {"_function": name.lower()}) for name in ("Dropout", "Dropout2d")},
    "padding": BORDERS,
    "pooling": POOLS,
    "fold": {
        "Unfold": _of_function("unfold", PATCHES),
        "Fold": _of_function("fold", f"output_size, {PATCHES}"),
    },
    "flatten": {
        "Flatten": _of_function("flatten", "start_dim=1, end_dim=-1"),
        "Unflatten": _of_function("unflatten", "dim, unflattened_size"),
    },
}
LAYERS: Rows = {
    name: (base, {"__module__": f"torch.nn.modules.{place}", **attributes})
    for place, rows in LAYERS_OF.items()
    for name, (base, attributes) in rows.items()
}
__getattr__ = declared(LAYERS)
