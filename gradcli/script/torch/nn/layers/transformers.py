"""Attention and transformers: Vaswani et al. 2017."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.products.contractions import linear
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.stdlib.data.copying import deepcopy
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.base.parameter import Parameter, blank
from gradcli.script.torch.nn.functional.module import dropout, find
from gradcli.script.torch.nn.initialisation import xavier_uniform_
from gradcli.script.torch.nn.layers.containers import ModuleList
from gradcli.script.torch.nn.layers.declared import Dropout
from gradcli.script.torch.nn.layers.linear import Linear
from gradcli.script.torch.nn.layers.normalization import LayerNorm
from gradcli.script.torch.signature import given_options, names
from gradcli.script.torch.tensor.dtypes import numpy_dtype
from gradcli.script.torch.tensor.printing import size_text

CAUSAL = "write attn_mask=nn.Transformer.generate_square_subsequent_mask(size)"


def summand(mask: Tensor | None, input: Tensor) -> Any:
    """Return a mask in the form that is added to scores: minus infinity where a boolean mask is True."""
    if mask is None or mask.dtype.kind == "f":
        return mask
    if mask.dtype != np.bool_:
        raise AssertionError("a mask of attention is of booleans or of floating point numbers")
    return Tensor(np.where(mask.value, -np.inf, 0).astype(input.dtype))


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear by the name that torch prints for the last layer of attention."""


class MultiheadAttention(Configured):
    """Attention in several heads, each with a part of the features, and a linear layer over their results."""

    __module__ = "torch.nn.modules.activation"

    _signature = (
        "embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, "
        "batch_first=False, device=None, dtype=None"
    )
    _absent = "add_bias_kv add_zero_attn kdim vdim"

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        size = self.embed_dim
        if self.num_heads <= 0 or size <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0")
        if size % self.num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.head_dim = size // self.num_heads
        self.register_parameter("in_proj_weight", Parameter(blank((3 * size, size), dtype)))
        self.register_parameter("in_proj_bias", Parameter(blank((3 * size,), dtype)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(size, size, bias, dtype=dtype)
        xavier_uniform_(self.in_proj_weight)
        if bias:
            self.out_proj.bias.array[...] = 0

    def forward(  # type: ignore[override]
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
        inputs: list[Any] = [query, key, value]
        self._check_inputs(inputs, padding, mask, is_causal)
        if self.batch_first:
            turned = {id(x): ops.transpose(x, 1, 0) for x in inputs}
            inputs = [turned[id(x)] for x in inputs]
        out, weights = self._attend(inputs, padding, mask)
        if need_weights and average_attn_weights:
            weights = ops.mean(weights, 1)
        return (ops.transpose(out, 1, 0) if self.batch_first else out), weights if need_weights else None

    def _check_inputs(self, inputs: list[Any], padding: Any, mask: Any, is_causal: bool) -> None:
        query, key, value = inputs
        if {x.ndim for x in inputs} != {3}:
            words = "attention of anything but batches of sequences is not supported here"
            raise UnsupportedError(words, python=AssertionError, help="write x.unsqueeze(0 if batch_first else 1)")
        AutogradError.when(is_causal and mask is None, "is_causal needs attn_mask", help=CAUSAL)
        if query.shape[2] != self.embed_dim:
            raise AssertionError(f"was expecting embedding dimension of {self.embed_dim}, but got {query.shape[2]}")
        if key.shape != value.shape:
            raise AssertionError(f"key {size_text(key.shape)} does not match value {size_text(value.shape)}")
        side = 0 if self.batch_first else 1
        batch, length, source = query.shape[side], query.shape[1 - side], key.shape[1 - side]
        masks = ((length, source), (batch * self.num_heads, length, source))
        for name, x, shapes in (("key_padding_mask", padding, ((batch, source),)), ("attn_mask", mask, masks)):
            if x is not None and x.shape not in shapes:
                raise ShapeError(f"{name} should be {' or '.join(map(str, shapes))}, but is {size_text(x.shape)}")

    def _attend(self, inputs: list[Any], padding: Any, mask: Any) -> tuple[Any, Any]:
        """Return the output, and the weights of each head."""
        length, batch, features = inputs[0].shape
        source, heads = inputs[1].shape[0], batch * self.num_heads
        weights = ops.chunk(self.in_proj_weight, 3)
        biases = [None] * 3 if self.in_proj_bias is None else ops.chunk(self.in_proj_bias, 3)
        projected = [linear(x, weight, bias) for x, weight, bias in zip(inputs, weights, biases, strict=True)]
        query, key, value = (ops.transpose(ops.view(x, x.shape[0], heads, self.head_dim), 0, 1) for x in projected)
        if mask is not None and mask.ndim == 2:
            mask = ops.unsqueeze(mask, 0)
        if padding is not None:
            of_heads = ops.expand(ops.view(padding, batch, 1, 1, source), -1, self.num_heads, -1, -1)
            flat = ops.reshape(of_heads, heads, 1, source)
            mask = flat if mask is None else mask + flat
        scaled, keys = query * math.sqrt(1.0 / self.head_dim), ops.transpose(key, -2, -1)
        scores = ops.bmm(scaled, keys) if mask is None else ops.baddbmm(mask, scaled, keys)
        shares = dropout(ops.softmax(scores, -1), self.dropout, self.training)
        out = ops.reshape(ops.transpose(ops.bmm(shares, value), 0, 1), length * batch, features)
        out = linear(out, self.out_proj.weight, self.out_proj.bias)
        return ops.view(out, length, batch, features), ops.view(shares, batch, self.num_heads, length, source)


class TransformerLayer(Module):
    """The base of the layers of encoders and decoders: attention, two linear layers, norms around them."""

    _norms = 2

    _signature = (
        "d_model, nhead, dim_feedforward=2048, dropout=0.1, activation='relu', layer_norm_eps=1e-05, "
        "batch_first=False, norm_first=False, bias=True, device=None, dtype=None"
    )

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()
        o = given_options(type(self), arguments, keywords)
        size, bias, dtype = o["d_model"], o["bias"], o["dtype"]
        for name in ("self_attn", "multihead_attn")[: self._norms - 1]:
            options = {"bias": bias, "batch_first": o["batch_first"], "dtype": dtype}
            setattr(self, name, MultiheadAttention(size, o["nhead"], o["dropout"], **options))
        self.linear1 = Linear(size, o["dim_feedforward"], bias, dtype=dtype)
        self.dropout = Dropout(o["dropout"])
        self.linear2 = Linear(o["dim_feedforward"], size, bias, dtype=dtype)
        self.norm_first = o["norm_first"]
        for number in range(1, self._norms + 1):
            setattr(self, f"norm{number}", LayerNorm(size, o["layer_norm_eps"], bias=bias, dtype=dtype))
        for number in range(1, self._norms + 1):
            setattr(self, f"dropout{number}", Dropout(o["dropout"]))
        activation = o["activation"]
        is_named = isinstance(activation, str)
        if is_named and activation not in ("relu", "gelu"):
            raise AutogradError(f"activation should be relu/gelu, not {activation}")
        self.activation: Any = find(activation) if is_named else activation

    def _block(self, number: int, x: Any, block: Callable[[Any], Any]) -> Any:
        """Add the result of a block, with the norm of its number before the block or behind the sum."""
        norm = getattr(self, f"norm{number}")
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _attended(self, number: int, x: Any, memory: Any, *masks: Any) -> Any:
        """Return attention to the sequence itself, or to the result of an encoder; masks: padding, mask, causal."""
        attention = self.self_attn if number == 1 else self.multihead_attn
        padding, mask, is_causal = masks
        out = attention(x, memory, memory, padding, False, mask, is_causal=is_causal)[0]
        return getattr(self, f"dropout{number}")(out)

    def _fed(self, x: Any) -> Any:
        fed = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, f"dropout{self._norms}")(fed)


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
        x = self._block(1, src, lambda x: self._attended(1, x, x, padding, mask, is_causal))
        return self._block(2, x, self._fed)


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
        masks = tgt_key_padding_mask, tgt_mask, tgt_is_causal
        memory_masks = memory_key_padding_mask, memory_mask, memory_is_causal
        x = self._block(1, tgt, lambda x: self._attended(1, x, x, *masks))
        x = self._block(2, x, lambda x: self._attended(2, x, memory, *memory_masks))
        return self._block(3, x, self._fed)


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
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Any:
        padding, mask = summand(src_key_padding_mask, src), summand(mask, src)
        if padding is not None and self.enable_nested_tensor and not (self.training or mode.grad_enabled):
            words = "an evaluated TransformerEncoder whose padded positions torch leaves out is not supported here"
            raise UnsupportedError(words, help="make it with enable_nested_tensor=False")
        x: Any = src
        for layer in self.layers:
            x = layer(x, src_mask=mask, src_key_padding_mask=padding, is_causal=bool(is_causal))
        return x if self.norm is None else self.norm(x)


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

    _signature = (
        "d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1, "
        "activation='relu', custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-05, batch_first=False, "
        "norm_first=False, bias=True, device=None, dtype=None"
    )
    _absent = "custom_encoder custom_decoder"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()
        o = given_options(type(self), arguments, keywords)
        self.d_model, self.nhead, self.batch_first = o["d_model"], o["nhead"], o["batch_first"]
        of_layer = {name: o[name] for name in names(TransformerLayer._signature)}
        for name, layer, stack in (
            ("encoder", TransformerEncoderLayer, TransformerEncoder),
            ("decoder", TransformerDecoderLayer, TransformerDecoder),
        ):
            norm = LayerNorm(self.d_model, o["layer_norm_eps"], bias=o["bias"], dtype=o["dtype"])
            setattr(self, name, stack(layer(**of_layer), o[f"num_{name}_layers"], norm))
        for parameter in self.parameters():
            if parameter.ndim > 1:
                xavier_uniform_(parameter)

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
        kind = mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype))
        return Tensor(np.triu(np.full((sz, sz), -np.inf, kind), 1))
