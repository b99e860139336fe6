"""The names that made-up snippets use, and the words in them; a snippet begins with the names that it needs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from random import Random

from tests.fuzz import words
from tests.fuzz.generators import ops
from tests.fuzz.generators.grammar import Word
from tests.fuzz.generators.options import TEXTS
from tests.fuzz.generators.values import array, number, shape

TENSORS = {
    "x": "torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)",
    "y": "torch.tensor([0.5, -1.0], requires_grad=True)",
    "z": "x * 2",
    "w": "torch.tensor(3.0, requires_grad=True)",
    "i": "torch.tensor([0, 1])",
    "m": "torch.tensor([True, False])",
    "d": "x.detach()",
    "u": "torch.ones(2, 3, 4, dtype=torch.float64, requires_grad=True)",
}
OTHERS = {
    "n": "3",
    "k": "0",
    "v": "2.5",
    "s": "'text'",
    "items": "[1, 2.5, 3]",
    "table": "{'a': 1, 'b': [2]}",
    "f": "lambda v: v * 2",
    "g": "lambda *v, **k: v",
    "A": "type('A', (object,), {}) if 0 else list",
    "a": "iter([1, 2, 3])",
    "B": "dict",
    "e": "ValueError('wrong')",
    "model": "nn.Linear(2, 2)",
    "sgd": "torch.optim.SGD(model.parameters(), lr=0.1)",
}
NAMES = {**TENSORS, **OTHERS}
IMPORTS = {
    "nan": "from math import inf, nan",
    "inf": "from math import inf, nan",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "np": "import numpy as np",
}
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "is", "in", "not_in", "is_not"]
DTYPES = ["torch.float32", "torch.float64", "torch.int64", "torch.int32", "torch.uint8", "torch.bool", "torch.float16"]
VALUES = ["True", "False", "None", "n", "x", "0", "-1", "0.5"]
WORD = re.compile(r"\b[^\W\d]\w*")


def whole(text: str) -> str:
    """The snippet after the imports and names that it needs."""
    used = set(WORD.findall(text))
    before: list[str] = []
    for name in reversed(NAMES):
        if name in used:
            before.insert(0, f"{name} = {NAMES[name]}")
            used.update(WORD.findall(NAMES[name]))
    imports = [f"import {name}" for name in words.modules() if name in used]
    imports += [line for name, line in IMPORTS.items() if name in used]
    return "\n".join([*imports, *before, text, ""])


def made_tensor(random: Random) -> str:
    """A new tensor, of any shape and filling."""
    options = random.choice(
        [
            "",
            ", requires_grad=True",
            ", requires_grad=True",
            ", dtype=torch.float64",
            f", dtype={random.choice(DTYPES)}",
        ]
    )
    return f"torch.tensor({array(random, shape(random))}{options})"


def tensor(random: Random, _: list[str]) -> str:
    return random.choice(list(TENSORS)) if random.random() < 0.6 else made_tensor(random)


def tensors(random: Random, given: list[str]) -> str:
    return f"[{', '.join(tensor(random, given) for _ in range(random.randint(0, 3)))}]"


MAKERS = {
    **ops.MAKERS,
    **dict.fromkeys(("Tensor", "Real", "Array"), tensor),
    "Operand": ops.one_of(tensor, tensor, ops.numeral),
    "Indices": lambda random, given: f"torch.tensor({ops.indices(random, given)})",
    "Places": lambda random, given: f"torch.tensor({ops.indices(random, given)})",
    "int | Tensor": ops.one_of(ops.size, tensor),
    "Sequence[Tensor]": tensors,
    "Tensors": ops.one_of(tensor, tensors),
    "Dtype": ops.words_of(*DTYPES),
    "Any": ops.one_of(tensor, ops.numeral, ops.sizes, tensors),
}


@cache
def callers() -> tuple[tuple[str, str], ...]:
    """Every way to call an operation in a snippet: how the call begins, and the operation."""
    known = words.operations()
    prefixes = {
        "torch": "torch.",
        "torch.nn.functional": "F.",
        "torch.special": "torch.special.",
        "torch.linalg": "torch.linalg.",
    }
    found = [
        (f"{prefix}{name}", name)
        for module, prefix in prefixes.items()
        for name in words.modules()[module]
        if name in known
    ]
    found += [(f".{name}", name) for name in words.methods() if name in known]
    found += [(f".{name}_", name) for name in words.methods() if name in known and known[name].in_place]
    return tuple(found)


def call(random: Random) -> str:
    """A call of an operation with arguments of the kinds that it takes."""
    begin, name = random.choice(callers())
    parts = ops.arguments(random, name, [], MAKERS)
    if begin.startswith("."):
        first, *parts = parts or ["x"]
        begin = f"({first if '=' not in first else 'x'}){begin}"
    return f"{begin}({', '.join(parts)})"


def one_of(choices: Sequence[str]) -> Word:
    return lambda random: random.choice(choices)


def member(random: Random, modules: Sequence[str]) -> str:
    module = random.choice(modules)
    return f"{module}.{random.choice(words.modules()[module] or ('x',))}"


@cache
def vocabulary() -> dict[str, Word]:
    """The words by the symbols of the grammar."""
    from gradcli.script.packages import pictures  # noqa: F401
    from gradcli.script.python.values import builtins, special
    from gradcli.script.python.values.natives import MEMBERS
    from gradcli.script.torch.nn.base.base import Module

    modules = words.modules()
    attributes = sorted(
        {
            *words.methods(),
            *special.DEFINABLE,
            *special.READABLE,
            "n",
            "s",
            "method",
            "grad",
            "shape",
            "args",
            "__dict__",
        }
    )
    submodules = [name.removeprefix("torch.") for name in modules if name.startswith("torch.") and modules[name]]
    texts = [name for kind in MEMBERS.values() for name in kind] if isinstance(MEMBERS, dict) else []
    return {
        "name": one_of(list(NAMES)),
        "tensor_name": one_of(list(TENSORS)),
        "new_tensor": made_tensor,
        "call": call,
        "rare": lambda random: random.choice(["b'ab'", "1j", "await n"]) if random.random() < 0.03 else "n",
        "small": lambda random: str(random.randint(-2, 4)),
        "hostile": lambda random: random.choice(
            [number(random, 1.0), "10**18", "2**70", "float('nan')", "-2**31", "-2**63"]
        ),
        "hostile_text": lambda random: repr(
            random.choice([*TEXTS, "\ud800", "{0.__class__}", "%(x)s", "a" * 2000, "{:>{}}"])
        ),
        "flag": one_of(["True", "False"]),
        "binary": one_of(OPERATORS),
        "comparison": lambda random: random.choice(COMPARISONS).replace("_", " "),
        "unary": one_of(["-", "+", "~", "not "]),
        "dtype": one_of(DTYPES),
        "attribute": one_of(attributes),
        "method": one_of(words.methods()),
        "torch_word": one_of(modules["torch"]),
        "functional_word": one_of(modules["torch.nn.functional"]),
        "numpy_word": one_of(modules["numpy"]),
        "operator_word": one_of(modules["operator"]),
        "itertool": one_of(modules["itertools"]),
        "math": one_of(modules["math"]),
        "transform": one_of(modules["torch.func"]),
        "functional": one_of(modules["torch.autograd.functional"]),
        "submodule_member": lambda random: member(random, [f"torch.{name}" for name in submodules]).removeprefix(
            "torch."
        ),
        "module_member": lambda random: member(random, [name for name in modules if modules[name]]),
        "module": one_of(list(modules)),
        "member": one_of([name for names in modules.values() for name in names]),
        "layer": one_of([name for name in modules["torch.nn"] if name[0].isupper()]),
        "optimizer": one_of([name for name in modules["torch.optim"] if name[0].isupper()]),
        "scheduler": one_of(modules["torch.optim.lr_scheduler"]),
        "module_word": one_of(sorted(name for name in dir(Module) if not name.startswith("_"))),
        "special": one_of(sorted(special.DEFINABLE)),
        "builtin": one_of(words.builtins()),
        "builtin_base": one_of([kind.__name__ for kind in special.BUILTIN]),
        "error": one_of(builtins.EXCEPTIONS.split()),
        "text_method": one_of(texts or sorted(name for name in dir(str) if name[0] != "_")),
        "keyword": lambda random: f"{random.choice(keywords())}={random.choice([*VALUES, number(random)])}",
    }


@cache
def keywords() -> tuple[str, ...]:
    """The names of arguments of operations, layers and optimizers."""
    import inspect

    from gradcli.script.torch.nn.module import LAYERS
    from gradcli.script.torch.optim.module import OPTIMIZERS, SCHEDULERS

    found = {name for operation in words.operations().values() for name in operation.parameters}
    for kind in [*LAYERS.values(), *OPTIMIZERS.values(), *SCHEDULERS.values()]:
        found.update(inspect.signature(kind.__init__).parameters)
    return tuple(sorted(found - {"self"}))
