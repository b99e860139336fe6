"""The kinds of numbers for which torch's kernels are not implemented, where the engine computes all the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import BOOL, HALF, NUMBERS, result_type
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.covering import one_way
from gradcli.script.torch.operations.forward import refusing_forward
from gradcli.script.torch.operations.mixing import of_one_kind, refusing_mixtures

# A kernel, and the functions that reach it: none of them takes booleans.
BOOLEANS = """
abs_cpu: softsign
addcmul_cpu_out: addcmul
addmm_impl_cpu_: addbmm addmm mm
addmv_impl_cpu: addmv mv
avg_pool2d: avg_pool1d avg_pool2d
avg_pool3d_out_frame: avg_pool3d
baddbmm: baddbmm
bmm: bmm
ceil_vml_cpu: ceil
cross: cross
div_floor_cpu: floor_divide
dot: dot vdot
floor_vml_cpu: floor
fmod_cpu: fmod
kthvalue_cpu: kthvalue
max_pool2d: max_pool2d
max_pool3d: max_pool3d
median_cpu: median nanmedian
remainder_cpu: remainder
round_vml_cpu: round
searchsorted_out_cpu: bucketize searchsorted
slow_conv2d_cpu: conv1d conv2d
slow_conv3d_cpu: conv3d
slow_conv_transpose2d_out_cpu: conv_transpose1d conv_transpose2d
slow_conv_transpose3d_out_cpu: conv_transpose3d
threshold_cpu: threshold
trace: trace
trunc_vml_cpu: fix trunc
"""
# Neither booleans nor integers.
WHOLE = """
GeluKernelImpl: gelu
GroupNormKernelImpl: group_norm
LayerNormKernelImpl: layer_norm
adaptive_avg_pool2d: adaptive_avg_pool1d adaptive_avg_pool2d
adaptive_max_pool2d: adaptive_max_pool1d adaptive_max_pool2d
batch_norm: batch_norm instance_norm
binary_cross_entropy: binary_cross_entropy
cholesky_inverse_out_cpu: cholesky_inverse
cholesky_solve_cpu: cholesky_solve
elu_cpu: celu elu selu
glu_cpu: glu
hardshrink_cpu: hardshrink
hardsigmoid_cpu: hardsigmoid
hardswish_cpu: hardswish
huber_cpu: huber_loss
hypot_cpu: hypot
igamma_cpu: igamma
igammac_cpu: igammac
leaky_relu_cpu: leaky_relu rrelu
linalg_eigh_cpu: eigh eigvalsh
linalg_lstsq_cpu: lstsq
log_sigmoid_cpu: logsigmoid multilabel_soft_margin_loss
logaddexp2_cpu: logaddexp2
logaddexp_cpu: logaddexp
logcumsumexp_out_cpu: logcumsumexp
lu_cpu: lu lu_factor
max_pool1d_impl: max_pool1d
max_unpool2d: max_unpool1d max_unpool2d
max_unpool3d: max_unpool3d
mish_cpu: mish
mse_cpu: mse_loss
nextafter_cpu: nextafter
nll_loss_out_frame: nll_loss
prelu_cpu: prelu
rms_norm: rms_norm
silu_cpu: silu
smooth_l1_cpu: smooth_l1_loss
softplus_cpu: softplus
softshrink_check: softshrink
triangular_solve_cpu: solve_triangular triangular_solve
"""
# No numbers of half precision.
HALVES = """
avg_pool3d_out_frame: avg_pool3d
cdist: cdist
cholesky_cpu: cholesky cholesky_ex
cholesky_inverse_out_cpu: cholesky_inverse
cholesky_solve_cpu: cholesky_solve
erfcx_cpu: erfcx
geqrf_cpu: qr
linalg_eigh_cpu: eigh eigvalsh
linalg_lstsq_cpu: lstsq
linalg_svd_cpu: cond matrix_rank svd svdvals
log_ndtr_cpu: log_ndtr
lu_cpu: det lu lu_factor solve tensorsolve
ndtri_cpu: ndtri
triangular_solve_cpu: solve_triangular triangular_solve
zeta_cpu: zeta
"""
NO_DIFFERENCE = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
ONE_TRUTH_VALUE = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)
NO_NEGATION = (
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
    "`logical_not()` operator instead."
)
# What torch says elsewhere than in a kernel: of booleans, of bytes, and of all whole numbers.
SENTENCES = {
    "b": {
        "Boolean inputs not supported for relu": "relu",
        "Bool inputs not supported for hardtanh": "hardtanh relu6",
        NO_DIFFERENCE: "gradient",
        ONE_TRUTH_VALUE: "l1_loss tanhshrink",
        NO_NEGATION: "soft_margin_loss",
        "The input tensor may not be a boolean tensor.": "multigammaln mvlgamma",
        "Unsupported input type encountered for isin(): Bool": "isin",
        "The `+` operator, on a bool tensor is not supported.": "positive",
        "cov(): bool dtype is not supported for input": "corrcoef cov",
        "topk does not support bool dtypes on CPU": "topk",
        "trapezoid: received a bool input for `y`, but bool is not supported": "trapezoid trapz",
        "cumulative_trapezoid: received a bool input for `y`, but bool is not supported": "cumulative_trapezoid",
    },
    "iu": {
        "result type Float can't be cast to the desired output type {}": "soft_margin_loss",
    },
    "u": {
        "cannot do hardtanh on an unsigned type with negative limits": "hardtanh",
        "torch.gradient does not support uint8 input.": "gradient",
    },
    "biu": {
        "logdet: Expected a floating point or complex tensor as input. Got {}": "logdet",
        "linalg.matrix_exp: Expected a floating point or complex tensor as input. Got {}": "matrix_exp",
        "expected common dtype to be floating point, yet common dtype is {}": "cosine_similarity",
        "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {}": "normalize renorm",
        "linalg.vecdot: Expected a floating point or complex tensor as input. Got {}": "vecdot",
        "std_mean only support floating point and complex dtypes": "std_mean",
        "var_mean only support floating point and complex dtypes": "var_mean",
        "torch.frexp() only supports floating-point dtypes": "frexp",
    },
}
# Functions whose operands are promoted first; of the others the first tensor decides.
PROMOTING = """
addcmul arctan2 atan2 cosine_similarity floor_divide fmod gammainc gammaincc huber_loss hypot igamma igammac logaddexp
logaddexp2 mse_loss nextafter pow remainder smooth_l1_loss zeta
"""
# Words of refusals that such numbers meet here: by numpy, or by a check that torch makes in the kernel.
NOT_IMPLEMENTED = "not implemented for '{}'"
OWN = (
    *('"bmm"', '"addmm', "numpy", "ufunc", "array type", "is singular", "without pivoting"),
    "Expected a floating point or complex tensor",
)


def _read() -> dict[str, dict[np.dtype[Any], str]]:
    """Return for each function the dtypes that it refuses, and in which words."""
    found: dict[str, dict[np.dtype[Any], str]] = {}
    every: list[Any] = list(TYPE_NAMES)
    whole = [x for x in every if x.kind in "biu"]
    for text, dtypes in ((BOOLEANS, [BOOL]), (WHOLE, whole), (HALVES, [HALF])):
        for line in text.strip().splitlines():
            kernel, names = line.split(": ")
            for name in names.split():
                found.setdefault(name, {}).update(dict.fromkeys(dtypes, f'"{kernel}" {NOT_IMPLEMENTED}'))
    for kinds, sentences in SENTENCES.items():
        for sentence, names in sentences.items():
            for name in names.split():
                found.setdefault(name, {}).update({x: sentence for x in every if x.kind in kinds})
    return found


REFUSED = _read()


def refusing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which refuses kinds of numbers, and tensors of two dtypes, where torch does."""
    function = refusing_forward(name, refusing_mixtures(name, function))
    kernels = REFUSED.get(name)
    if kernels is not None:
        function = _refusing_kinds(name, kernels, function)
    function = _promoting(function) if name in PROMOTING.split() else function
    return _of_one_dtype_backward(of_one_kind(function)) if name == "huber_loss" else function


def _of_one_dtype_backward(function: Callable[..., Any]) -> Callable[..., Any]:
    """The loss, whose backward pass refuses a target of another dtype, for it promotes nothing."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        found = function(*arguments, **keywords)
        kinds = [TYPE_NAMES[x.dtype] for x in (*arguments, *keywords.values()) if isinstance(x, Tensor)][1::-1]
        return one_way(found, "Found dtype {} but expected {}".format(*kinds)) if len(set(kinds)) > 1 else found

    return call


def _promoting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of tensors of one kind: whole ones beside others are cast to the dtype that the result has."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        tensors = [x.value for x in (*arguments, *keywords.values()) if isinstance(x, Tensor)]
        if len({x.dtype.kind == "f" for x in tensors}) < 2:
            return function(*arguments, **keywords)
        dtype = result_type(tensors)

        def cast(x: Any) -> Any:
            return Tensor(x.value.astype(dtype)) if isinstance(x, Tensor) and x.dtype.kind != "f" else x

        return function(*map(cast, arguments), **{name: cast(x) for name, x in keywords.items()})

    return call


def _refusing_kinds(name: str, kernels: dict[Any, str], function: Callable[..., Any]) -> Callable[..., Any]:
    promoting = name in PROMOTING.split()

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        dtype = _decisive(arguments, keywords, promoting)
        if dtype not in kernels:
            return function(*arguments, **keywords)
        try:  # for shapes and arguments are looked at first; on copies, for `out=` and statistics stay as they are
            with set_grad_enabled(False):
                function(*map(_copied, arguments), **{name: _copied(x) for name, x in keywords.items()})
        except (TypeError, RuntimeError, AutogradError) as error:
            if not any(word in str(error) for word in OWN):
                raise
        words = kernels[dtype].format(TYPE_NAMES[dtype])
        if words == ONE_TRUTH_VALUE and all(x.dtype == BOOL for x in arguments[:2] if isinstance(x, Tensor)):
            words = words if name == "tanhshrink" else NO_DIFFERENCE
        if len(arguments) > 1 or keywords:
            words = words.replace("median_cpu", "median_out")
        raise (NotImplementedError if NOT_IMPLEMENTED[:15] in words else RuntimeError)(words)

    return call


def _copied(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return [_copied(each) for each in x]
    return Tensor(x.value.copy()) if isinstance(x, Tensor) else x


def _decisive(arguments: tuple[Any, ...], keywords: dict[str, Any], promoting: bool) -> Any:
    """Return the dtype in which torch would compute, None if no tensor tells."""
    first = arguments[0] if arguments else None
    if type(first) is Tensor and (not promoting or first.dtype.kind == "f"):
        return first.dtype
    given = [*arguments, *keywords.values()]
    tensors = [x.value for x in given if isinstance(x, Tensor)]
    if not tensors or not promoting:
        return tensors[0].dtype if tensors else None
    numbers = [np.asarray(x if type(x) in (float, bool) else int(x)) for x in arguments[:2] if type(x) in NUMBERS]
    return result_type([*tensors, *numbers])
