"""The call of a function of torch that may be overridden: modes and classes of the snippet are asked first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.kinds import Defined, type_of
from gradcli.script.torch.overrides.forms import Form, forms

HANDLER = "__torch_function__"
ACCESS = ("__get__", "__set__", "__delete__")  # of attributes
CLASSMETHOD = (
    "Defining your mode's `__torch_function__` as a classmethod is not supported, please make it a plain method"
)
OF_DATA = ("torch.tensor", "torch.as_tensor")  # which look at no class
SEQUENCES = (tuple, list)
Function = Callable[..., Any]


class Overrides:
    """What a run overrides: its functions by their names, its modes, and whether classes are asked now."""

    def __init__(self) -> None:
        self.functions: dict[str, Function] = {}
        self.paths: dict[Function, str] = {}
        self.disabled = False
        self.modes: list[Any] = []


def overrides() -> Overrides:
    return running.machine.own(Overrides)


@contextmanager
def disabled() -> Iterator[None]:
    """Let no class be asked in the block."""
    state = overrides()
    before, state.disabled = state.disabled, True
    try:
        yield
    finally:
        state.disabled = before


def disabled_torch_function(*_: Any, **__: Any) -> Any:
    """Stand for `torch._C._disabled_torch_function_impl`: a class that has it overrides nothing."""
    raise UnsupportedError("calling _disabled_torch_function_impl is not supported here")


def handles(kind: type) -> bool:
    """Whether a class of the snippet overrides functions."""
    return isinstance(kind, Defined) and getattr(kind, HANDLER, disabled_torch_function) is not disabled_torch_function


def is_asked(value: Any, *, plain: bool) -> bool:
    return handles(type(value)) or (plain and isinstance(value, Tensor) and type_of(value) is type_of(Tensor(0.0)))


def asked(values: Iterable[Any], *, plain: bool = False) -> list[Any]:
    """Return the first value of each class that is asked, in torch's order: subclasses before their parents.

    With `plain` the tensors of no class of the snippet count too.
    """
    found: list[Any] = []
    for value in values:
        if is_asked(value, plain=plain) and all(type_of(value) is not type_of(other) for other in found):
            before = [place for place, other in enumerate(found) if isinstance(value, _class(other))]
            found.insert(before[0] if before else len(found), value)
    return found


def _class(value: Any) -> type:
    kind = type(value)
    return kind if isinstance(kind, Defined) else Tensor


def flat(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[Any]:
    """Yield the arguments, and the items of lists of them."""
    for value in (*arguments, *keywords.values()):
        if type(value) in SEQUENCES:
            yield from value
        else:
            yield value


def overridable(path: str, function: Function) -> Function:
    """Return the function of torch as the run has it: one that asks first. It is made once."""
    state = overrides()
    made = state.functions.get(path)
    if made is not None:
        return made
    form = forms().get(path) or (Form(path, lists_plain=True) if path.endswith(ACCESS) else None)
    lists_plain = form is not None and form.lists_plain

    def call(*arguments: Any, **keywords: Any) -> Any:
        if state.modes or not state.disabled:
            given = () if path in OF_DATA else flat(arguments, keywords)
            found = asked(given, plain=lists_plain and bool(state.modes))
            if state.modes or any(handles(type(value)) for value in found):
                if form is not None and form.is_python and not state.modes:
                    found = asked(flat(arguments, keywords), plain=True)
                return _overridden(made, form or _unknown(path, found), found, arguments, keywords)
        return function(*arguments, **keywords)

    made = call
    call.__name__ = form.name if form is not None else path.rpartition(".")[2]
    call.__qualname__, call.__module__ = call.__name__, "torch"
    state.functions[path], state.paths[call] = call, form.path if form is not None else path
    return call


def _unknown(path: str, found: list[Any]) -> Form:
    """Return the form of a function of which it is known only that its results follow the default rule."""
    if overrides().modes:
        raise UnsupportedError(f"{path} inside of a TorchFunctionMode is not supported here")
    if not all(is_default(type(value)) for value in found):
        raise UnsupportedError(f"{path} with a class that has {HANDLER} is not supported here")
    return Form(path)


def is_default(kind: type) -> bool:
    """Whether a class follows the default rule alone."""
    return not any(HANDLER in vars(base) for base in kind.__mro__ if isinstance(base, Defined))


def _overridden(
    function: Any, form: Form, found: list[Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    arguments, keywords = form.arranged(arguments, keywords)
    given = (keywords,) if keywords or form.is_python else ()
    return ask(function, form, found, (arguments, *given))


def ask(function: Any, form: Form, found: Sequence[Any], given: tuple[Any, ...]) -> Any:
    """Ask the newest mode, then the classes, for the result of a call. TypeError if nobody has one."""
    state, types = overrides(), tuple(type_of(value) for value in found)
    newest = state.modes[-1] if state.modes else None
    if newest is not None:
        if isinstance(getattr(newest.__torch_function__, "__self__", None), type):
            raise RuntimeError(CLASSMETHOD)
        state.modes.pop()
        try:
            result = newest.__torch_function__(function, types, *given)
        finally:
            state.modes.append(newest)
        if result is not NotImplemented:
            return result
    for value in found:
        handler = getattr(value, HANDLER) if isinstance(type(value), Defined) else None
        result = handler(function, types, *given) if handler is not None else NotImplemented
        if result is not NotImplemented:
            return result
    listed = [type_of(value) for value in found if newest is None or handles(type(value))]
    raise TypeError(_refusal(form, newest, listed))


def _refusal(form: Form, mode: Any, types: list[Any]) -> str:
    if form.is_python:
        shown = ", ".join(map(represent, types))
        nor = f" nor in mode {represent(mode)}" if mode is not None else ""
        return f"no implementation found for '{form.path}' on types that implement {HANDLER}: [{shown}]{nor}"
    module = form.path.rpartition(".")[0]
    lines = [f"  - mode object {represent(mode)}\n"] * (mode is not None)
    lines += [f"  - tensor subclass {represent(kind)}\n" for kind in types]
    name = f"{module.removesuffix('.functional')}.{form.name}"
    return (
        f"Multiple dispatch failed for '{name}'; all {HANDLER} handlers returned NotImplemented:\n\n{''.join(lines)}\n"
        "For more information, try re-running with TORCH_LOGS=not_implemented"
    )
