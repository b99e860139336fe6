"""Where torch keeps what an operation of the expression language is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

Function = Callable[..., Any]


def _softmax(function: Function) -> Function:
    """Without `dim` torch warns and guesses; this is its guess."""

    def along(x: torch.Tensor, dim: int | None = None) -> torch.Tensor:
        return function(x, dim=dim if dim is not None else 0 if x.ndim in (0, 1, 3) else 1)

    return along


def _with_tensors(function: Function) -> Function:
    """torch takes tensors alone here, gradcli numbers too."""

    def call(x: torch.Tensor, other: Any) -> torch.Tensor:
        return function(x, other if isinstance(other, torch.Tensor) else torch.tensor(other, dtype=x.dtype))

    return call


def _flip(x: torch.Tensor, *dims: Any) -> torch.Tensor:
    return x.flip(*dims)


def _layer_norm(x: torch.Tensor, shape: Any, *arguments: Any, **keywords: Any) -> torch.Tensor:
    return functional.layer_norm(x, (shape,) if isinstance(shape, int) else shape, *arguments, **keywords)


def _rms_norm(x: torch.Tensor, shape: Any, *arguments: Any, **keywords: Any) -> torch.Tensor:
    return functional.rms_norm(x, (shape,) if isinstance(shape, int) else shape, *arguments, **keywords)


def _attention(*arguments: torch.Tensor, attn_mask: torch.Tensor | None = None, **keywords: Any) -> torch.Tensor:
    mask = None if attn_mask is None else attn_mask.to(arguments[0].dtype)
    return functional.scaled_dot_product_attention(*arguments, attn_mask=mask, **keywords)


def _cross_entropy(x: torch.Tensor, target: torch.Tensor, *arguments: Any, **keywords: Any) -> torch.Tensor:
    labels = target if target.shape == x.shape else target.long()
    return functional.cross_entropy(x, labels, *arguments, **keywords)


def _max_pool(dims: int) -> tuple[Function, Function]:
    """The adjoint of max-pooling over so many dimensions, and the adjoint of that."""
    pool = getattr(functional, f"max_pool{dims}d")

    def flat_indices(x: torch.Tensor, *arguments: Any, **keywords: Any) -> torch.Tensor:
        return pool(x.detach(), *arguments, return_indices=True, **keywords)[1].flatten(-dims)

    def backward(g: torch.Tensor, x: torch.Tensor, kernel_size: Any, **keywords: Any) -> torch.Tensor:
        indices = flat_indices(x, kernel_size, **keywords)
        return torch.zeros_like(x).flatten(-dims).scatter_add(-1, indices, g.flatten(-dims)).reshape(x.shape)

    def pick(values: torch.Tensor, x: torch.Tensor, kernel_size: Any, **keywords: Any) -> torch.Tensor:
        shape = pool(x.detach(), kernel_size, **keywords).shape
        return values.flatten(-dims).gather(-1, flat_indices(x, kernel_size, **keywords)).reshape(shape)

    return backward, pick


def _avg_pool_backward(dims: int) -> Function:
    pool = getattr(functional, f"avg_pool{dims}d")

    def backward(g: torch.Tensor, input_size: Any, kernel_size: Any, **keywords: Any) -> torch.Tensor:
        x = torch.zeros(input_size, requires_grad=True)
        return torch.autograd.grad(pool(x, kernel_size, **keywords), x, g, create_graph=True)[0]

    return backward


def _entries(x: torch.Tensor, places: torch.Tensor, dims: int) -> torch.Tensor:
    flat = x.flatten(-dims) if dims else x[..., None]
    return torch.cat([flat, torch.zeros_like(flat[..., :1])], -1)[..., places.long()]


def _entries_backward(g: torch.Tensor, places: torch.Tensor, shape: Any, dims: int) -> torch.Tensor:
    x = torch.zeros(shape, requires_grad=True)
    return torch.autograd.grad(_entries(x, places, dims), x, g, create_graph=True)[0]


def _resample(x: torch.Tensor, down: torch.Tensor, across: torch.Tensor) -> torch.Tensor:
    return down.to(x.dtype) @ x @ across.to(x.dtype).T


def _nll_loss_backward(g: torch.Tensor, target: torch.Tensor, size: Any, **keywords: Any) -> torch.Tensor:
    x = torch.zeros(size, requires_grad=True)
    return torch.autograd.grad(functional.nll_loss(x, target, **keywords), x, g, create_graph=True)[0]


def _embedding_backward(g: torch.Tensor, indices: torch.Tensor, size: Any, **keywords: Any) -> torch.Tensor:
    w = torch.zeros(size, requires_grad=True)
    return torch.autograd.grad(functional.embedding(indices, w, **keywords), w, g, create_graph=True)[0]


def _adjoint(function: Function, input_like: str = "shape") -> Function:
    """The gradient of a function by its first argument, which has the shape that the keyword gives."""

    def backward(g: torch.Tensor, *arguments: Any, **keywords: Any) -> torch.Tensor:
        x = torch.zeros(keywords.pop(input_like), requires_grad=True)
        return torch.autograd.grad(function(x, *arguments, **keywords), x, g, create_graph=True)[0]

    return backward


def _slice(x: torch.Tensor, dim: int, start: int, stop: int, step: int = 1) -> torch.Tensor:
    return x[(slice(None),) * dim + (slice(start, stop, step),)]


def _index(x: torch.Tensor, *indices: torch.Tensor, dims: tuple[int, ...]) -> torch.Tensor:
    return x[tuple(indices[dims.index(dim)] if dim in dims else slice(None) for dim in range(max(dims) + 1))]


def _carry(g: torch.Tensor, x: torch.Tensor, dim: int) -> torch.Tensor:
    assert g.ndim == 1
    places = range(len(g))
    return torch.stack([sum((g[k] * x[i + 1 : k].prod() for k in places[i + 1 :]), 0 * g[0]) for i in places])


def _places_of(name: str) -> Function:
    """The indices that an operation with two results gives."""
    return lambda x, **keywords: getattr(torch, name)(x, **keywords).indices


def _hot(indices: torch.Tensor, size: int, dim: int) -> torch.Tensor:
    return functional.one_hot(indices, size).movedim(-1, dim).bool()


_normal = torch.distributions.Normal(torch.tensor(0.0, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64))
_aten = torch.ops.aten
PRINTED: dict[str, Function] = {
    "adaptive_avg_pool2d_backward": lambda g, size: _adjoint(functional.adaptive_avg_pool2d, "size")(
        g, g.shape[-2:], size=size
    ),
    "carry": _carry,
    "diagonal_backward": _adjoint(torch.diagonal),
    "hot": _hot,
    "index_backward": _adjoint(_index),
    "median_index": _places_of("median"),
    "mode_index": _places_of("mode"),
    "mse_loss_backward": lambda g, x, y, reduction: _aten.mse_loss_backward(g, x, y, ["none", "mean"].index(reduction)),
    "normal_cdf": _normal.cdf,
    "normal_pdf": lambda x: _normal.log_prob(x).exp(),
    "prelu_kernel": _aten._prelu_kernel,
    "prod_before": lambda x, dim: torch.stack([x[:i].prod() for i in range(len(x))]),
    "prod_others": lambda x, dim: torch.stack([x[:i].prod() * x[i + 1 :].prod() for i in range(len(x))]),
    "safe_softmax": _aten._safe_softmax,
    "select_backward": _adjoint(torch.select),
    "slice_backward": _adjoint(_slice),
    "topk_indices": _places_of("topk"),
    "unfold_backward": _adjoint(torch.Tensor.unfold),
}

# Adjoints that formulas print, and what torch computes by other steps: it has no function, or a node with the operands
# in another order. Their values and gradients are compared, their nodes are not.
ADJOINTS = {
    *PRINTED,
    "conv1d_input",
    "conv1d_weight",
    "conv2d_input",
    "conv2d_weight",
    "conv3d_input",
    "conv3d_weight",
    "max_pool2d_backward",
    "max_pool2d_pick",
    "max_pool3d_backward",
    "max_pool3d_pick",
    "avg_pool2d_backward",
    "avg_pool3d_backward",
    "entries",
    "entries_backward",
    "resample",
    "nll_loss_backward",
    "embedding_backward",
    "quantile",  # in place, and with one node more
}

ELSEWHERE: dict[str, Function] = {
    "tanh": torch.tanh,  # torch.nn.functional has them too, with a warning
    "sigmoid": torch.sigmoid,
    "softmax": _softmax(functional.softmax),
    "log_softmax": _softmax(functional.log_softmax),
    "softmin": _softmax(functional.softmin),
    "maximum": _with_tensors(torch.maximum),
    "minimum": _with_tensors(torch.minimum),
    "flip": _flip,
    "layer_norm": _layer_norm,
    "cross_entropy": _cross_entropy,
    "rms_norm": _rms_norm,
    "avg_pool1d": functional.avg_pool1d,
    "scaled_dot_product_attention": _attention,
    "vector_norm": torch.linalg.vector_norm,
    "matrix_norm": torch.linalg.matrix_norm,
    "linalg_norm": torch.linalg.norm,
    "solve": torch.linalg.solve,
    "cholesky": torch.linalg.cholesky,
    "det": torch.linalg.det,
    **{name: getattr(torch.linalg, name) for name in ("cond", "lstsq", "matrix_rank", "pinv", "qr", "svd")},
    "einsum": torch.einsum,
    "unfold": torch.Tensor.unfold,
    **{f"conv{n}d_{of}": getattr(torch.nn.grad, f"conv{n}d_{of}") for n in (1, 2, 3) for of in ("input", "weight")},
    **{f"max_pool{n}d_{of}": _max_pool(n)[of == "pick"] for n in (2, 3) for of in ("backward", "pick")},
    **{f"avg_pool{n}d_backward": _avg_pool_backward(n) for n in (2, 3)},
    "entries": _entries,
    "entries_backward": _entries_backward,
    "resample": _resample,
    "nll_loss_backward": _nll_loss_backward,
    "embedding_backward": _embedding_backward,
    **PRINTED,
}


def function_of(name: str) -> Function:
    """The function behind an operation's own name (not an alias)."""
    for place in (
        ELSEWHERE,
        vars(functional),
        vars(torch),
        vars(torch.Tensor),
        vars(torch.special),
        vars(torch.linalg),
    ):
        if name in place:
            return place[name]  # type: ignore[no-any-return]
    found = getattr(torch.Tensor, name, None)
    if found is None:
        raise LookupError(f"torch has nothing called {name}: add it to tests/torch_names.py")
    return found  # type: ignore[no-any-return]
