"""Transformers: encoders and decoders, each a stack of layers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.machine import running
from gradcli.script.stdlib.data.copying import deepcopy
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.masks import causal, summand
from gradcli.script.torch.nn.functional.module import find
from gradcli.script.torch.nn.initialisation import xavier_uniform_
from gradcli.script.torch.nn.layers.activation import __getattr__ as activation
from gradcli.script.torch.nn.layers.containers import ModuleList
from gradcli.script.torch.nn.layers.normalization import LayerNorm
from gradcli.script.torch.nn.layers.transformers.layers import (
    Activation,
    TransformerDecoderLayer,
    TransformerEncoderLayer,
)
from gradcli.script.torch.tensor.dtypes import numpy_dtype

PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, "
    "has better operator coverage, and works with torch.compile."
)


class Stack(Module):
    """Copies of a layer, one upon the other, with an optional norm at the end."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        running.machine.budget.fits(num_layers, "the list")
        self.layers = ModuleList([deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm

    def _is_causal(self, mask: Any, hint: bool | None, x: Tensor) -> bool:
        if hint is not None or mask is None:
            return bool(hint)
        batch_first = next(iter(self.layers)).self_attn.batch_first
        size = x.shape[1 if x.ndim == 3 and batch_first else 0]
        return mask.shape == (size, size) and bool(np.array_equal(mask.value, causal(size, mask.dtype).value))


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
        self.enable_nested_tensor = self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = why_padded(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}",
                UserWarning,
                stacklevel=2,
            )
            self.use_nested_tensor = False

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Any:
        padding = summand(src_key_padding_mask, "src_key_padding_mask", src, mask, "mask")
        mask = summand(mask, "mask", src)
        is_causal = self._is_causal(mask, is_causal, src)
        x: Any = src
        for layer in self.layers:
            x = layer(x, src_mask=mask, src_key_padding_mask=padding, is_causal=is_causal)
        if padding is not None and mask is None and self._packs(src, padding):
            warnings.warn(PROTOTYPE, UserWarning, stacklevel=2)
            x = ops.masked_fill(x, Tensor((padding.value != 0)[..., None]), 0.0)
        return x if self.norm is None else self.norm(x)

    def _packs(self, src: Tensor, padding: Tensor) -> bool:
        """Return whether torch leaves out padded positions, which are zero afterwards."""
        first = next(iter(self.layers))
        if not self.use_nested_tensor or first.training or src.ndim != 3:
            return False
        if mode.grad_enabled and (src.requires_grad or any(x.requires_grad for x in first.parameters())):
            return False
        kept = padding.value == 0
        return bool(np.all(kept[:, :-1] >= kept[:, 1:]))


def why_padded(layer: Any) -> str:
    """Return torch's reason not to pack sequences for a layer; empty if it would."""
    name = "encoder_layer"
    if not isinstance(layer, TransformerEncoderLayer):
        return f"{name} was not TransformerEncoderLayer"
    attention = layer.self_attn
    relu_or_gelu = (find("relu"), find("gelu"))
    modules = (activation("ReLU"), activation("GELU"))
    reasons = {
        f"{name}.norm_first was True": layer.norm_first,
        f"{name}.self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        f"{name}.self_attn was passed bias=False": attention.in_proj_bias is None,
        f"{name}.activation_relu_or_gelu was not True": (
            layer.activation not in relu_or_gelu and not isinstance(layer.activation, modules)
        ),
        f"{name}.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


class TransformerDecoder(Stack):
    """Decoder layers, one upon the other."""

    __module__ = "torch.nn.modules.transformer"

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

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
        tgt_is_causal = self._is_causal(tgt_mask, tgt_is_causal, tgt)
        x: Any = tgt
        for layer in self.layers:
            x = layer(
                x,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=tgt_is_causal,
                memory_is_causal=memory_is_causal,
            )
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
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*sizes, dtype=dtype)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(*norm))
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(
                TransformerDecoderLayer(*sizes, dtype=dtype), num_decoder_layers, LayerNorm(*norm)
            )
        self.decoder = custom_decoder
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
        if src.ndim == 3 and src.shape[place] != tgt.shape[place]:
            raise AutogradError("the batch number of src and tgt must be equal", code="E301")
        if not src.shape[-1] == tgt.shape[-1] == self.d_model:
            raise AutogradError("the feature number of src and tgt must be equal to d_model", code="E301")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """Return a mask with minus infinity above the diagonal and 0 elsewhere."""
        running.machine.budget.fits(sz * sz, "the tensor")
        return causal(sz, mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype)))
