"""Where each operation is declared, so that a program loads the families that it uses and no others.

Start-up is what users feel: all families take longer to import than most programs take to run. Written from the
declarations by `python -m tests.ops.support.record_catalogue`.
"""

from __future__ import annotations

FAMILIES = {
    "indexing.entries": "entries entries_backward",
    "indexing.gathering": "gather index_add index_select masked_select scatter_add take_along_dim",
    "indexing.indexing": "index_backward narrow select select_backward slice_backward",
    "indexing.replacing": "diagonal_scatter narrow_copy renorm scatter_reduce select_scatter slice_scatter",
    "indexing.scattering": "index_copy index_fill masked_scatter masked_scatter_backward scatter take take_backward",
    "indexing.subscript": "index",
    "linalg.chains": "chain_matmul multi_dot",
    "linalg.contractions": "addmm bmm dot ger mm mv outer",
    "linalg.decompositions": "eigh eigvalsh qr svd svdvals",
    "linalg.determinants": "cholesky det inv inverse logdet matrix_power slogdet solve",
    "linalg.einsum": "einsum",
    "linalg.elimination": "lu lu_factor",
    "linalg.exponentials": "matrix_exp",
    "linalg.matmul": "linear matmul",
    "linalg.products": "addmv addr baddbmm cross inner kron tensordot vdot vecdot",
    "linalg.systems": (
        "cholesky_inverse cholesky_solve cond lstsq matrix_rank pinv solve_triangular tensorinv tensorsolve"
    ),
    "nn.activations": (
        "celu elu expit gelu hardtanh leaky_relu logsigmoid mish normal_cdf normal_pdf relu relu6 selu sigmoid silu "
        "softplus softsign swish tanhshrink"
    ),
    "nn.attention": "dropout safe_softmax scaled_dot_product_attention",
    "nn.binary": "bce bce_with_logits binary_cross_entropy binary_cross_entropy_with_logits",
    "nn.channels": "batch_norm group_norm instance_norm",
    "nn.classification": "cross_entropy",
    "nn.divergences": "gaussian_nll_loss kl_div poisson_nll_loss",
    "nn.likelihood": "nll_loss nll_loss_backward one_hot",
    "nn.losses": "huber_loss l1_loss mse mse_loss mse_loss_backward smooth_l1_loss",
    "nn.margins": (
        "cosine_embedding_loss hinge_embedding_loss margin_ranking_loss multilabel_soft_margin_loss soft_margin_loss "
        "triplet_margin_loss"
    ),
    "nn.normalization": "embedding embedding_backward layer_norm rms_norm",
    "nn.shrinking": "glu hardshrink hardsigmoid hardswish prelu prelu_kernel softshrink threshold",
    "nn.slopes": "hardtanh_backward leaky_relu_backward sigmoid_backward threshold_backward",
    "nn.softmax": "log_softmax log_softmax_backward logsumexp softmax softmax_backward softmin",
    "pointwise.arithmetic": (
        "add div divide floor_divide mul multiply neg negative pow power reciprocal remainder square sub subtract "
        "true_divide"
    ),
    "pointwise.bessel": "i0 i0e i1 i1e",
    "pointwise.comparisons": (
        "eq ge greater greater_equal gt le less less_equal logical_and logical_not logical_or lt ne not_equal"
    ),
    "pointwise.divisors": "gcd lcm",
    "pointwise.elementwise": (
        "abs absolute acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh ceil "
        "cos cosh erf exp exp2 expm1 fix floor ln log log10 log1p log2 rsqrt sign sin sinh sqrt tan tanh tanh_backward "
        "trunc"
    ),
    "pointwise.floats": "copysign fmax fmin frexp ldexp nextafter",
    "pointwise.incomplete": "gammainc gammaincc igamma igammac mvlgamma special.multigammaln zeta",
    "pointwise.logic": (
        "all allclose any bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor equal "
        "heaviside isclose isfinite isinf isnan isneginf isposinf logical_xor signbit"
    ),
    "pointwise.normal_distribution": "entr erfcx log_ndtr ndtr ndtri xlog1py",
    "pointwise.rounding": "round",
    "pointwise.selection": "clamp clip masked_fill maximum minimum where",
    "pointwise.special": (
        "deg2rad digamma erfc erfinv frac lgamma logit polygamma rad2deg sgn sinc special.gammaln special.psi"
    ),
    "pointwise.ternary": (
        "addcdiv addcmul clamp_max clamp_min float_power fmod hypot lerp logaddexp logaddexp2 nan_to_num positive xlogy"
    ),
    "reducing.counting": "argwhere bincount bucketize count_nonzero histc nonzero searchsorted unique",
    "reducing.distances": (
        "cdist cosine_similarity dist linalg.norm linalg_norm matrix_norm normalize pairwise_distance"
    ),
    "reducing.extremes": "amax amin argmax argmin hot max min",
    "reducing.integrals": "cumulative_trapezoid gradient trapezoid trapz",
    "reducing.norms": "norm vector_norm",
    "reducing.reductions": "mean prod sum",
    "reducing.samples": "corrcoef cov diff logcumsumexp nanmean nansum quantile",
    "reducing.scans": "carry cumprod cumsum prod_before prod_others",
    "reducing.sets": "combinations isin nonzero_static unique_consecutive unravel_index",
    "reducing.sorting": (
        "argsort cummax cummax_indices cummin cummin_indices kth_index kthvalue median median_index mode mode_index "
        "sort topk topk_indices"
    ),
    "reducing.statistics": "aminmax std std_mean var var_mean",
    "shaping.arranging": (
        "contiguous fliplr flipud ravel repeat_interleave reshape_as rot90 sum_to_size tile unflatten unfold "
        "unfold_backward view_as"
    ),
    "shaping.creation": (
        "arange empty empty_like eye full full_like linspace logspace ones ones_like tril_indices triu_indices zeros "
        "zeros_like"
    ),
    "shaping.diagonals": "diag diag_embed diagflat diagonal diagonal_backward trace tril triu",
    "shaping.joining": "cat chunk concat concatenate flip repeat roll split stack unbind",
    "shaping.permutations": "H T mH mT moveaxis movedim permute swapaxes swapdims t transpose",
    "shaping.shaping": "broadcast_to clone detach expand expand_as flatten reshape squeeze unsqueeze view",
    "shaping.stacks": (
        "atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod column_stack dstack hsplit "
        "hstack meshgrid row_stack tensor_split vsplit vstack"
    ),
    "shaping.strides": "as_strided as_strided_backward",
    "windows.adaptive": (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool2d_backward adaptive_max_pool1d adaptive_max_pool2d "
        "adaptive_max_pool2d_indices adaptive_max_pool2d_values avg_pool1d max_pool1d"
    ),
    "windows.convolution": (
        "conv1d conv1d_input conv1d_weight conv2d conv2d_input conv2d_weight conv3d conv3d_input conv3d_weight"
    ),
    "windows.padding": "pad",
    "windows.pooling": (
        "avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward max_pool2d max_pool2d_backward max_pool2d_pick "
        "max_pool3d max_pool3d_backward max_pool3d_pick"
    ),
    "windows.resampling": "resample",
    "windows.resizing": "conv_transpose1d conv_transpose2d conv_transpose3d pixel_shuffle pixel_unshuffle",
}
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}
