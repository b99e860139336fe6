"""Operations of torch that are not here, and what to write instead."""

from __future__ import annotations

HINTS = {
    "write A.inverse(), torch.linalg.solve(A, B) or torch.linalg.solve_triangular(A, B, upper=False)": (
        "cholesky_inverse cholesky_solve tensorinv tensorsolve triangular_solve"
    ),
    "write torch.linalg.solve(A, B)": "lu lu_factor lu_solve",
    "write (x - y).norm(p)": "dist",
    "write dot": "vdot",
    "write bincount, or numpy.histogram": "histc histogram",
    "count: (x.unsqueeze(-1) > boundaries).sum(-1)": "bucketize searchsorted",
    "write flip and transpose": "rot90",
    "write tensor_split": "dsplit hsplit vsplit",
    "write stack and reshape": "dstack",
    "write reshape": "atleast_3d",
    "write reshape and permute": "pixel_shuffle pixel_unshuffle",
    "write the product with @": "addbmm chain_matmul multi_dot",
    "write A + torch.outer(x, y)": "addr",
    "write the series, A + A @ A/2 + ..., or use torch.linalg.eigh of a symmetric matrix": "matrix_exp",
    "write scatter_add, index_add, or torch.where with a mask": (
        "diagonal_scatter index_copy index_fill index_reduce masked_scatter scatter_reduce select_scatter slice_scatter"
    ),
    "index the tensor: x[index], x.flatten()[index]": "narrow_copy nonzero_static take unravel_index",
    "choose the numbers first: x[~x.isnan()]": "nanmean nanmedian nanquantile nansum",
    "write x.min() and x.max()": "aminmax",
    "write maximum and minimum": "fmax fmin",
    "write the sum of the trapezoids: ((y[1:] + y[:-1])/2*dx).sum()": "cumulative_trapezoid trapezoid trapz",
    "write the differences: (y[2:] - y[:-2])/(2*dx)": "gradient",
    "write logsumexp(x[:n], 0) for each n": "logcumsumexp",
    "write sort, or a loop over the entries": "cummax cummin unique_consecutive",
    "write (x.unsqueeze(-1) == y).any(-1)": "isin",
    "write meshgrid": "cartesian_prod combinations",
    "write cat with zeros": "block_diag",
    "divide by the norm: x*(limit/x.norm(dim=1, keepdim=True)).clamp(max=1)": "renorm",
    "write abs(x)*sign(y)": "copysign",
    "write x*2**n": "ldexp",
    "write x < 0": "signbit",
    "write x == inf, x == -inf": "isneginf isposinf",
    "write logaddexp(x*log(2), y*log(2))/log(2)": "logaddexp2",
    "write x.double()**y": "float_power",
    "write x": "positive",
    "write sign": "sgn",
    "write where(abs(x) > limit, x, 0), or relu(x - limit) - relu(-x - limit)": "hardshrink softshrink",
    "write x - tanh(x)": "tanhshrink",
    "write softplus(-y*x).mean()": "soft_margin_loss",
    "write binary_cross_entropy_with_logits": "multilabel_soft_margin_loss",
    "write the sum x*log1p(y)": "xlog1py",
    "write ndtr(x).log()": "log_ndtr",
    "write 2**0.5*erfinv(2*p - 1)": "ndtri",
    "write exp(x**2)*erfc(x)": "erfcx",
}
INSTEAD = {name: hint for hint, names in HINTS.items() for name in names.split()}
