"""Factors of a product: whether they are of one dtype, and whether their sizes fit."""

from __future__ import annotations

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.modes import mode
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.support.arguments import check_size

MM = "expected m1 and m2 to have the same dtype, but got: {a} != {b}"
MV = "addmv input tensors must have the same dtype, but got {1}, {0}, and {1}"
UNEQUAL = "dot : expected both vectors to have same dtype, but found {0} and {1}"
ADDMM = "mat1 and mat2 must have the same dtype, but got {1} and {2}"
ADDMM_SELF = "self and mat2 must have the same dtype, but got {0} and {2}"
TENSORDOT = "both inputs should have same dtype"
BMM = "expected scalar type {0} but found {1}"
KERNELS = {UNEQUAL: "dot", MV: "addmv_impl_cpu", MM: "addmm_impl_cpu_", BMM: "bmm"}


def same_dtype(*tensors: Tensor, refusal: str = MM) -> tuple[Tensor, ...]:
    """Convert integers beside floating point numbers; refuse floats of two dtypes, in strict mode any two."""
    dtypes = [x.dtype for x in tensors]
    if dtypes.count(dtypes[0]) == len(dtypes):
        if dtypes[0] == np.bool_ and len(dtypes) == 2 and mode.strict and refusal in KERNELS:
            raise AutogradError(f"\"{KERNELS[refusal]}\" not implemented for 'Bool'")
        return tensors
    floating = [dtype for dtype in dtypes if dtype.kind == "f"]
    if mode.strict or any(dtype != floating[0] for dtype in floating):
        names = [TYPE_NAMES[dtype] for dtype in dtypes]
        raise AutogradError(refusal.format(*names, a=C_NAMES[names[-2]], b=C_NAMES[names[-1]]))
    if not floating:
        return tensors
    return tuple(x if is_floating(x.value) else with_origin(Tensor(x.value.astype(floating[0])), x) for x in tensors)


def listed(x: Tensor) -> str:
    return "x".join(map(str, x.shape))


COLUMNS = "the first needs as many columns as the second has rows; .T transposes"


def check_mm(a: Tensor, b: Tensor) -> None:
    if a.shape[1] != b.shape[0]:
        text = f"mat1 and mat2 shapes cannot be multiplied ({listed(a)} and {listed(b)})"
        raise ShapeError(text, help=COLUMNS)
    check_size((a.shape[0], b.shape[1]))


def check_bmm(input: Tensor, mat2: Tensor) -> None:
    for name, x in (("batch1", input), ("batch2", mat2)):
        if x.ndim != 3:
            raise ShapeError(f"{name} must be a 3D tensor")
    batch, rows, inner = input.shape
    if mat2.shape[:2] != (batch, inner):
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch}, {inner}] but got: "
            f"{list(mat2.shape[:2])}."
        )
    check_size((batch, rows, mat2.shape[2]))
