"""Facts about functions: which work entry by entry, which are never negative, through which a number passes."""

from __future__ import annotations

ELEMENTWISE = frozenset([
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "clamp", "clamp_max",
    "clamp_min", "cos", "cosh", "elu", "erf", "exp", "exp2", "expm1",
    "floor", "gelu", "hardtanh", "hypot", "leaky_relu", "log", "log10", "log1p",
    "log2", "logaddexp", "logsigmoid", "maximum", "minimum", "mish", "normal_cdf", "normal_pdf",
    "relu", "round", "rsqrt", "selu", "sigmoid", "sign", "silu", "sin", "sinh", "softplus", "sqrt",
    "tan", "tanh", "trunc", "where",
])  # fmt: skip
OPERATORS = frozenset(["<", "<=", ">", ">=", "==", "!=", "//", "%"])  # that are functions here
# Not finite everywhere.
PARTIAL = frozenset([
    "acos", "acosh", "asin", "atanh", "log", "log10", "log1p", "log2", "rsqrt", "sqrt", "tan",
])  # fmt: skip
NONNEGATIVE = frozenset([
    "abs", "acosh", "cosh", "exp2", "norm", "normal_cdf", "normal_pdf", "relu", "sigmoid", "softmax", "softplus",
    "std", "var",
])  # fmt: skip

# The arguments in which a function is linear, so that a number comes out of them.
LINEAR = {
    "@": (0, 1),
    ".T": (0,),
    ".mT": (0,),
    "diag": (0,),
    "index_backward": (0,),
    "mean": (0,),
    "outer": (0, 1),
    "permute": (0,),
    "reshape": (0,),
    "select_backward": (0,),
    "slice_backward": (0,),
    "squeeze": (0,),
    "sum": (0,),
    "trace": (0,),
    "transpose": (0,),
    "unsqueeze": (0,),
}

CONVOLUTIONS = frozenset(f"conv{kind}{count}d" for kind in ("", "_transpose") for count in (1, 2, 3))

# The functions of nan are nan, so that an argument may be simplified where it is not finite.
PASSING = (
    (ELEMENTWISE - {"sign"})
    | LINEAR.keys()
    | CONVOLUTIONS
    | {*("amax", "amin", "linear", "log_softmax", "softmax", "logsumexp", "norm", "prod", "std", "var")}
)
