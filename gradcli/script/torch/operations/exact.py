"""In which words functions refuse an `out=` of another dtype than their result: those that cast nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES

# The words, of the dtype that is wanted and the given one: `{w}` and `{g}` in C, `{W}` and `{G}` as torch names them.
WORDS = {
    "Expected out tensor to have dtype {w}, but got {g} instead": """
        addmm addmv aminmax avg_pool2d avg_pool3d baddbmm bmm cholesky cholesky_ex cross det diag eigh eigvalsh gather
        index_add index_copy index_reduce inv inv_ex ldl_factor ldl_factor_ex ldl_solve linear log_softmax lu
        lu_factor lu_factor_ex lu_solve mm msort mv norm permute_copy qr renorm scatter scatter_add scatter_reduce
        slice_scatter slogdet softmax solve solve_ex sort svd svdvals take_along_dim topk triangular_solve tril triu
        vector_norm
    """,
    "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If "
    "so, please report an enhancement request to PyTorch.)": "narrow_copy",
    "Expected the dtype for input and out to match, but got {W} for input's dtype and {G} for out's dtype.": """
        amax amin
    """,
    "Found dtype {G} but expected {W}": """
        abs absolute ceil conj_physical fix floor frac gelu hardshrink neg negative round sgn sign softplus softshrink
        trunc
    """,
    "expected scalar type '{W}' but got '{G}' for values output": "mode",
    "expected scalar type {W} but found {G}": "logsigmoid",
    "expected scalar_type {W} but found {G}": "cummax cummin logcumsumexp",
    "{name}(): self and result must have the same scalar type": "index_select masked_select",
    "linalg.norm expected out tensor dtype {W} but got: {G}": "linalg_norm",
    "linalg.matrix_norm expected out tensor dtype {W} but got: {G}": "matrix_norm nuclear_norm",
    "linalg.vecdot: Expected out of dtype{W} but found {G}": "vecdot",
    "multi_dot(): expected out tensor to have dtype {w} but got {g}": "multi_dot",
    "nan_to_num: dtype of out: {G} should be same as input: {W}": "nan_to_num",
    "nonzero: Expected out tensor to have scalar type {W} but got scalar type{G}": "nonzero",
    "output values must be of same type as input": "kthvalue",
    "quantile() out tensor must be same dtype as the input tensor": "nanquantile quantile",
    "result dtype {G} does not match input dtype {W}": "dot matmul vdot",
    "self and mat2 must have the same dtype, but got {G} and {W}": "addbmm",
    "take(): self and out expected to have the same dtype, but got self.dtype = {W} and out.dtype = {G}": "take",
    "tensordot: Expected the output tensor to have dtype {W}, but got an output tensor with dtype {G}": """
        inner tensordot
    """,
    "the output given to float_power has dtype {G} but the operation's result requires dtype {W}": "float_power",
    "torch.frexp() expects mantissa to have dtype {w} but got {g}": "frexp",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {w} and hist {g}": """
        histc histogram
    """,
}
REFUSALS = {name: words for words, names in WORDS.items() for name in names.split()}
MIXED = ("max", "min")  # which are exact over a dimension


def check_exact(name: str, wanted: np.dtype[Any], given: np.dtype[Any], *, several: bool) -> None:
    """Refuse an output of another dtype than the result that goes there; `several` tells whether it is one of some."""
    words = REFUSALS["mm"] if name in MIXED and several else REFUSALS.get(name)
    if words is not None and wanted != given:
        names = TYPE_NAMES[wanted], TYPE_NAMES[given]
        w, g = (C_NAMES[each] for each in names)
        raise RuntimeError(words.format(W=names[0], G=names[1], w=w, g=g, name=name))
