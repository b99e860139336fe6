"""The functions of torch that `__torch_function__` may override, and the form in which it is given their arguments.

They are recorded. A function of C hands on its arguments as they came; one that torch has written in Python hands on
the needed ones without their names, and all others with them.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FILE = "overridable.txt"


class Form(NamedTuple):
    """The name of a function, and of one in Python its needed arguments and the defaults of the others."""

    path: str
    needed: tuple[str, ...] = ()
    defaults: dict[str, Any] | None = None
    lists_plain: bool = False  # whether the types of tensors of no class of the snippet are listed, too

    @property
    def is_python(self) -> bool:
        return self.defaults is not None

    @property
    def name(self) -> str:
        """The function's own name."""
        module, _, name = self.path.rpartition(".")
        return NAMED.get(name) or f"{PREFIXES.get(module, '')}{name}"

    def arranged(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments as they are handed on; those of a call that does not fit as they are."""
        if self.defaults is None:
            return arguments, keywords
        names = (*self.needed, *self.defaults)
        given = dict(zip(names, arguments, strict=False)) | keywords
        if len(arguments) > len(names) or not given.keys() <= set(names) or not set(self.needed) <= given.keys():
            return arguments, keywords
        return tuple(given[name] for name in self.needed), {
            name: given.get(name, default) for name, default in self.defaults.items()
        }


@cache
def forms() -> dict[str, Form]:
    """Return the forms by the names under which snippets find the functions."""
    found = {}
    for line in Path(__file__).with_name(FILE).read_text("utf-8").splitlines():
        names, _, rest = line.partition(":")
        name, _, path = names.partition(" = ")
        if name.rpartition(".")[2] in MODULES:
            for each in rest.split():
                plain = each.removesuffix("!")
                found[f"{name}.{plain}"] = Form(f"{name}.{plain}", lists_plain=each != plain)
        else:
            call: Any = ast.parse(f"f({rest.strip().partition(', *')[0]})", mode="eval").body
            defaults = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            found[name] = Form(path or name, tuple(argument.id for argument in call.args), defaults, True)
    return found


NAMED = {
    "__pow__": "pow", "__ipow__": "pow_", "__rtruediv__": "__rdiv__", "__itruediv__": "__idiv__", "__abs__": "abs",
    "__neg__": "neg", "__pos__": "positive", "threshold": "_threshold",
}  # fmt: skip
PREFIXES = {"torch.linalg": "linalg_", "torch.special": "special_"}
MODULES = ("torch", "functional", "linalg", "special", "Tensor")
