"""Layers of transformers: attention, two linear layers, and norms around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import is_torchs, renamed
from gradcli.script.torch.nn.functional.masks import summand
from gradcli.script.torch.nn.functional.module import find
from gradcli.script.torch.nn.layers.dropout import Dropout
from gradcli.script.torch.nn.layers.linear import Linear
from gradcli.script.torch.nn.layers.normalization import LayerNorm
from gradcli.script.torch.nn.layers.transformers.attention import MultiheadAttention

Activation = str | Callable[[Any], Any] | None


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
    found = find(named or "relu")
    assert found is not None
    return found


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
        padding = summand(src_key_padding_mask, "src_key_padding_mask", src, src_mask, "src_mask")
        mask = summand(src_mask, "src_mask", src)

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
