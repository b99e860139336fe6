"""The engine's operations as `torch.name(...)`, `x.name(...)` and `x.name_(...)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.memory.in_place import change
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.machine import running
from gradcli.script.torch.operations.arguments import Signature
from gradcli.script.torch.operations.lowering import LOWERED
from gradcli.script.torch.operations.outputs import into

Function = Callable[..., Any]

NUMBERS = (int, float)  # what `torch.add(1, 2)` comes to before it is a tensor
LARGE = 2**16  # entries of a result worth a look at the limit
# What the engine has under plain names, and torch only as methods or in torch.nn.functional and torch.linalg.
ONLY_METHODS = "contiguous reshape_as sum_to_size unfold view_as repeat H T mH mT expand expand_as view"
ONLY_NN = (
    "elu gelu hardtanh leaky_relu logsigmoid mish relu6 silu softplus softsign tanhshrink binary_cross_entropy "
    "cross_entropy normalize nll_loss one_hot huber_loss l1_loss mse_loss smooth_l1_loss linear pad avg_pool2d glu "
    "hardsigmoid hardswish softshrink softmin multi_dot matrix_norm vector_norm vecdot"
)
ONLY_SPECIAL = "entr erfcx gammainc gammaincc i0e i1 i1e log_ndtr ndtr ndtri xlog1py zeta"
OURS = (
    "expit swish power bce bce_with_logits conv1d_input conv1d_weight conv2d_input conv2d_weight inv linalg_norm ln "
    "svd svdvals eigh eigvalsh qr solve_triangular pinv lstsq matrix_rank cond tensorinv tensorsolve "
    "solve lu lu_factor "
    "nll_loss_backward mse embedding_backward avg_pool2d_backward max_pool2d_backward max_pool2d_pick index"
)
ELSEWHERE = frozenset(f"{ONLY_METHODS} {ONLY_NN} {ONLY_SPECIAL} {OURS}".split())


# Functions that are no operations of the engine, by the module that has them; methods too where they take a tensor.
FURTHER = {
    "random.draws": "cauchy_ geometric_ log_normal_ poisson",
    "deprecated": (
        "addbmm angle bartlett_window blackman_window chain_matmul conj conj_physical dsplit fill hamming_window "
        "hann_window histogram imag isreal lu msort nanmedian nanquantile nuclear_norm pdist pinverse qr real "
        "resolve_conj resolve_neg rsub svd triangular_solve typename unsafe_chunk unsafe_split vander range_"
    ),
    "tensor.strides": (
        "adjoint apply_ dim_order empty_permuted empty_strided index_put is_set_to map_ put put_ resize_ "
        "resize_as_ set_ split_with_sizes"
    ),
}
MODULE_OF = {name: module for module, names in FURTHER.items() for name in names.split()}
ALONE = (
    "bartlett_window blackman_window empty_permuted empty_strided chain_matmul fill hamming_window hann_window "
    "nuclear_norm pdist range_ rsub typename vander"
)
NO_METHODS = frozenset(ALONE.split())


def further(name: str) -> Function | None:
    if name not in MODULE_OF:
        return None
    return getattr(import_module(f"gradcli.script.torch.{MODULE_OF[name]}"), name)  # type: ignore[no-any-return]


@cache
def function(name: str) -> Function | None:
    """`torch.name`, and that of torch.nn.functional; None when there is no such operation."""
    if name.endswith("_"):
        return in_place(name)
    return plain(name, method=False) if name in OPERATIONS else None


@cache
def method(name: str) -> Function | None:
    """`x.name`, which takes the tensor first; None when there is no such method."""
    if name in MODULE_OF and name not in NO_METHODS:
        return further(name)
    if name.endswith("_"):
        return in_place(name)
    if name not in OPERATIONS or not (OPERATIONS[name].method or name == "where"):
        return None
    return where if name == "where" else plain(name, method=True)


def methods() -> Iterable[str]:
    """The names that `method` has something for, without those in place."""
    return (name for name, operation in OPERATIONS.items() if operation.method)


def where(x: Tensor, condition: Tensor, other: Any) -> Any:
    """`x.where(condition, other)`: the tensor comes second in the operation."""
    function_ = function("where")
    assert function_ is not None
    return function_(condition, x, other)


def plain(name: str, *, method: bool, shown: str = "") -> Function:
    """An operation that reads its arguments as torch does; `shown` is its name in messages."""
    operation = OPERATIONS[name]
    signature = Signature(name, operation.parameters, method=method)
    signature.name = shown or name
    run, bind, readers = LOWERED.get(name, operation.function), signature.bind, signature.positional
    least, most, many = signature.least, signature.most, signature.rest is not None

    def call(*arguments: Any, **keywords: Any) -> Any:
        if "out" in keywords and not method:
            out = keywords.pop("out")
            return call(*arguments, **keywords) if out is None else into(name, out, call, arguments, keywords)
        if keywords or not least <= len(arguments) <= most:
            values, keywords = bind(arguments, keywords)
        else:
            try:
                each = signature.following() if many else readers
                values = [read(x) for read, x in zip(each, arguments, strict=False)]
            except (TypeError, ValueError, OverflowError, IndexError):
                values, keywords = bind(arguments, keywords)
        result = run(*values, **keywords)
        if isinstance(result, Tensor) and result.value.size > LARGE:
            running.machine.budget.fits(result.value.size, "the result")
        return Tensor(np.asarray(result)) if type(result) in NUMBERS else result

    call.__name__ = name
    return call


def in_place(name: str) -> Function | None:
    """`x.name_(...)`: the result, written over the tensor."""
    from gradcli.ops.indexing.assignment import METHODS, in_place_method

    stem = name.removesuffix("_")
    if stem not in METHODS or stem not in OPERATIONS:
        return in_place_method(name)
    operation = plain(stem, method=True, shown=name)

    def call(target: Tensor, *arguments: Any, **keywords: Any) -> Tensor:
        return change(target, operation, *arguments, **keywords)

    call.__name__ = name
    return call
