"""Optimizers: groups of parameters with options, a state for each parameter, and a step declared by its formula.

The formulas are those of torch 2.13 (`torch.optim.Adam` and so on). In them `w` is a parameter, `grad` its gradient and
`t` the number of the step; the options have torch's names.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.dtypes import type_name
from gradcli.engine.memory.views import writable
from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import format_field
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.stdlib.data.containers import DefaultDict
from gradcli.script.torch.optim import formulas
from gradcli.script.torch.signature import given_options
from gradcli.script.torch.tensor.dtypes import cast, tensor_type

Group = dict[str, Any]
Value = Any  # np.ndarray or a numpy scalar

DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
    "see github.com/pytorch/pytorch/issues/40967 for more information"
)


class Optimizer(Facade):
    """`torch.optim.Optimizer`, which snippets derive optimizers of their own from."""

    __parent__ = True

    __module__ = "torch.optim.optimizer"
    __facade__ = True

    def __init__(self, params: Any, defaults: Group) -> None:
        self.defaults = defaults
        self.state = DefaultDict(dict)
        self.param_groups: list[Group] = []
        self._scheduled = self._stepped = False  # whether a scheduler watches, and has seen a step
        if isinstance(params, Tensor):
            raise TypeError(f"params argument given to the optimizer, but got {tensor_type(params)}")
        groups = list(bounded_iterable(params))
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            options = sorted(name for name in group if name != "params")
            lines += [
                f"Parameter Group {number}",
                *(f"    {name}: {format_field(group[name])}" for name in options),
                "",
            ]
        return "\n".join([*lines[:-1], ")"])

    def add_param_group(self, param_group: Group) -> None:
        """Add a group; options that it leaves out are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("the order of a set changes between runs: use a list")
        param_group["params"] = [params] if isinstance(params, Tensor) else list(bounded_iterable(params))
        for parameter in param_group["params"]:
            _check_parameter(parameter)
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        parameters = set(param_group["params"])
        if len(parameters) < len(param_group["params"]):
            warnings.warn(DUPLICATES, UserWarning, stacklevel=3)
        if parameters & set(chain.from_iterable(group["params"] for group in self.param_groups)):
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

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient; return the result of the closure, which is called before."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Return the state and the options, with numbers in place of the parameters."""
        parameters = list(dict.fromkeys(p for group in self.param_groups for p in group["params"]))
        number = {parameter: position for position, parameter in enumerate(parameters)}
        groups = [
            {**_options(group), "params": [number[parameter] for parameter in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": {number.get(key, key): state for key, state in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the `state_dict` of an optimizer with groups of the same sizes."""
        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, groups, strict=True))
        if any(len(here["params"]) != len(group["params"]) for here, group in pairs):
            raise ValueError("loaded state dict has a parameter group of another size")
        parameter = {key: p for here, group in pairs for key, p in zip(group["params"], here["params"], strict=True)}
        self.param_groups = [{**_options(group), "params": here["params"]} for here, group in pairs]
        self.state = DefaultDict(dict)
        for key, state in state_dict["state"].items():
            self.state[parameter.get(key, key)] = _cast(state, parameter[key]) if key in parameter else state


def _check_sign(name: str, value: Any) -> None:
    if isinstance(value, Tensor) and value.value.size != 1:
        raise ValueError("Tensor lr must be 1-element")
    if isinstance(value, str):
        raise TypeError("'<=' not supported between instances of 'float' and 'str'")
    if not number(value) >= 0:
        words = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
        raise ValueError(f"Invalid {words}: {format_field(value)}")


def _check_betas(_: str, betas: Any) -> None:
    for position, beta in enumerate(betas[:2]):
        if not 0 <= beta < 1:
            raise ValueError(f"Invalid beta parameter at index {position}: {beta}")


# The ranges of options, in the order in which torch checks them.
RANGES: dict[str, Callable[[str, Any], None]] = {
    "lr": _check_sign,
    "lr_decay": _check_sign,
    "eps": _check_sign,
    "betas": _check_betas,
    "momentum": _check_sign,
    "weight_decay": _check_sign,
    "initial_accumulator_value": _check_sign,
    "alpha": _check_sign,
}


class Declared(Optimizer):
    """An optimizer that is a signature with its options, names of what it keeps, and the lines of its formula."""

    _signature = "params"
    _absent = ""
    _listed = ""  # the options in the order of `defaults`, where that is not the signature's
    _checked = " ".join(RANGES)
    _kept: ClassVar[dict[str, str]] = {}  # names in the formula, with the keys of a parameter's state
    _counts = True  # whether the state counts the steps

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        options = given_options(type(self), arguments, keywords)
        params = options.pop("params")
        for name in self._checked.split():
            if name in options:
                RANGES[name](name, options[name])
        options = self._settled(options)
        super().__init__(params, {name: options[name] for name in self._listed.split() or options})

    def _settled(self, options: Group) -> Group:
        """Return the options in the form of `defaults`; ValueError if they exclude each other."""
        return options

    def _lines(self, begun: bool, /, **options: Any) -> Iterable[str]:
        """Return the formula of a step; `begun` says whether the parameter has a state from steps before."""
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with set_grad_enabled(True):
                loss = closure()
        self._stepped = self._scheduled
        timeline = running.machine.timeline
        changed, explained = [], []
        for group in self.param_groups:
            options, decay = formulas.numbers(group), [*formulas.decay(group)]
            first, later = (formulas.update("; ".join([*decay, *self._lines(n, **group)])) for n in (False, True))
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state.get(parameter, {})
                update = later if state else first
                values = options | self._values(parameter, state, update)
                if timeline is not None and timeline.asks_how:
                    explained.append(formulas.for_reader(parameter, update.text, later.text, values, group))
                self._write(parameter, state, update, update(values))
                if state:
                    self.state[parameter] = state
                changed.append(parameter)
        if timeline is not None:
            timeline.stepped(self, changed, explained)
        return loss

    def _values(self, parameter: Tensor, state: Group, update: formulas.Update) -> dict[str, Any]:
        """Return the values of the names in the formula before a step; averages begin at 0."""
        gradient: Any = parameter.grad
        values = {"w": parameter.value, "grad": gradient.value, "t": state["step"].item() + 1 if "step" in state else 1}
        for symbol, name in self._kept.items():
            if symbol in update.counts:
                values[symbol] = state[name].value if name in state else np.zeros_like(parameter.value)[()]
        return values

    def _write(self, parameter: Tensor, state: Group, update: formulas.Update, values: dict[str, Any]) -> None:
        """Write what a formula gave into the parameter and its state."""
        if self._counts:
            _keep(state, "step", scalar(state["step"].item() + 1 if "step" in state else 1))
        for symbol, name in self._kept.items():
            if symbol in update.counts:  # a buffer that begins as the gradient is a copy of it
                _keep(state, name, values[symbol].copy() if "step" not in state else values[symbol])
        for _ in range(update.counts["w"] - 1):
            parameter.changed()  # torch changes the parameter in several operations
        write(parameter, values["w"])


def _keep(state: Group, name: str, value: Value) -> None:
    if name in state:
        state[name].value = value
    else:
        state[name] = Tensor(value)


def scalar(value: float) -> np.floating[Any]:
    """Return a number of a state as torch makes it: in single precision, unless the default dtype is double."""
    return np.float64(value) if mode.default_dtype == np.float64 else np.float32(value)


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


def _check_parameter(parameter: Any) -> None:
    if not isinstance(parameter, Tensor):
        raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type_name(parameter)}")
    if not (parameter.is_leaf or parameter.retains_grad):
        raise ValueError("can't optimize a non-leaf Tensor")


def _options(group: Group) -> Group:
    return {name: value for name, value in group.items() if name != "params"}


def _cast(state: Any, parameter: Tensor) -> Any:
    """Return the state of a parameter in its dtype, but for the count of steps."""
    if not isinstance(state, dict):
        return state
    return {
        name: cast(value, parameter.dtype) if isinstance(value, Tensor) and name != "step" else value
        for name, value in state.items()
    }


MEANS = ("m = beta1*m + (1 - beta1)*grad", "v = beta2*v + (1 - beta2)*grad**2")  # of the gradient and its square


class SGD(Declared):
    """Gradient descent, with momentum as in torch: the buffer begins as the first gradient."""

    __module__ = "torch.optim.sgd"
    _signature = (
        "params, lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None, "
        "differentiable=False, fused=None"
    )
    _absent = "differentiable"
    _kept: ClassVar = {"buf": "momentum_buffer"}
    _counts = False

    def _settled(self, options: Group) -> Group:
        if options["nesterov"] and (options["momentum"] <= 0 or options["dampening"] != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        return options

    def _lines(self, begun: bool, /, *, momentum: float, dampening: float, nesterov: bool, **_: Any) -> Iterator[str]:  # type: ignore[override]
        if momentum:
            gradient = "(1 - dampening)*grad" if dampening else "grad"
            yield f"buf = momentum*buf + {gradient}" if begun else "buf = grad"
        if nesterov:
            yield "grad = grad + momentum*buf"
        yield "w = w - lr*buf" if momentum and not nesterov else "w = w - lr*grad"


class Adam(Declared):
    """Averages of the gradient and its square, both corrected for beginning at zero."""

    __module__ = "torch.optim.adam"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0, amsgrad=False, *, maximize=False, "
        "foreach=None, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False"
    )
    _absent = "capturable differentiable"
    _kept: ClassVar = {"m": "exp_avg", "v": "exp_avg_sq", "largest": "max_exp_avg_sq"}

    def _lines(self, _begun: bool, /, *, amsgrad: bool, **_: Any) -> Iterator[str]:  # type: ignore[override]
        yield from MEANS
        if amsgrad:
            yield "largest = maximum(largest, v)"
        yield f"w = w - lr*(m/(1 - beta1**t))/(sqrt({'largest' if amsgrad else 'v'}/(1 - beta2**t)) + eps)"


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters and leaves the gradients alone."""

    __module__ = "torch.optim.adamw"
    _signature = (
        "params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01, amsgrad=False, *, maximize=False, "
        "foreach=None, capturable=False, differentiable=False, fused=None"
    )

    def _settled(self, options: Group) -> Group:
        return {**options, "decoupled_weight_decay": True}


class RMSprop(Declared):
    """The gradient over the root of its average square; `centered` subtracts the square of its average."""

    __module__ = "torch.optim.rmsprop"
    _signature = (
        "params, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, capturable=False, "
        "foreach=None, maximize=False, differentiable=False"
    )
    _listed = "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable"
    _absent = "capturable differentiable"
    _kept: ClassVar = {"v": "square_avg", "buf": "momentum_buffer", "mean": "grad_avg"}

    def _lines(self, _begun: bool, /, *, momentum: float, centered: bool, **_: Any) -> Iterator[str]:  # type: ignore[override]
        yield "v = alpha*v + (1 - alpha)*grad**2"
        if centered:
            yield "mean = alpha*mean + (1 - alpha)*grad"
        scaled = f"grad/(sqrt({'v - mean**2' if centered else 'v'}) + eps)"
        if momentum > 0:
            yield f"buf = momentum*buf + {scaled}"
        yield f"w = w - lr*{'buf' if momentum > 0 else scaled}"


class Adagrad(Declared):
    """The gradient over the root of the sum of all its squares."""

    __module__ = "torch.optim.adagrad"
    _signature = (
        "params, lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *, "
        "maximize=False, differentiable=False, fused=None"
    )
    _listed = "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused"
    _checked = "lr lr_decay weight_decay initial_accumulator_value eps"
    _absent = "initial_accumulator_value differentiable"
    _kept: ClassVar = {"total": "sum"}

    def _lines(self, _begun: bool, /, *, lr_decay: float, **_: Any) -> Iterator[str]:  # type: ignore[override]
        yield "total = total + grad**2"
        yield f"w = w - lr{'/(1 + (t - 1)*lr_decay)' if lr_decay else ''}*grad/(sqrt(total) + eps)"
