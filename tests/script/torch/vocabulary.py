"""What random snippets are made of."""

from __future__ import annotations

ATTEMPT = "try:\n    {}\nexcept Exception as error:\n    print(type(error).__name__)\n"

NAMES = """
exp sin cos tanh sigmoid relu abs neg square clone sqrt log reciprocal sign floor round log1p expm1 erf sinh trunc tan
atan
"""
UNARY = NAMES.split()
BINARY = ["+", "-", "*", "/", "**", "%", ">", "<=", "==", "!="]
REDUCTIONS = ["sum", "mean", "prod", "max", "min", "std", "var", "norm", "amax", "logsumexp", "argmax", "cumsum"]
DTYPES = ["torch.float64", "torch.float64", "torch.int64"]
IN_PLACE = ["add_({})", "mul_({})", "sub_({})", "div_({})", "copy_({})", "zero_()", "fill_(2)", "neg_()"]
IN_PLACE += ["exp_()", "clamp_(min=0)", "relu_()", "sqrt_()", "pow_(2)", "tanh_()"]
VIEWS = [
    "[",
    "reshape",
    "view",
    "squeeze",
    "transpose",
    ".t()",
    "flatten",
    "expand",
    ".T",
    "unbind",
    "narrow",
    "select",
]
VIEWS += ["chunk"]
