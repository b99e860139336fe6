"""The module `torch.nn`, and the files that make its members."""

from __future__ import annotations

from functools import cache
from typing import Any

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.nn.base.parameter import PARAMETER
from gradcli.script.torch.places import Places

LAYERS = Places(
    "gradcli.script.torch.nn",
    {
        "base.base": "Module",
        "layers.containers": "ModuleDict ModuleList ParameterList Sequential",
        "layers.convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "layers.declared": (
            "ELU GELU Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU ReLU ReLU6 SELU SiLU "
            "Sigmoid Softmax Softplus Softsign Tanh Threshold BCELoss BCEWithLogitsLoss CrossEntropyLoss HuberLoss "
            "KLDivLoss L1Loss MSELoss NLLLoss PoissonNLLLoss SmoothL1Loss Dropout Dropout2d ConstantPad1d "
            "ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d "
            "ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d AdaptiveAvgPool1d AdaptiveAvgPool2d "
            "AvgPool1d AvgPool2d AvgPool3d MaxPool1d MaxPool2d MaxPool3d CosineSimilarity Flatten Unflatten Fold "
            "Unfold Upsample"
        ),
        "layers.linear": "Embedding Identity Linear",
        "layers.normalization": "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm LayerNorm RMSNorm",
        "layers.recurrent": "GRU GRUCell LSTM LSTMCell RNN RNNCell",
        "layers.transformers": (
            "MultiheadAttention Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
            "TransformerEncoderLayer"
        ),
    },
)
PARAMETERS = {"Parameter": PARAMETER}
SUBMODULES = ("functional", "init", "modules", "parameter", "utils")


def find(name: str) -> Any:
    """Return a class, which is imported when it is asked for, or a submodule; None for another name."""
    return namespace(f"torch.nn.{name}") if name in SUBMODULES else PARAMETERS.get(name) or LAYERS.get(name)


@cache
def namespace(name: str) -> Namespace:
    """Return `torch.nn` or one of its submodules."""
    if name == "torch.nn.functional":
        from gradcli.script.torch.nn.functional import module as functional

        return Namespace(name, find=functional.find, known=[*functional.KIND_OF, *OPERATIONS])
    if name == "torch.nn.init":
        from gradcli.script.torch.nn import initialisation

        return Namespace(name, initialisation.MEMBERS)
    if name == "torch.nn.utils":
        from gradcli.script.torch.nn import vectors

        return Namespace(name, vectors.MEMBERS, {"rnn": namespace("torch.nn.utils.rnn")}.get, known=("rnn",))
    if name == "torch.nn.utils.rnn":
        from gradcli.script.torch.nn import packing

        return Namespace(name, packing.MEMBERS)
    if name == "torch.nn.modules":
        return Namespace(name, find=LAYERS.get, known=LAYERS)
    if name == "torch.nn.parameter":
        return Namespace(name, dict(PARAMETERS))
    return Namespace(name, find=find, known=[*LAYERS, *PARAMETERS, *SUBMODULES])
