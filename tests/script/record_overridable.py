"""Record the functions of torch that `__torch_function__` may override, and the arguments that it is then given.

    python -m tests.script.record_overridable

Run by hand, with torch installed. Functions of C are given as they were called; those that torch has written in Python
give their needed arguments without names, and all others with them.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch.overrides import TorchFunctionMode, get_overridable_functions, resolve_name

import gradcli
from gradcli.script.torch.overrides.forms import FILE

TARGET = Path(gradcli.__file__).parent / "script" / "torch" / "overrides" / FILE
MODULES: dict[str, Any] = {
    "torch": torch,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.special": torch.special,
    "torch.Tensor": torch.Tensor,
}


class Seen(Exception):  # noqa: N818  it carries what was seen
    """The call of a function that was overridden."""


class Given(torch.Tensor):
    """A tensor that tells of the first function to which it is given."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> NoReturn:
        raise Seen(func, args, kwargs or {})


# Functions that are given no tensors, which a mode overrides all the same.
FACTORIES = (
    "arange as_tensor empty eye full linspace logspace normal ones rand rand_like randint randint_like randn "
    "randn_like randperm scalar_tensor tensor tril_indices triu_indices vander zeros"
)


def overridable() -> set[int]:
    known = {id(f) for functions in get_overridable_functions().values() for f in functions}
    return known | {id(getattr(torch, name)) for name in FACTORIES.split()}


def is_of_c(module: str, name: str, function: Any) -> bool:
    """Whether it is a function of C that is not among those that are listed: a method, or one in place."""
    if module == "torch.Tensor":
        return name[0] != "_" and inspect.ismethoddescriptor(function)
    return module == "torch" and name.endswith("_") and inspect.isbuiltin(function)


def seen(function: Callable[..., Any]) -> tuple[str, list[str], dict[str, Any]] | None:
    """Return the name of what a Python function overrides, the arguments without names, and the others' defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # a function of C in Python's clothes: `**`
        parameters = inspect.signature(lambda self, other: None).parameters.values()
    if any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters):
        return None
    given = {p.name: torch.ones(2).as_subclass(Given) for p in parameters if p.default is p.empty}
    try:
        function(*given.values())
    except Seen as call:
        called, arguments, keywords = call.args
        names = [name for value in arguments for name, own in given.items() if value is own]
        is_renamed = any(isinstance(value, Given) for value in keywords.values())
        return (resolve_name(called) or "", names, keywords) if not is_renamed else None
    except Exception:
        return None
    return None


class Mode(TorchFunctionMode):
    """A mode that tells of the types of the first function that is called."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> NoReturn:
        raise Seen(types)


def lists_plain(function: Any) -> bool:
    """Whether a method of C lists the types of tensors of no class of their own."""
    x = torch.ones(2)
    for arguments in ((), (0,), (x,), (0, 0), (0, x)):
        try:
            with Mode():
                function(x, *arguments)
        except Seen as call:
            return bool(call.args[0])
        except Exception:
            continue
    return False


def lines() -> Iterator[str]:
    known = overridable()
    for module, owner in MODULES.items():
        plain = []
        for name in sorted(dir(owner)):
            function = getattr(owner, name)
            if name.startswith("_") and module != "torch.Tensor":
                continue
            found = seen(function) if inspect.isfunction(function) else None
            if found is not None and found[0].rpartition(".")[2] == name:
                target, needed, rest = found
                defaults = [f"{key}={value!r}" for key, value in rest.items()]
                shown = f"{module}.{name}" + f" = {target}" * (target != f"{module}.{name}")
                yield f"{shown}: {', '.join([*needed, *defaults])}"
            elif not inspect.isfunction(function) and (id(function) in known or is_of_c(module, name, function)):
                plain.append(name + "!" * (module == "torch.Tensor" and lists_plain(function)))
        yield f"{module}: {' '.join(plain)}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    TARGET.write_text("\n".join(sorted(lines())) + "\n", "utf-8")
