"""The module `torch`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.autograd import grad_modes
from gradcli.script.torch.autograd.grad_modes import anomaly
from gradcli.script.torch.devices import CPU, Device, check_device
from gradcli.script.torch.operations import facade
from gradcli.script.torch.operations.arguments import check_kind
from gradcli.script.torch.random import sampling
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor import attributes, creation, dtypes, printing
from gradcli.script.torch.tensor.creation import CREATION
from gradcli.script.torch.tensor.dtypes import (
    BY_NUMPY,
    DTYPES,
    DType,
    Size,
    broadcast_shapes,
    numpy_dtype,
)

VERSION = "2.13.0+cpu"

SUBMODULES = {
    "autograd": "gradcli.script.torch.autograd.module",
    "nn": "gradcli.script.torch.nn.module",
    "optim": "gradcli.script.torch.optim.module",
    "utils": "gradcli.script.torch.data",
    "linalg": "gradcli.script.torch.linalg",
    "func": "gradcli.script.torch.func.module",
    "distributions": "gradcli.script.torch.distributions",
    "testing": "gradcli.script.torch.testing",
}


def manual_seed(seed: int) -> Generator:
    return running.machine.generator.manual_seed(int(seed))


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def set_default_dtype(dtype: Any) -> None:
    if not isinstance(dtype, DType):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if dtype.numpy.kind != "f":
        raise TypeError("only floating-point types are supported as the default type")
    mode.default_dtype = np.dtype(numpy_dtype(dtype))


def of_tensor(name: str) -> Any:
    """`torch.numel(x)`: a question to a tensor."""

    def ask(input: Any) -> Any:
        check_kind(name, "input", 1, input, Tensor, "Tensor")
        return attributes.METHODS[name](input)

    return ask


def nothing(*_: Any, **__: Any) -> None:
    """Do nothing: torch's function has no effect here."""


def uncompiled(model: Any = None, **_: Any) -> Any:
    """`torch.compile`: what it is given, or a decorator; nothing is compiled, and the numbers are the same."""
    return model if model is not None else uncompiled


TYPES[Generator] = BuiltinType("Generator", Generator, lambda device="cpu": Generator(), module="torch._C")
REPRESENTATIONS[Generator] = lambda generator: f"<torch._C.Generator object at {id(generator):#x}>"
MEMBERS: dict[str, Any] = {
    **CREATION,
    **DTYPES,
    "Tensor": attributes.TENSOR,
    "Size": TYPES[Size],
    "device": TYPES[Device],
    "dtype": TYPES[DType],
    "Generator": TYPES[Generator],
    **creation.LEGACY,
    "manual_seed": manual_seed,
    "seed": lambda: running.machine.generator.seed(),
    "initial_seed": lambda: running.machine.generator.initial_seed(),
    "get_rng_state": lambda: running.machine.generator.get_state(),
    "set_rng_state": lambda state: running.machine.generator.set_state(state),
    "bernoulli": sampling.bernoulli,
    "multinomial": sampling.multinomial,
    **dtypes.MEMBERS,
    **grad_modes.MODES,
    "is_grad_enabled": grad_modes.is_grad_enabled,
    "is_inference_mode_enabled": lambda: mode.inference,
    "is_inference": grad_modes.is_inference,
    "is_anomaly_enabled": lambda: anomaly().enabled,
    "is_tensor": is_tensor,
    **{name: of_tensor(name) for name in ("is_floating_point", "is_complex", "numel")},
    "broadcast_shapes": broadcast_shapes,
    "set_printoptions": printing.set_printoptions,
    "set_default_dtype": set_default_dtype,
    "get_default_dtype": lambda: BY_NUMPY[mode.default_dtype],
    "compile": uncompiled,
    "set_num_threads": nothing,
    "get_num_threads": lambda: 1,
    "use_deterministic_algorithms": nothing,
    "set_float32_matmul_precision": nothing,
    "newaxis": None,
    "set_default_device": check_device,
    "contiguous_format": None,
    "preserve_format": None,
    "pi": float(np.pi),
    "e": float(np.e),
    "inf": float("inf"),
    "nan": float("nan"),
    "__version__": VERSION,
}


def find(name: str) -> Any:
    """Submodules and operations, which are loaded when they are asked for."""
    if name in SMALL:
        return Namespace(f"torch.{name}", SMALL[name])
    if name == "special":
        return Namespace("torch.special", find=lambda member: facade.function(member, "special"), known=OPERATIONS)
    if name in SUBMODULES:
        return import_module(SUBMODULES[name]).namespace(f"torch.{name}")
    if name == "default_generator":
        return running.machine.generator
    if name in ("save", "load"):
        return import_module("gradcli.script.torch.saving").MEMBERS[name]
    if name == "typename":
        return import_module("gradcli.script.torch.nn.base.parameter").typename
    if name == "vmap":
        return import_module("gradcli.script.torch.func.vectorising").vmap
    return facade.function(name)


class Settings:
    """Switches of hardware that is not here; they may be set."""

    def __repr__(self) -> str:
        return "<module 'torch.backends.cudnn'>"


def no() -> bool:
    return False


def none() -> int:
    return 0


# The small submodules; what a script does with devices that are not here has no effect.
DEVICES: dict[str, Any] = {"is_available": no, "device_count": none}
SMALL: dict[str, dict[str, Any]] = {
    "cuda": DEVICES | dict.fromkeys(("manual_seed", "manual_seed_all", "empty_cache", "synchronize"), nothing),
    "accelerator": {**DEVICES, "current_accelerator": nothing},
    "backends": {"mps": Namespace("torch.backends.mps", {"is_available": no, "is_built": no}), "cudnn": Settings()},
    "random": {
        name: MEMBERS[name] for name in ["manual_seed", "initial_seed", "seed", "get_rng_state", "set_rng_state"]
    },
}


def namespace(name: str) -> Namespace:
    """Return the module `torch`."""
    return Namespace(name, MEMBERS, find, known=[*OPERATIONS, *SUBMODULES, *SMALL, "special"])


describe(
    Settings,
    getters={name: lambda settings: False for name in ("deterministic", "benchmark", "enabled")},
    setters={name: lambda settings, value: None for name in ("deterministic", "benchmark", "enabled")},
)
describe(
    Generator,
    getters={"device": lambda generator: CPU},
    methods={
        name: getattr(Generator, name) for name in ("manual_seed", "initial_seed", "seed", "get_state", "set_state")
    },
)
