"""Multi-head attention: Vaswani et al. 2017."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.functional.masks import check_shapes, summand, wider
from gradcli.script.torch.nn.functional.noise import dropout
from gradcli.script.torch.nn.functional.scores import scaled_dot_product_attention
from gradcli.script.torch.nn.initialisation import xavier_normal_, xavier_uniform_
from gradcli.script.torch.nn.layers.linear import Linear
from gradcli.script.torch.tensor.printing import size_text


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear by the name that torch prints for the last layer of attention."""


class MultiheadAttention(Module):
    """Attention in several heads, each with a part of the features, and a linear layer over their results."""

    __module__ = "torch.nn.modules.activation"

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._add_weights(bias, add_bias_kv, dtype)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _add_weights(self, bias: bool, add_bias_kv: bool, dtype: Any) -> None:
        size = self.embed_dim
        shapes: dict[str, tuple[int, ...] | None] = {
            "q_proj_weight": (size, size),
            "k_proj_weight": (size, self.kdim),
            "v_proj_weight": (size, self.vdim),
            "in_proj_weight": None,
        }
        if self._qkv_same_embed_dim:
            shapes = {"in_proj_weight": (3 * size, size), **dict.fromkeys(list(shapes)[:3])}
        shapes["in_proj_bias"] = (3 * size,) if bias else None
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else Parameter(blank(shape, dtype)))
        self.out_proj = NonDynamicallyQuantizableLinear(size, size, bias, dtype=dtype)
        for name in ("bias_k", "bias_v"):
            setattr(self, name, Parameter(blank((1, 1, size), dtype)) if add_bias_kv else None)

    def _reset_parameters(self) -> None:
        own = self._parameters
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if own[name] is not None:
                xavier_uniform_(own[name])
        if own["in_proj_bias"] is not None:
            for bias in (own["in_proj_bias"], self.out_proj.bias):
                bias.array[...] = 0
        for name in ("bias_k", "bias_v"):
            if own.get(name) is not None:
                xavier_normal_(own[name])

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """Return means of the values, (length, batch, features) or batch first, and the weights of the positions."""
        padding = summand(key_padding_mask, "key_padding_mask", query, attn_mask, "attn_mask")
        mask = summand(attn_mask, "attn_mask", query)
        batched = query.ndim == 3
        inputs: list[Any] = [query, key, value]
        if batched and self.batch_first:
            turned = {id(x): ops.transpose(x, 1, 0) for x in inputs if x.ndim > 1}
            inputs = [turned.get(id(x), x) for x in inputs]
        check_shapes(inputs, padding, mask, self.num_heads)
        if not batched:
            inputs = [ops.unsqueeze(x, 1) for x in inputs]
            padding = None if padding is None else ops.unsqueeze(padding, 0)
        if is_causal and mask is None:
            raise AutogradError(
                "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                "`generate_square_subsequent_mask` to create this mask."
            )
        out, weights = self._attend(inputs, padding, mask, need_weights)
        if weights is not None and average_attn_weights:
            weights = ops.mean(weights, 1)
        if not batched:
            out = ops.squeeze(out, 1)
            weights = None if weights is None else ops.squeeze(weights, 0)
        elif self.batch_first:
            out = ops.transpose(out, 1, 0)
        return out, weights

    def _check_inputs(self, inputs: list[Any]) -> None:
        query, key, value = inputs
        if query.shape[2] != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[2]}")
        if not self._qkv_same_embed_dim and key.shape[:2] != value.shape[:2]:
            of_key, of_value = (size_text(x.shape[:2]) for x in (key, value))
            raise AssertionError(f"key's sequence and batch dims {of_key} do not match value's {of_value}")
        if self._qkv_same_embed_dim and key.shape != value.shape:
            of_key, of_value = (size_text(x.shape) for x in (key, value))
            raise AssertionError(f"key shape {of_key} does not match value shape {of_value}")

    def _projected(self, query: Any, key: Any, value: Any) -> list[Any]:
        """Project queries, keys and values; equal tensors are multiplied once, as torch does."""
        own, size = self._parameters, self.embed_dim
        bias = own["in_proj_bias"]
        if not self._qkv_same_embed_dim:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            biases = [None] * 3 if bias is None else ops.chunk(bias, 3)
            return [ops.linear(x, own[n], b) for x, n, b in zip((query, key, value), names, biases, strict=True)]
        counts = [3] if query is key is value else [1, 2] if key is value else [1, 1, 1]
        sizes: Any = size if len(counts) == 3 else [count * size for count in counts]
        weights = [own["in_proj_weight"]] if len(counts) == 1 else ops.split(own["in_proj_weight"], sizes)
        biases = [bias] * len(counts) if bias is None or len(counts) == 1 else ops.split(bias, sizes)
        found: list[Any] = []
        for count, x, w, b in zip(counts, (query, key, value), weights, biases, strict=False):
            made = ops.linear(x, w, b)
            found += [made] if count == 1 else self._parted(made, count)
        return found

    def _parted(self, made: Any, count: int) -> list[Any]:
        """Split the features of one product into `count` tensors."""
        parts = ops.unflatten(made, -1, (count, self.embed_dim))
        first = ops.transpose(ops.unsqueeze(parts, 0), 0, parts.ndim - 1)
        stacked = ops.contiguous(ops.squeeze(first, parts.ndim - 1))
        return [ops.select(stacked, 0, n) for n in range(count)]

    def _attend(self, inputs: list[Any], padding: Any, mask: Any, need_weights: bool) -> tuple[Any, Any]:
        self._check_inputs(inputs)
        length, batch, features = inputs[0].shape
        heads, width = batch * self.num_heads, self.head_dim
        query, key, value = self._projected(*inputs)
        mask = self._mask(mask, length, key.shape[0], heads)
        if self._parameters.get("bias_k") is not None:
            key, value = (
                ops.cat([x, ops.repeat(bias, 1, batch, 1)], 0) for x, bias in ((key, self.bias_k), (value, self.bias_v))
            )
            mask, padding = wider(mask), wider(padding)
        query, key, value = (ops.transpose(ops.view(x, x.shape[0], heads, width), 0, 1) for x in (query, key, value))
        if self.add_zero_attn:
            zeros = Tensor(np.zeros((heads, 1, width), key.dtype))
            key, value = (ops.cat([x, zeros], 1) for x in (key, value))
            mask, padding = wider(mask), wider(padding)
        mask = self._merged(mask, padding, batch, key.shape[1])
        if need_weights:
            out, weights = self._weighed(query, key, value, mask)
            out = ops.reshape(ops.transpose(out, 0, 1), length * batch, features)
            weights = ops.view(weights, batch, self.num_heads, length, key.shape[1])
        else:
            out, weights = self._averaged(query, key, value, mask, batch), None
            out = ops.reshape(ops.permute(out, 2, 0, 1, 3), length * batch, features)
        out = ops.linear(out, self.out_proj.weight, self.out_proj.bias)
        return ops.view(out, length, batch, features), weights

    def _mask(self, mask: Any, length: int, source: int, heads: int) -> Any:
        if mask is None:
            return None
        wanted = (length, source) if mask.ndim == 2 else (heads, length, source)
        if mask.shape != wanted:
            raise AutogradError(
                f"The shape of the {mask.ndim}D attn_mask is {size_text(mask.shape)}, but should be {wanted}.",
                code="E301",
            )
        return ops.unsqueeze(mask, 0) if mask.ndim == 2 else mask

    def _merged(self, mask: Any, padding: Any, batch: int, source: int) -> Any:
        if padding is None:
            return mask
        for axis, size in enumerate((batch, source)):
            if padding.shape[axis] != size:
                place = f"key_padded_mask.shape[{axis}]"
                raise AssertionError(f"Expected {place} to be {size}, but got {padding.shape[axis]}")
        each = ops.expand(ops.view(padding, batch, 1, 1, source), -1, self.num_heads, -1, -1)
        flat = ops.reshape(each, batch * self.num_heads, 1, source)
        return flat if mask is None else mask + flat

    def _weighed(self, query: Any, key: Any, value: Any, mask: Any) -> tuple[Any, Any]:
        scaled = query * math.sqrt(1.0 / float(query.shape[2]))
        keys = ops.transpose(key, -2, -1)
        scores = ops.bmm(scaled, keys) if mask is None else ops.baddbmm(mask, scaled, keys)
        weights = ops.softmax(scores, -1)
        weights = dropout(weights, self.dropout, self.training)
        return ops.bmm(weights, value), weights

    def _averaged(self, query: Any, key: Any, value: Any, mask: Any, batch: int) -> Any:
        query, key, value = (ops.view(x, batch, self.num_heads, x.shape[1], self.head_dim) for x in (query, key, value))
        if mask is not None:
            if mask.shape[0] == 1:
                mask = ops.unsqueeze(mask, 0)
            else:
                mask = ops.view(mask, batch, self.num_heads, -1, mask.shape[2])
        dropout = self.dropout if self.training else 0.0
        return scaled_dot_product_attention(query, key, value, mask, dropout)
