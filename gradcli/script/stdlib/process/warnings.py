"""`warnings`: filters hold for the run; warnings are shown with the line of the snippet."""

from __future__ import annotations

import warnings
from typing import Any, Literal, cast

from gradcli.script.python.members.tables import describe, fields
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent, text
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace, type_name
from gradcli.script.python.values.builtins import type_of
from gradcli.script.python.values.special import exact

# The places in torch's C++ that warnings name at their end, in the builds that PyPI has, by words that they contain.
PLACES = {
    "The .grad attribute of a Tensor that is not a leaf Tensor": "build/aten/src/ATen/core/TensorBody.h:493",
    "Using backward() with create_graph=True will create": "torch/csrc/autograd/engine.cpp:1307",
    "No forward pass information available.": "torch/csrc/autograd/python_anomaly_mode.cpp:100",
    "The use of `x.T` on tensors of dimension other than 2": "aten/src/ATen/native/TensorShape.cpp:4314",
    "(): degrees of freedom is <= 0. Correction should be stri": "aten/src/ATen/native/ReduceOps.cpp:1861",
    "Creating a tensor from a list of numpy.ndarrays": "torch/csrc/utils/tensor_new.cpp:252",
    "torch.meshgrid: in an upcoming release": "aten/src/ATen/native/TensorShape.cpp:4215",
    "indexing with dtype torch.uint8 is now deprecated": "aten/src/ATen/native/IndexingUtils.h:37",
    "Converting a tensor with requires_grad=True to a": "torch/csrc/autograd/generated/python_variable_methods.cpp:822",
}

Action = Literal["default", "error", "ignore", "always", "module", "once"]


def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
    """Give a warning, unless a filter is against it."""
    message = message if isinstance(message, Warning) else text(message)  # Python keeps it, and compares it with others
    warnings.warn(message, kind_of(category or UserWarning), stacklevel=2)


def simplefilter(action: str, category: Any = Warning, lineno: int = 0, append: bool = False) -> None:
    """Set the action for warnings of a class."""
    warnings.simplefilter(cast(Action, exact(action)), kind_of(category), int(lineno), bool(append))


def filterwarnings(
    action: str, message: str = "", category: Any = Warning, module: str = "", lineno: int = 0, append: bool = False
) -> None:
    """Set the action for warnings of a class whose message matches; all come from one module."""
    warnings.filterwarnings(cast(Action, exact(action)), exact(message), kind_of(category), append=bool(append))


def kind_of(category: Any) -> type[Warning]:
    """Return the class of warnings that a snippet names."""
    kind = category.python if isinstance(category, BuiltinType) else category
    if not (isinstance(kind, type) and issubclass(kind, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type_name(type_of(category))}'")
    return kind


class catch_warnings(Facade):  # noqa: N801  Python's name
    """A block that leaves the filters as they were; with `record` it collects the warnings in a list."""

    def __init__(self, *, record: bool = False) -> None:
        self._inner: Any = warnings.catch_warnings(record=bool(record))

    def __enter__(self) -> Any:
        return self._inner.__enter__()

    def __exit__(self, *_: Any) -> None:
        self._inner.__exit__(None, None, None)


def message_of(heard: warnings.WarningMessage) -> Warning | str:
    """Return the message, which ends as torch's: with its place in C++, if it comes from there."""
    message = heard.message
    place = next((place for words, place in PLACES.items() if words in str(message)), None)
    if place is None or isinstance(message, str):
        return message
    return type(message)(f"{message} (Triggered internally at /__w/pytorch/pytorch/{place}.)")


describe(
    warnings.WarningMessage,
    getters=fields("lineno") | {"message": message_of} | {"category": lambda warning: type_of(warning.message)},
)
REPRESENTATIONS[warnings.WarningMessage] = lambda heard: (  # without the file of ours in which it was given
    f"{{message : {represent(message_of(heard))}, category : {heard.category.__name__!r}, lineno : {heard.lineno}}}"
)


def namespace(name: str) -> Namespace:
    """`warnings`."""
    members = {
        "warn": warn,
        "simplefilter": simplefilter,
        "filterwarnings": filterwarnings,
        "resetwarnings": warnings.resetwarnings,
        "catch_warnings": catch_warnings,
    }
    return Namespace(name, members)
