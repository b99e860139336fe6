"""`state_dict` and `load_state_dict`: the numbers of a module under their dotted names."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gradcli.engine.memory.in_place import write_over
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.limits import DEPTH
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.builtins import type_of
from gradcli.script.stdlib.data import containers  # noqa: F401  what an OrderedDict is to snippets
from gradcli.script.torch.nn.base.loading import Hooked, visits
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.base.uninitialized import is_lazy, shapeless
from gradcli.script.torch.tensor.printing import size_text


class IncompatibleKeys(NamedTuple):
    """The result of `load_state_dict`."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def keys_text(keys: IncompatibleKeys) -> str:
    if not keys.missing_keys and not keys.unexpected_keys:
        return "<All keys matched successfully>"
    return (
        f"_IncompatibleKeys(missing_keys={represent(keys.missing_keys)}, "
        f"unexpected_keys={represent(keys.unexpected_keys)})"
    )


REPRESENTATIONS[IncompatibleKeys] = keys_text
describe(
    IncompatibleKeys,
    getters={"missing_keys": lambda keys: keys.missing_keys, "unexpected_keys": lambda keys: keys.unexpected_keys},
)


BY_PLACE = (
    "Positional args are being deprecated, use kwargs instead. Refer to https://pytorch.org/docs/main/generated/"
    "torch.nn.Module.html#torch.nn.Module.state_dict for details."
)
EXTRA = "_extra_state"  # the name of what `get_extra_state` of a module returns


class State(Hooked):
    """The part of a module that saves and loads its numbers."""

    _non_persistent_buffers_set: set[str]

    def _own_state(self) -> Iterator[tuple[str, Tensor]]:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                yield name, buffer

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return the numbers by name, in the memory of the module."""
        if args:
            warnings.warn(BY_PLACE, FutureWarning, stacklevel=2)
            names = {"destination": destination, "prefix": prefix, "keep_vars": keep_vars}
            return self.state_dict(**{**names, **dict(zip(names, args, strict=False))})
        if prefix.count(".") > DEPTH:  # a module that holds itself
            raise RecursionError("maximum recursion depth exceeded")
        state: Any = OrderedDict() if destination is None else destination
        if destination is None:
            state._metadata = OrderedDict()
        about = {"version": self._version}
        if hasattr(state, "_metadata"):
            state._metadata[prefix[:-1]] = about
        for hook in list(self._state_dict_pre_hooks.values()):
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(state, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return self._after_state(state, prefix, about)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put the numbers of this module alone among those of the others."""
        for name, tensor in self._own_state():
            destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()
        extra = getattr(type(self), "get_extra_state", None)
        if extra is not None:
            destination[prefix + EXTRA] = extra(self)

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> IncompatibleKeys:
        """Copy numbers into the parameters and buffers of the same names (or put them in place, with `assign`).

        Raises RuntimeError for shapes that do not fit, and if `strict` for names without a counterpart; TypeError for
        a value that is no dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type_of(state_dict)!r}.")
        missing: list[str] = []
        problems: list[str] = []
        unexpected: list[str] = []
        keys = IncompatibleKeys(missing, unexpected)
        metadata = getattr(state_dict, "_metadata", {})
        states: dict[str, Any] = {"": OrderedDict(state_dict)}  # what each module sees, which its hooks may change
        for start, module, is_done in visits(self):
            if is_done:
                module._after_loading(keys)
                continue
            above = states[start[:-1].rpartition(".")[0] + "." if "." in start[:-1] else ""]
            state = states[start] = {key: x for key, x in above.items() if key.startswith(start)} if start else above
            about = {**metadata.get(start[:-1], {}), **({"assign_to_params_buffers": True} if assign else {})}
            module._load_from_state_dict(state, start, about, True, missing, unexpected, problems)
        if strict:
            problems = [*_listed("Missing", missing), *_listed("Unexpected", unexpected), *problems]
        if problems:
            text = "\n\t".join(problems)
            raise AutogradError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}", code="E301")
        return keys

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take the numbers of this module alone; names without a counterpart, if `strict`, and misfits are noted."""
        for hook, with_module in list(self._load_state_dict_pre_hooks.values()):
            first = [self] if with_module else []
            hook(*first, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        missing, unexpected = (missing_keys, unexpected_keys) if strict else ([], [])
        unexpected += self._unknown(prefix, state_dict)
        for name, tensor in list(self._own_state()):
            key = prefix + name
            if key not in state_dict:
                missing.append(key)
            elif is_lazy(tensor):
                continue  # its shape is not known yet, nor is that of what is loaded
            elif problem := _misfit(key, tensor, state_dict[key]):
                error_msgs.append(problem)
            elif local_metadata.get("assign_to_params_buffers"):
                setattr(self, name, _assigned(tensor, state_dict[key]))
            else:
                with set_grad_enabled(False):
                    write_over(tensor, _copied(tensor, state_dict[key]))
        take: Any = getattr(type(self), "set_extra_state", None)
        if take is not None and prefix + EXTRA in state_dict:
            take(self, state_dict[prefix + EXTRA])
        elif take is not None:
            missing.append(prefix + EXTRA)
        elif prefix + EXTRA in state_dict:
            unexpected.append(prefix + EXTRA)

    def _unknown(self, start: str, state_dict: Any) -> list[str]:
        """Return the names below this module that neither it nor its children can have."""
        own = {name for name, _ in self._own_state()}
        found = []
        for key in state_dict:
            if key.startswith(start):
                name, _, deeper = key.removeprefix(start).partition(".")
                if name != EXTRA and not (self._modules.get(name) if deeper else name in own):
                    found.append(key)
        return found


def _listed(kind: str, keys: list[str]) -> list[str]:
    names = ", ".join(f'"{key}"' for key in keys)
    return [f"{kind} key(s) in state_dict: {names}. "] if keys else []


def _misfit(key: str, tensor: Tensor, given: Any) -> str:
    """Return the reason why a value does not fit a tensor; empty if it does."""
    if not isinstance(given, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type_of(given)!r}"
        )
    if is_lazy(given):
        shapeless(given)
    if given.shape == tensor.shape or (given.shape == (1,) and not tensor.shape):
        return ""
    return (
        f"size mismatch for {key}: copying a param with shape {size_text(given.shape)} from checkpoint, the shape in "
        f"current model is {size_text(tensor.shape)}."
    )


def _copied(tensor: Tensor, given: Tensor) -> Tensor:
    return Tensor(given.array.reshape(tensor.shape).astype(tensor.dtype))


def _assigned(tensor: Tensor, given: Tensor) -> Tensor:
    return Parameter(given.detach(), tensor.requires_grad) if isinstance(tensor, Parameter) else given
