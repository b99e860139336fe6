"""The base of optimizers: groups of parameters with options, a state for each parameter, and a step."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.dtypes import type_name
from gradcli.engine.graph import Handle
from gradcli.engine.memory.views import writable
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.numerics.fusing import Value, added
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import formatted, text
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.operators import bounded
from gradcli.script.stdlib.data.nested import DefaultDict
from gradcli.script.torch.optim import differentiable, formulas
from gradcli.script.torch.optim.state import Group, Stateful

DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
    "see github.com/pytorch/pytorch/issues/40967 for more information"
)


class Everywhere:
    """The hooks of the steps of all optimizers of a run; they run before, and after, those of the one that steps."""

    def __init__(self) -> None:
        self.before: dict[int, Any] = {}
        self.after: dict[int, Any] = {}


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> Handle:
    """Call a function with the optimizer, the arguments and the keywords before each step of any optimizer."""
    return Handle(running.machine.own(Everywhere).before, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> Handle:
    """Call a function with the optimizer, the arguments and the keywords after each step of any optimizer."""
    return Handle(running.machine.own(Everywhere).after, hook)


class Required(Facade):
    """The default of an option that has none."""

    def __repr__(self) -> str:
        return "<required parameter>"


REQUIRED = Required()


class Optimizer(Stateful):
    """`torch.optim.Optimizer`; a kind of optimizer defines `_updated`, the change of one parameter."""

    __parent__ = True

    __module__ = "torch.optim.optimizer"
    __facade__ = True
    _symbols: ClassVar[dict[str, str]] = {}  # the names in formulas of the averages in a state
    _decays_apart = False  # whether `_updated` sees to the weight decay
    # For a step that is captured, of one parameter at a time and of all together: what is, and whether on XLA too.
    _captured: ClassVar = ("params and state_steps", "params and state_steps")
    _on_xla: ClassVar = (True, False)

    def __init__(self, params: Any, defaults: Group) -> None:
        self.defaults = defaults
        self.state = DefaultDict(dict)
        self.param_groups: list[Group] = []
        self._before_step: dict[int, Any] = {}
        self._after_step: dict[int, Any] = {}
        self._scheduled = self._stepped = False  # whether a scheduler watches, and has seen a step
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {_typename(params)}"
            )
        groups = list(bounded(params))
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            options = sorted(name for name in group if name != "params")
            lines += [f"Parameter Group {number}", *(f"    {name}: {formatted(group[name])}" for name in options), ""]
        return "\n".join([*lines[:-1], ")"])

    def add_param_group(self, param_group: Group) -> None:
        """Add a group; options that it leaves out are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        param_group["params"] = [params] if isinstance(params, Tensor) else list(bounded(params))
        _take_names(param_group)
        if any(("param_names" in group) != ("param_names" in param_group) for group in self.param_groups):
            without = "with" if "param_names" in param_group else "without"
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{without} names to the optimizer"
            )
        for parameter in param_group["params"]:
            _check_parameter(parameter, self.defaults.get("differentiable", False))
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        own = set(param_group["params"])
        if len(own) < len(param_group["params"]):
            warnings.warn(DUPLICATES, UserWarning, stacklevel=3)
        if own & set(chain.from_iterable(group["params"] for group in self.param_groups)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or fill them with zeros."""
        parameters = [parameter for group in self.param_groups for parameter in group["params"]]
        for parameter in parameters:
            if set_to_none:
                parameter.grad = None
            elif (gradient := parameter.grad) is not None:
                if gradient.requires_grad:
                    gradient.detach_()
                write(gradient, 0)
        if running.machine.timeline is not None:
            running.machine.timeline.zeroed(parameters)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call a function with the optimizer, the arguments and the keywords before each step."""
        return Handle(self._before_step, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call a function with the optimizer, the arguments and the keywords after each step."""
        return Handle(self._after_step, hook)

    def step(self, *arguments: Any, **keywords: Any) -> Any:
        """Take a step between the hooks."""
        everywhere = running.machine.own(Everywhere)
        for hook in [*everywhere.before.values(), *self._before_step.values()]:
            replaced = hook(self, (self, *arguments), keywords)
            if replaced is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"<function {type(self).__name__}.step at {hex(id(hook))}> must return None or a tuple of "
                        f"(new_args, new_kwargs), but got {text(replaced)}."
                    )
                (_, *arguments), keywords = replaced
        found = self._step(*arguments, **keywords)
        for hook in [*self._after_step.values(), *everywhere.after.values()]:
            hook(self, (self, *arguments), keywords)
        return found

    def _step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient; returns the result of the closure, which is called before."""
        if type(self)._updated is Optimizer._updated:
            raise NotImplementedError
        loss = None
        if closure is not None:
            with set_grad_enabled(True):
                loss = closure()
        self._stepped = self._scheduled
        changed, told = [], []
        timeline = running.machine.timeline
        for group in self.param_groups:
            options = {**group, "lr": number(group.get("lr"))}
            maximize, decay, decoupled = map(group.get, ("maximize", "weight_decay", "decoupled_weight_decay"))
            decay = None if self._decays_apart else decay
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                if options.get("capturable"):
                    raise AssertionError(self._uncaptured(together=bool(options["foreach"])))
                if any(isinstance(beta, Tensor) for beta in options.get("betas", ())):
                    raise UnsupportedError("a step with betas that are tensors is not supported here")
                if options.get("differentiable"):
                    differentiable.step(parameter, self.state[parameter], self._lines, self._symbols, options)
                    continue
                if timeline is not None and timeline.asks_how and type(self)._lines is not Optimizer._lines:
                    told.append(
                        formulas.told(parameter, self.state.get(parameter, {}), self._lines, self._symbols, options)
                    )
                x, g = parameter.value, gradient.value
                if maximize:
                    g = -g
                if decay and decoupled:
                    parameter.changed()  # torch shrinks the parameter in an operation of its own
                    x = x * (1 - options["lr"] * decay)
                elif decay:
                    g = added(g, x, decay)
                write(parameter, self._updated(parameter, x, g, **options))
                changed.append(parameter)
        if timeline is not None:
            timeline.stepped(self, changed, told)
        return loss

    def _uncaptured(self, *, together: bool) -> str:
        """Return torch's words for a step that is to be captured on a device that captures none."""
        devices = ["cuda", "xpu", "hpu", "privateuseone", *["xla"] * self._on_xla[together]]
        return f"If capturable=True, {self._captured[together]} must be on supported devices: {devices}."

    def _lines(self, *_: Any, **__: Any) -> Iterable[str]:
        """Return the update as formulas, from the state of a parameter before, and the options by name."""
        raise NotImplementedError

    def _updated(self, *_: Any, **__: Any) -> Value:
        """Return the new value of a parameter from the parameter, its value, its gradient, and the options by name."""
        raise NotImplementedError


def write(target: Tensor, value: Value) -> None:
    """Give a tensor a new value in its own memory, outside the graph."""
    if isinstance(target.value, np.ndarray):
        writable(target.value)[...] = value
    else:  # a scalar that no other tensor shares
        target.value = target.value.dtype.type(value)
    target.changed()


def number(value: Any) -> Any:
    """Return an option as a plain number; a learning rate may be a tensor of one element."""
    return value.item() if isinstance(value, Tensor) else value


def _take_names(group: Group) -> None:
    """Split parameters from their names, if they are given as `model.named_parameters()`."""
    named = [item for item in group["params"] if isinstance(item, tuple)]
    if named and len(named) < len(group["params"]):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    if named:
        group["params"] = [parameter for _, parameter in named]
        group["param_names"] = [name for name, _ in named]


def _check_parameter(parameter: Any, differentiable: bool) -> None:
    if not isinstance(parameter, Tensor):
        raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {_typename(parameter)}")
    if not (differentiable or parameter.is_leaf or parameter.retains_grad):
        raise ValueError("can't optimize a non-leaf Tensor")


def _typename(value: Any) -> str:
    from gradcli.script.torch.tensor.casting import tensor_type

    return tensor_type(value) if isinstance(value, Tensor) else type_name(value)
