"""The module `torch.nn`: what it holds, and where each of it is made."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.python.values.attributes import Namespace

PLACES = {
    "base.base": "Module",
    "base.parameter": "Parameter",
    "base.parameters": "ParameterDict ParameterList",
    "layers.containers": "ModuleDict ModuleList Sequential",
    "layers.linear": "Bilinear Flatten Identity Linear Unflatten",
    "layers.convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    "layers.pooling": (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d AvgPool2d "
        "AvgPool3d LPPool1d LPPool2d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
    ),
    "layers.padding": (
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
        "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d "
        "ZeroPad3d"
    ),
    "layers.upsampling": (
        "ChannelShuffle PixelShuffle PixelUnshuffle Upsample UpsamplingBilinear2d UpsamplingNearest2d"
    ),
    "layers.folding": "Fold Unfold",
    "layers.normalization": (
        "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm "
        "LocalResponseNorm RMSNorm"
    ),
    "layers.embedding": "Embedding EmbeddingBag",
    "layers.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "layers.activation": (
        "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU ReLU "
        "ReLU6 RReLU SELU Sigmoid SiLU Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold"
    ),
    "layers.loss": (
        "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss "
        "HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss "
        "MultiMarginLoss NLLLoss PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
        "TripletMarginWithDistanceLoss"
    ),
    "layers.similarity": "CosineSimilarity PairwiseDistance",
    "layers.attention": "MultiheadAttention",
    "layers.encoding": "TransformerDecoderLayer TransformerEncoderLayer",
    "layers.transformer": "Transformer TransformerDecoder TransformerEncoder",
    "layers.recurrent": "GRU LSTM RNN",
    "layers.cells": "GRUCell LSTMCell RNNCell",
    "layers.lazy": (
        "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConvTranspose1d "
        "LazyConvTranspose2d LazyLinear"
    ),
}
PLACE_OF = {name: place for place, names in PLACES.items() for name in names.split()}
SUBMODULES = ("functional", "init", "modules", "parameter", "utils")


def find(name: str) -> Any:
    """A class, which is loaded when it is asked for, or a submodule."""
    if name in SUBMODULES:
        return namespace(f"torch.nn.{name}")
    if name not in PLACE_OF:
        return None
    found = import_module(f"gradcli.script.torch.nn.{PLACE_OF[name]}")
    return found.PARAMETER if name == "Parameter" else getattr(found, name)


RESCALING = ("remove_weight_norm", "spectral_norm", "weight_norm")


def find_utility(name: str) -> Any:
    """What is not loaded with the rest of `torch.nn.utils`."""
    if name in RESCALING:
        return import_module("gradcli.script.torch.nn.rescaling").MEMBERS[name]
    return namespace("torch.nn.utils.rnn") if name == "rnn" else None


@cache
def namespace(name: str) -> Namespace:
    """`torch.nn` or one of its submodules."""
    if name == "torch.nn.functional":
        from gradcli.script.torch.nn.functional import module as functional

        return Namespace(name, find=functional.find, known=[*functional.KIND_OF, *OPERATIONS])
    if name == "torch.nn.init":
        from gradcli.script.torch.nn import initialisation

        return Namespace(name, initialisation.MEMBERS)
    if name == "torch.nn.utils":
        from gradcli.script.torch.nn import vectors

        return Namespace(name, vectors.MEMBERS, find=find_utility, known=("rnn", *RESCALING))
    if name == "torch.nn.utils.rnn":
        from gradcli.script.torch.nn import packing

        return Namespace(name, packing.MEMBERS)
    if name == "torch.nn.parameter":
        return Namespace(name, {"Parameter": find("Parameter")})
    return Namespace(name, find=find, known=[*PLACE_OF, *SUBMODULES])
