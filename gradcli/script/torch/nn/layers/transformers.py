"""Attention and transformers: Vaswani et al. 2017."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.products.matmul import linear
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.stdlib.data.copying import deepcopy
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import is_torchs, renamed
from gradcli.script.torch.nn.base.initial_parameters import blank
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.functional.module import find
from gradcli.script.torch.nn.functional.noise import dropout, scaled_dot_product_attention
from gradcli.script.torch.nn.initialisation import xavier_uniform_
from gradcli.script.torch.nn.layers.activation import __getattr__ as activation
from gradcli.script.torch.nn.layers.containers import ModuleList
from gradcli.script.torch.nn.layers.dropout import Dropout
from gradcli.script.torch.nn.layers.linear import Linear
from gradcli.script.torch.nn.layers.normalization import LayerNorm
from gradcli.script.torch.tensor.dtypes import numpy_dtype
from gradcli.script.torch.tensor.printing import size_text

Activation = str | Callable[[Any], Any] | None


def summand(mask: Tensor | None, input: Tensor) -> Any:
    """Return a mask in the form that is added to scores: minus infinity where a boolean mask is True."""
    if mask is None or mask.dtype.kind == "f":
        return mask
    if mask.dtype != np.bool_:
        raise AssertionError("a mask of attention is of booleans or of floating point numbers")
    return Tensor(np.where(mask.value, -np.inf, 0).astype(input.dtype))


def causal(size: int, dtype: Any = np.float32) -> Any:
    """Return the mask with minus infinity for all later positions."""
    return Tensor(np.triu(np.full((size, size), -np.inf, dtype), 1))


def check_shapes(inputs: list[Any], padding: Any, mask: Any, heads: int) -> None:
    """Raise AssertionError for numbers of dimensions that attention does not take."""
    query, key, value = inputs
    batched = query.ndim == 3
    if query.ndim not in (2, 3) or {key.ndim, value.ndim} != {query.ndim}:
        shapes = ", ".join(size_text(x.shape) for x in inputs)
        raise AssertionError(f"query, key and value should all have 2 or all have 3 dimensions, but are {shapes}")
    if padding is not None and padding.ndim != query.ndim - 1:
        raise AssertionError(f"key_padding_mask should have {query.ndim - 1} dimensions, but has {padding.ndim}")
    if mask is not None and mask.ndim not in (2, 3):
        raise AssertionError(f"attn_mask should have 2 or 3 dimensions, but has {mask.ndim}")
    if mask is not None and not batched and mask.shape[:-2] not in ((), (heads,)):
        raise AssertionError(f"attn_mask should begin with {heads} heads, but is {size_text(mask.shape)}")


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
        if add_bias_kv or add_zero_attn or (kdim, vdim) not in ((None, None), (embed_dim, embed_dim)):
            raise UnsupportedError(
                "attention with kdim, vdim, add_bias_kv or add_zero_attn is not supported here",
                help="put an nn.Linear in front of it, and leave them out",
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = self.vdim = embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._add_weights(bias, dtype)
        self._reset_parameters()

    def _add_weights(self, bias: bool, dtype: Any) -> None:
        size = self.embed_dim
        self.register_parameter("in_proj_weight", Parameter(blank((3 * size, size), dtype)))
        self.register_parameter("in_proj_bias", Parameter(blank((3 * size,), dtype)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(size, size, bias, dtype=dtype)

    def _reset_parameters(self) -> None:
        xavier_uniform_(self.in_proj_weight)
        if self.in_proj_bias is not None:
            for bias in (self.in_proj_bias, self.out_proj.bias):
                bias.array[...] = 0

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
        padding, mask = summand(key_padding_mask, query), summand(attn_mask, query)
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
                "is_causal needs attn_mask", help="write attn_mask=nn.Transformer.generate_square_subsequent_mask(size)"
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
        if key.shape != value.shape:
            raise AssertionError(f"key {size_text(key.shape)} does not match value {size_text(value.shape)}")

    def _projected(self, inputs: list[Any]) -> list[Any]:
        """Return the queries, the keys and the values, each by a third of the weights."""
        weights = ops.chunk(self.in_proj_weight, 3)
        biases = [None] * 3 if self.in_proj_bias is None else ops.chunk(self.in_proj_bias, 3)
        return [linear(x, weight, bias) for x, weight, bias in zip(inputs, weights, biases, strict=True)]

    def _attend(self, inputs: list[Any], padding: Any, mask: Any, need_weights: bool) -> tuple[Any, Any]:
        self._check_inputs(inputs)
        length, batch, features = inputs[0].shape
        heads, width = batch * self.num_heads, self.head_dim
        query, key, value = self._projected(inputs)
        mask = self._mask(mask, length, key.shape[0], heads)
        query, key, value = (ops.transpose(ops.view(x, x.shape[0], heads, width), 0, 1) for x in (query, key, value))
        mask = self._merged(mask, padding, batch, key.shape[1])
        if need_weights:
            out, weights = self._weighed(query, key, value, mask)
            out = ops.reshape(ops.transpose(out, 0, 1), length * batch, features)
            weights = ops.view(weights, batch, self.num_heads, length, key.shape[1])
        else:
            out, weights = self._averaged(query, key, value, mask, batch), None
            out = ops.reshape(ops.permute(out, 2, 0, 1, 3), length * batch, features)
        out = linear(out, self.out_proj.weight, self.out_proj.bias)
        return ops.view(out, length, batch, features), weights

    def _mask(self, mask: Any, length: int, source: int, heads: int) -> Any:
        if mask is None:
            return None
        wanted = (length, source) if mask.ndim == 2 else (heads, length, source)
        if mask.shape != wanted:
            raise ShapeError(f"The shape of the {mask.ndim}D attn_mask is {size_text(mask.shape)}, not {wanted}.")
        return ops.unsqueeze(mask, 0) if mask.ndim == 2 else mask

    def _merged(self, mask: Any, padding: Any, batch: int, source: int) -> Any:
        if padding is None:
            return mask
        if padding.shape != (batch, source):
            raise AssertionError(f"key_padding_mask should be {(batch, source)}, but is {size_text(padding.shape)}")
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


class TransformerLayer(Module):
    """The base of the layers of encoders and decoders: attention, two linear layers, norms around them."""

    _norms = 2

    def __init_subclass__(cls) -> None:
        """Let Python's errors name the class that is called."""
        if is_torchs(cls):
            cls.__init__ = renamed(TransformerLayer.__init__, cls)  # type: ignore[method-assign]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        for name in ("self_attn", "multihead_attn")[: self._norms - 1]:
            attention = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype)
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        for kind, arguments in (("norm", (d_model, layer_norm_eps, True, bias, None, dtype)), ("dropout", (dropout,))):
            for number in range(1, self._norms + 1):
                setattr(self, f"{kind}{number}", (LayerNorm if kind == "norm" else Dropout)(*arguments))
        self.activation = chosen(activation)

    def _block(self, number: int, x: Any, block: Callable[[Any], Any]) -> Any:
        """Add the result of a block, with the norm of its number before the block or behind the sum."""
        norm = getattr(self, f"norm{number}")
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _attended(self, name: str, x: Any, others: Any, padding: Any, mask: Any, is_causal: bool) -> Any:
        """Return attention to the sequence itself, or to the result of an encoder."""
        memory = x if others is None else others
        attention = getattr(self, name)
        return attention(x, memory, memory, padding, False, mask, is_causal=is_causal)[0]

    def _fed(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


def chosen(named: Activation) -> Callable[[Any], Any]:
    if named is not None and not isinstance(named, str):
        return named
    if named not in (None, "relu", "gelu"):
        raise AutogradError(f"activation should be relu/gelu, not {named}")
    function = find(named or "relu")
    assert function is not None
    return function


class TransformerEncoderLayer(TransformerLayer):
    """A layer with attention of a sequence to itself, then two linear layers."""

    __module__ = "torch.nn.modules.transformer"

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Any:
        padding, mask = summand(src_key_padding_mask, src), summand(src_mask, src)

        def attend(x: Any) -> Any:
            return self.dropout1(self._attended("self_attn", x, None, padding, mask, is_causal))

        x = self._block(1, src, attend)
        return self._block(2, x, lambda x: self.dropout2(self._fed(x)))


class TransformerDecoderLayer(TransformerLayer):
    """A layer with attention of a sequence to itself, then to the result of an encoder, then two linear layers."""

    __module__ = "torch.nn.modules.transformer"
    _norms = 3

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        def attend(x: Any) -> Any:
            return self.dropout1(self._attended("self_attn", x, None, tgt_key_padding_mask, tgt_mask, tgt_is_causal))

        def look(x: Any) -> Any:
            return self.dropout2(
                self._attended("multihead_attn", x, memory, memory_key_padding_mask, memory_mask, memory_is_causal)
            )

        x = self._block(2, self._block(1, tgt, attend), look)
        return self._block(3, x, lambda x: self.dropout3(self._fed(x)))


class Stack(Module):
    """Copies of a layer, one upon the other, with an optional norm at the end."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        running.machine.budget.fits(num_layers, "the list")
        self.layers = ModuleList([deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm


class TransformerEncoder(Stack):
    """Encoder layers, one upon the other."""

    __module__ = "torch.nn.modules.transformer"

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        self.use_nested_tensor = enable_nested_tensor and leaves_padding_out(encoder_layer)

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Any:
        padding, mask = summand(src_key_padding_mask, src), summand(mask, src)
        x: Any = src
        for layer in self.layers:
            x = layer(x, src_mask=mask, src_key_padding_mask=padding, is_causal=bool(is_causal))
        if padding is not None and mask is None and self._packs(src, padding):
            x = ops.masked_fill(x, Tensor((padding.value != 0)[..., None]), 0.0)
        return x if self.norm is None else self.norm(x)

    def _packs(self, src: Tensor, padding: Tensor) -> bool:
        """Return whether torch leaves out padded positions, which are zero afterwards."""
        first = next(iter(self.layers))
        if not self.use_nested_tensor or first.training or src.ndim != 3:
            return False
        if mode.grad_enabled and (src.requires_grad or any(x.requires_grad for x in first.parameters())):
            return False
        is_token = padding.value == 0
        return bool(np.all(is_token[:, :-1] >= is_token[:, 1:]))


def leaves_padding_out(layer: Any) -> bool:
    """Return whether torch leaves out the padded positions of evaluated sequences for a layer."""
    if not isinstance(layer, TransformerEncoderLayer):
        return False
    attention, activations = layer.self_attn, (activation("ReLU"), activation("GELU"))
    has_activation = layer.activation in (find("relu"), find("gelu")) or isinstance(layer.activation, activations)
    is_plain = attention.batch_first and attention.in_proj_bias is not None and attention.num_heads % 2 == 0
    return bool(is_plain and has_activation and not layer.norm_first)


class TransformerDecoder(Stack):
    """Decoder layers, one upon the other."""

    __module__ = "torch.nn.modules.transformer"

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        x: Any = tgt
        for layer in self.layers:
            x = layer(x, memory, *masks, bool(tgt_is_causal), memory_is_causal)
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder, and a decoder that attends to its result."""

    __module__ = "torch.nn.modules.transformer"

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = None,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        norm = (d_model, layer_norm_eps, True, bias, None, dtype)
        encoder_layer = TransformerEncoderLayer(*sizes, dtype=dtype)
        self.encoder = custom_encoder or TransformerEncoder(encoder_layer, num_encoder_layers, LayerNorm(*norm))
        decoder_layer = TransformerDecoderLayer(*sizes, dtype=dtype)
        self.decoder = custom_decoder or TransformerDecoder(decoder_layer, num_decoder_layers, LayerNorm(*norm))
        for parameter in self.parameters():
            if parameter.ndim > 1:
                xavier_uniform_(parameter)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        place = 0 if self.batch_first else 1
        ShapeError.when(
            src.ndim == 3 and src.shape[place] != tgt.shape[place], "the batch number of src and tgt must be equal"
        )
        ShapeError.when(
            not src.shape[-1] == tgt.shape[-1] == self.d_model, "the feature number of src and tgt must equal d_model"
        )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        masks = (tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return self.decoder(tgt, memory, *masks, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return a mask with minus infinity above the diagonal and 0 elsewhere."""
        running.machine.budget.fits(sz * sz, "the tensor")
        return causal(sz, mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype)))
