"""The module `torch.nn`, and the files that make its members."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.nn.base.parameter import BUFFER, PARAMETER
from gradcli.script.torch.places import Places

LAYERS = Places(
    "gradcli.script.torch.nn",
    {
        "base.base": "Module",
        "layers.activation": (
            "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish PReLU "
            "RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh "
            "Tanhshrink Threshold"
        ),
        "layers.transformers.attention": "MultiheadAttention",
        "layers.recurrent.cells": "GRUCell LSTMCell RNNCell",
        "layers.containers": "ModuleDict ModuleList Sequential",
        "layers.images.convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "layers.dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
        "layers.embedding": "Embedding EmbeddingBag",
        "layers.images.folding": "Fold Unfold",
        "layers.lazy": (
            "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d "
            "LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d "
            "LazyLinear"
        ),
        "layers.linear": "Bilinear DataParallel Flatten Identity Linear Unflatten",
        "layers.loss": (
            "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss "
            "HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss "
            "MultiMarginLoss NLLLoss PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
            "TripletMarginWithDistanceLoss"
        ),
        "layers.normalization": (
            "BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm "
            "LocalResponseNorm RMSNorm"
        ),
        "layers.images.padding": (
            "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
            "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d "
            "ZeroPad3d"
        ),
        "layers.parameters": "ParameterDict ParameterList",
        "layers.images.pooling": (
            "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AvgPool1d "
            "AvgPool2d AvgPool3d LPPool1d LPPool2d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
        ),
        "layers.recurrent.recurrent": "GRU LSTM RNN",
        "layers.similarity": "CosineSimilarity PairwiseDistance",
        "layers.transformers.transformer": "Transformer TransformerDecoder TransformerEncoder",
        "layers.transformers.layers": "TransformerDecoderLayer TransformerEncoderLayer",
        "layers.images.upsampling": ("ChannelShuffle Upsample UpsamplingBilinear2d UpsamplingNearest2d"),
    },
)
PARAMETERS = {"Buffer": BUFFER, "Parameter": PARAMETER}
SUBMODULES = ("functional", "init", "modules", "parameter", "utils")


def find(name: str) -> Any:
    """Return a class, which is imported when it is asked for, or a submodule; None for another name."""
    if name in SUBMODULES:
        return namespace(f"torch.nn.{name}")
    return PARAMETERS.get(name) or find_uninitialized(name) or LAYERS.get(name)


UNINITIALIZED = ("UninitializedBuffer", "UninitializedParameter")


def find_uninitialized(name: str) -> Any:
    """Return a class of tensors without a shape."""
    if name not in UNINITIALIZED:
        return None
    module = import_module("gradcli.script.torch.nn.base.uninitialized")
    return module.PARAMETER if name == "UninitializedParameter" else module.BUFFER


_FILES = (  # of torch.nn.modules
    "activation batchnorm container conv distance dropout flatten fold instancenorm lazy linear loss module "
    "normalization padding pixelshuffle pooling rnn transformer upsampling utils"
)
FILES = _FILES.split()


def find_in_modules(name: str) -> Any:
    """Return a member of `torch.nn.modules`: a class, or the file that has classes of one kind."""
    return namespace(f"torch.nn.modules.{name}") if name in FILES else LAYERS.get(name)


def find_in_file(file: str) -> Callable[[str], Any]:
    """Return what finds the classes that torch has in a file."""

    def find_class(name: str) -> Any:
        found = LAYERS.get(name) if name in LAYERS else None
        return found if found is not None and found.__module__ == file else None

    return find_class


UTILITIES = ("rnn",)
RESCALING = ("remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm")


def find_utility(name: str) -> Any:
    """Return a member that is not loaded with the rest of `torch.nn.utils`."""
    if name in RESCALING:
        return import_module("gradcli.script.torch.nn.rescaling").MEMBERS[name]
    return namespace(f"torch.nn.utils.{name}") if name in UTILITIES else None


@cache
def namespace(name: str) -> Namespace:
    """Return `torch.nn` or one of its submodules."""
    if name == "torch.nn.functional":
        from gradcli.script.torch.nn.functional import module as functional

        return Namespace(name, find=functional.find, known=[*functional.KIND_OF, "pdist", *OPERATIONS])
    if name == "torch.nn.init":
        from gradcli.script.torch.nn import initialisation

        return Namespace(name, initialisation.MEMBERS)
    if name == "torch.nn.utils":
        from gradcli.script.torch.nn import vectors

        return Namespace(name, vectors.MEMBERS, find=find_utility, known=(*UTILITIES, *RESCALING))
    if name == "torch.nn.utils.rnn":
        from gradcli.script.torch.nn import packing

        return Namespace(name, packing.MEMBERS)
    if name == "torch.nn.modules.utils":
        from gradcli.script.torch.nn.base import prefixes

        return Namespace(name, prefixes.MEMBERS)
    if name == "torch.nn.modules.module":
        from gradcli.script.torch.nn.base import registrations

        return Namespace(name, registrations.MEMBERS)
    if name == "torch.nn.modules.batchnorm":
        from gradcli.script.torch.nn.layers.normalization import _BatchNorm

        return Namespace(name, {"_BatchNorm": _BatchNorm}, find=find_in_file(name))
    if name == "torch.nn.modules":
        return Namespace(name, find=find_in_modules, known=[*LAYERS, *FILES])
    if name == "torch.nn.modules.lazy":
        return Namespace(name, import_module("gradcli.script.torch.nn.layers.lazy").MEMBERS, find=find_in_file(name))
    if name.startswith("torch.nn.modules."):
        return Namespace(name, find=find_in_file(name), known=LAYERS)
    if name == "torch.nn.parameter":
        return Namespace(name, dict(PARAMETERS), find=find_uninitialized, known=UNINITIALIZED)
    return Namespace(name, find=find, known=[*LAYERS, *PARAMETERS, *UNINITIALIZED, *SUBMODULES])
