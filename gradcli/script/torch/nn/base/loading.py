"""The hooks of a module's `state_dict` and `load_state_dict`, and the visits on which they are called."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from gradcli.engine.graph import Handle
from gradcli.script.limits import DEPTH
from gradcli.script.torch.nn.base.tree import Tree

Hook = Callable[..., Any]
LOADED = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)


OF_STATES = ("_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


def visits(module: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield the module and all below it with their prefixes, on the way down, and again (True) on the way up."""
    waiting: list[tuple[str, Any, bool]] = [("", module, False)]
    while waiting:
        start, part, is_done = waiting.pop()
        if start.count(".") > DEPTH:  # a module that holds itself
            raise RecursionError("maximum recursion depth exceeded")
        yield start, part, is_done
        if not is_done:
            waiting.append((start, part, True))
            below = [(f"{start}{name}.", child, False) for name, child in part._modules.items() if child is not None]
            waiting.extend(reversed(below))


class Hooked(Tree):
    """The part of a module that has hooks of its state."""

    _version = 1
    _state_dict_hooks: OrderedDict[int, tuple[Hook, bool]]
    _state_dict_pre_hooks: OrderedDict[int, Hook]
    _load_state_dict_pre_hooks: OrderedDict[int, tuple[Hook, bool]]
    _load_state_dict_post_hooks: OrderedDict[int, Hook]

    def register_state_dict_pre_hook(self, hook: Hook) -> Handle:
        """Call `hook(module, prefix, keep_vars)` before `state_dict` takes the module's numbers."""
        return Handle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Hook) -> Handle:
        """Call `hook(module, state_dict, prefix, local_metadata)` once `state_dict` has them; it returns nothing."""
        return Handle(self._state_dict_hooks, (hook, True))

    def _register_state_dict_hook(self, hook: Hook) -> Handle:
        """Register a hook as `register_state_dict_post_hook` does, whose result takes the place of the state."""
        return Handle(self._state_dict_hooks, (hook, False))

    def _register_load_state_dict_pre_hook(self, hook: Hook, with_module: bool = False) -> Handle:
        return Handle(self._load_state_dict_pre_hooks, (hook, with_module))

    def register_load_state_dict_pre_hook(self, hook: Hook) -> Handle:
        """Call `hook(module, state_dict, prefix, ...)` before the numbers of a module are loaded."""
        return self._register_load_state_dict_pre_hook(hook, True)

    def register_load_state_dict_post_hook(self, hook: Hook) -> Handle:
        """Call `hook(module, incompatible_keys)` once the numbers of a module and of all below it are loaded."""
        return Handle(self._load_state_dict_post_hooks, hook)

    def _after_state(self, state: Any, prefix: str, metadata: dict[str, Any]) -> Any:
        """Return what the hooks put in the place of the state."""
        for hook, is_public in list(self._state_dict_hooks.values()):
            replaced = hook(self, state, prefix, metadata)
            if replaced is not None and is_public:
                raise RuntimeError("state_dict post-hook must return None")
            state = state if replaced is None else replaced
        return state

    def _after_loading(self, keys: Any) -> None:
        for hook in list(self._load_state_dict_post_hooks.values()):
            if hook(self, keys) is not None:
                raise AssertionError(LOADED)
