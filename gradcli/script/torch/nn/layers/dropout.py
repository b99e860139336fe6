"""Dropout: layers that set entries to 0 at random while a network trains."""

from __future__ import annotations

from gradcli.script.torch.nn.base.configured import Configured, Rows, declared
from gradcli.script.torch.nn.functional.module import check_chance


class _DropoutNd(Configured):
    """A layer that drops entries or whole channels with probability `p` while training."""

    _signature = "p=0.5, inplace=False"
    _passed = ("p", "training", "inplace")
    _text = "p={p}, inplace={inplace}"

    def _settle(self) -> None:
        check_chance(self.p)


LAYERS: Rows = {
    "Dropout": (_DropoutNd, {"_function": "dropout"}),
    "Dropout2d": (_DropoutNd, {"_function": "dropout2d"}),
}
__getattr__ = declared(LAYERS, "torch.nn.modules.dropout")
