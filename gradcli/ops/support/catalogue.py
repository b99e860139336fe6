"""Where each operation is declared, so that a program loads the families that it uses and no others.

Start-up is what users feel: all families take longer to import than most programs take to run. A test compares this
table with the declarations and prints the line to write.
"""

from __future__ import annotations

FAMILIES = {
    "nn.activations": (
        "celu elu expit gelu hardtanh leaky_relu logsigmoid mish relu relu6 selu sigmoid silu softplus softsign swish "
        "tanhshrink"
    ),
    "windows.adaptive": (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_max_pool1d adaptive_max_pool2d avg_pool1d max_pool1d"
    ),
    "pointwise.arithmetic": (
        "add div divide floor_divide mul multiply neg negative pow power reciprocal remainder square sub subtract "
        "true_divide"
    ),
    "shaping.arranging": (
        "contiguous fliplr flipud ravel repeat_interleave reshape_as rot90 sum_to_size tile unflatten unfold view_as"
    ),
    "nn.attention": "dropout scaled_dot_product_attention",
    "pointwise.bessel": "i0 i0e i1 i1e",
    "nn.binary": "bce bce_with_logits binary_cross_entropy binary_cross_entropy_with_logits",
    "pointwise.ternary": (
        "addcdiv addcmul clamp_max clamp_min float_power fmod hypot lerp logaddexp logaddexp2 nan_to_num positive xlogy"
    ),
    "linalg.chains": "chain_matmul multi_dot",
    "nn.channels": "batch_norm group_norm instance_norm",
    "nn.classification": "cross_entropy",
    "pointwise.comparisons": (
        "eq ge greater greater_equal gt le less less_equal logical_and logical_not logical_or lt ne not_equal"
    ),
    "linalg.contractions": "addmm bmm dot ger mm mv outer",
    "windows.convolution": (
        "conv1d conv1d_input conv1d_weight conv2d conv2d_input conv2d_weight conv3d conv3d_input conv3d_weight"
    ),
    "reducing.counting": "argwhere bincount bucketize count_nonzero histc nonzero searchsorted unique",
    "shaping.creation": (
        "arange empty empty_like eye full full_like linspace logspace ones ones_like tril_indices triu_indices zeros "
        "zeros_like"
    ),
    "linalg.decompositions": "eigh eigvalsh qr svd svdvals",
    "linalg.determinants": "cholesky det inv inverse logdet matrix_power slogdet solve",
    "shaping.diagonals": "diag diag_embed diagflat diagonal trace tril triu",
    "reducing.distances": "cdist cosine_similarity dist linalg_norm matrix_norm normalize pairwise_distance",
    "nn.divergences": "gaussian_nll_loss kl_div poisson_nll_loss",
    "pointwise.divisors": "gcd lcm",
    "linalg.einsum": "einsum",
    "pointwise.elementwise": (
        "abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh "
        "ceil cos cosh erf exp exp2 expm1 fix floor ln log log10 log1p log2 rsqrt sign sin sinh sqrt tan tanh trunc"
    ),
    "linalg.elimination": "lu lu_factor",
    "indexing.entries": "entries entries_backward",
    "linalg.exponentials": "matrix_exp",
    "reducing.extremes": "amax amin argmax argmin max min",
    "pointwise.floats": "copysign fmax fmin frexp ldexp nextafter",
    "indexing.gathering": "gather index_add index_select masked_select scatter_add take_along_dim",
    "pointwise.incomplete": "gammainc gammaincc igamma igammac mvlgamma zeta",
    "indexing.indexing": "narrow select",
    "reducing.integrals": "cumulative_trapezoid gradient trapezoid trapz",
    "shaping.joining": "cat chunk concat concatenate flip repeat roll split stack unbind",
    "nn.likelihood": "nll_loss nll_loss_backward one_hot",
    "pointwise.logic": (
        "all allclose any bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor equal "
        "heaviside isclose isfinite isinf isnan isneginf isposinf logical_xor signbit"
    ),
    "nn.losses": "huber_loss l1_loss mse mse_loss smooth_l1_loss",
    "nn.margins": (
        "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss multilabel_soft_margin_loss soft_margin_loss "
        "triplet_margin_loss"
    ),
    "linalg.matmul": "linear matmul",
    "nn.normalization": "embedding embedding_backward layer_norm rms_norm",
    "reducing.norms": "norm vector_norm",
    "windows.padding": "pad",
    "shaping.permutations": "H T mH mT moveaxis movedim permute swapaxes swapdims t transpose",
    "windows.pooling": (
        "avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward max_pool2d max_pool2d_backward max_pool2d_pick "
        "max_pool3d max_pool3d_backward max_pool3d_pick"
    ),
    "linalg.products": "addmv addr baddbmm cross inner kron tensordot vdot vecdot",
    "pointwise.normal_distribution": "entr erfcx log_ndtr ndtr ndtri xlog1py",
    "reducing.reductions": "mean prod sum",
    "indexing.replacing": "diagonal_scatter narrow_copy renorm scatter_reduce select_scatter slice_scatter",
    "windows.resampling": "resample",
    "windows.resizing": "conv_transpose1d conv_transpose2d conv_transpose3d pixel_shuffle pixel_unshuffle",
    "pointwise.rounding": "round",
    "reducing.samples": "corrcoef cov diff logcumsumexp nanmean nansum quantile",
    "reducing.scans": "cumprod cumsum",
    "indexing.scattering": "index_copy index_fill masked_scatter scatter take",
    "pointwise.selection": "clamp clip masked_fill maximum minimum where",
    "reducing.sets": "combinations isin nonzero_static unique_consecutive unravel_index",
    "shaping.shaping": "broadcast_to clone detach expand expand_as flatten reshape squeeze unsqueeze view",
    "nn.shrinking": "glu hardshrink hardsigmoid hardswish prelu softshrink threshold",
    "nn.softmax": "log_softmax logsumexp softmax softmin",
    "reducing.sorting": "argsort cummax cummin kthvalue median mode sort topk",
    "pointwise.special": "deg2rad digamma erfc erfinv frac lgamma logit polygamma rad2deg sgn sinc",
    "shaping.stacks": (
        "atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod column_stack dstack hsplit "
        "hstack meshgrid row_stack tensor_split vsplit vstack"
    ),
    "reducing.statistics": "aminmax std std_mean var var_mean",
    "shaping.strides": "as_strided",
    "indexing.subscript": "index",
    "linalg.systems": (
        "cholesky_inverse cholesky_solve cond lstsq matrix_rank pinv solve_triangular tensorinv tensorsolve"
    ),
}
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}
