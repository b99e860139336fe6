"""The state of an optimizer: `state_dict`, `load_state_dict`, and the hooks around them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.graph import Handle
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.python.values.attributes import Facade
from gradcli.script.stdlib.data.nested import DefaultDict

Group = dict[str, Any]
Hook = Callable[..., Any]
# Options that a saved state from before they existed may leave out, with their values then.
LATER: Group = {
    **dict.fromkeys(("foreach", "fused")),
    **dict.fromkeys(
        ["amsgrad", "capturable", "centered", "decoupled_weight_decay", "differentiable", "maximize", "nesterov"], False
    ),
}


class Stateful(Facade):
    """The part of an optimizer that saves and loads what it knows of its parameters."""

    defaults: Group
    _later: ClassVar[Group] = {}  # where a kind of optimizer has another value
    state: Any
    param_groups: list[Group]

    def _hooks(self, when: str) -> dict[int, Hook]:
        tables: dict[str, dict[int, Hook]] = vars(self).setdefault("_state_hooks", {})
        return tables.setdefault(when, {})

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call a function with the optimizer before its state is saved."""
        return self._registered("before saving", hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call a function with the optimizer and its saved state, which it may replace."""
        return self._registered("after saving", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call a function with the optimizer and the state to load, which it may replace."""
        return self._registered("before loading", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> Handle:
        """Call a function with the optimizer after a state is loaded."""
        return self._registered("after loading", hook, prepend)

    def _registered(self, when: str, hook: Hook, prepend: bool) -> Handle:
        table = self._hooks(when)
        others = dict(table)
        handle = Handle(table, hook)
        if prepend:  # it stands last, behind the others
            for key in others:
                table[key] = table.pop(key)
        return handle

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the options, with numbers in place of the parameters."""
        for hook in list(self._hooks("before saving").values()):
            hook(self)
        parameters = list(dict.fromkeys(p for group in self.param_groups for p in group["params"]))
        number = {parameter: position for position, parameter in enumerate(parameters)}
        found: dict[str, Any] = {
            "state": {number.get(key, key): state for key, state in self.state.items()},
            "param_groups": [
                {**_options(group), "params": [number[parameter] for parameter in group["params"]]}
                for group in self.param_groups
            ],
        }
        for hook in list(self._hooks("after saving").values()):
            replaced = hook(self, found)
            found = found if replaced is None else replaced
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the `state_dict` of an optimizer with groups of the same sizes."""
        state_dict = dict(state_dict)
        for hook in list(self._hooks("before loading").values()):
            replaced = hook(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, groups, strict=True))
        if any(len(own["params"]) != len(group["params"]) for own, group in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameter = {
            key: own for mine, group in pairs for key, own in zip(group["params"], mine["params"], strict=True)
        }
        later = {name: value for name, value in LATER.items() if name in self.defaults} | self._later
        self.param_groups = [
            {**_options(group), **_options(later, group), "params": own["params"]} for own, group in pairs
        ]
        self.state = DefaultDict(dict)
        for key, state in state_dict["state"].items():
            self.state[parameter.get(key, key)] = _cast(state, parameter[key]) if key in parameter else state
        for hook in list(self._hooks("after loading").values()):
            hook(self)


def scalar(value: float) -> np.floating[Any]:
    """Return a number of a state as torch makes it: in single precision, unless the default dtype is double."""
    return np.float64(value) if mode.default_dtype == np.float64 else np.float32(value)


def _options(group: Group, others: Group | None = None) -> Group:
    """Return the options of a group, but for those that other options name."""
    return {name: value for name, value in group.items() if name != "params" and name not in (others or {})}


def _cast(state: Any, parameter: Tensor) -> Any:
    """Return the state of a parameter in its dtype, but for the count of steps."""
    from gradcli.script.torch.tensor.attributes import cast

    if not isinstance(state, dict):
        return state
    found = {
        name: cast(value, parameter.dtype) if isinstance(value, Tensor) and name != "step" else value
        for name, value in state.items()
    }
    step: Any = found.get("step")
    if isinstance(step, int | float):
        found["step"] = Tensor(scalar(step))  # states counted in plain numbers once
    return found
