"""Calls of every operation that torch's samples leave out: small, empty and strided tensors, numbers beside tensors.

The operations are those of the registry; their signatures say which arguments there are, and each argument takes the
values of its kind in turn: negative dimensions, tuples of them, numbers of another kind than the tensor's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from inspect import Parameter
from itertools import count
from typing import Any

import gradcli.ops
from gradcli.ops.support.surface import OPERATIONS, Operation
from tests.sweep.samples import Sample, found

MODULES = ("", "nn.functional.", "linalg.", "special.")
SKIPPED = re.compile(
    r"empty|rand|bernoulli|multinomial|normal|dropout|rrelu|poisson|new_|_like$|gumbel|memory|backward"
)
FLOAT64 = "dtype=torch.float64"
# What the first tensor is made of, and what of it is handed over.
TENSORS = (
    ("torch.tensor(0.75, {})", "x0"),
    ("torch.tensor([[0.3, 0.9, 0.1], [0.4, -0.2, 0.6]], {})", "x0"),
    ("torch.zeros(0, {})", "x0"),
    ("torch.tensor([0.5, 0.25, 0.5, -1.0], {})", "x0"),
    ("torch.tensor([[0.3, 0.9, 0.1], [0.4, -0.2, 0.6]], {})", "x0.t()"),
    ("torch.zeros((2, 0), {})", "x0"),
    ("torch.tensor([[0.5]], {})", "x0"),
    ("torch.tensor([0.5, 0.25], {})", "x0.expand(3, 2)"),
    ("torch.tensor([0.5, 0.25, 0.75, 1.5], {})", "x0[::2]"),
    ("torch.tensor([[2.0, 0.5], [0.5, 1.0]], {})", "x0"),
    ("torch.tensor([[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.25, 3.0]]], {})", "x0"),
    ("torch.tensor([[[2.0, 0.5, 1.5, 2.0], [0.5, 1.0, 0.0, 1.0]]], {})", "x0.transpose(1, 2)"),
    ("torch.tensor([[[[2.0, 0.5, 1.5, 2.0], [0.5, 1.0, 0.0, 1.0]]]], {})", "x0"),
    ('torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0, -0.0, 1.0], {})', "x0"),
    ("torch.tensor([0.5, 0.25, -2.0], dtype=torch.float32{})", "x0"),
    ("torch.tensor([3, -2, 0, 3])", "x0"),
    ("torch.tensor([[True, False], [True, True]])", "x0"),
    ("torch.tensor([3, 200, 7], dtype=torch.uint8)", "x0"),
)
LIKE = "torch.full_like({}, 0.5)"
NUMBERS = ("2", "0.5", "torch.tensor(2)", "torch.tensor(0.5, dtype=torch.float32)", "True", "-1", "0")
VALUES: dict[str, Sequence[str]] = {
    "Tensor": ("x1", "x1[:1]", "torch.tensor(0.5)", "torch.tensor([2])", "{x}"),
    "Operand": ("x1", *NUMBERS, "{x}"),
    "Dims": ("0", "-1", "(0,)", "(-1, 0)", "()", "1", "(0, 0)", "None"),
    "int": ("0", "-1", "1", "2", "-2", "3"),
    "float": ("0.5", "2", "0", "-1.5", "True"),
    "bool": ("True", "False"),
    "Shape": ("(2,)", "2", "(1, 1)", "(-1,)", "()", "[0]"),
    "Indices": ("torch.tensor([0])", "torch.zeros_like({x}, dtype=torch.int64)", "torch.tensor(0)"),
    "Places": ("torch.tensor([0])", "0"),
    "Pair": ("2", "1", "(1,)", "(1, 2)", "0"),
    "Padding": ("1", "'same'", "0"),
    "Sequence": ("[{x}, {x}]", "({x}, x1)", "[{x}]"),
    "Dtype": ("torch.float32", "torch.int64", "torch.float64", "None"),
    "str": ("'mean'", "'sum'", "'none'"),
}  # fmt: skip
SAME = {"Real": "Tensor", "Array": "Tensor", "Sequence[Tensor]": "Sequence", "Tensors": "Sequence"}
SAME |= {"int | Tensor": "int", "Dims | bool": "Dims"}


def edges(only: str = "", most: int = 4) -> Iterator[Sample]:
    """So many calls of each operation, form and first tensor."""
    gradcli.ops.load()
    seen: set[str] = set()
    for name, operation in sorted(OPERATIONS.items()):
        if operation.name == name and re.search(only, name) and not SKIPPED.search(name):
            turn = count(sum(map(ord, name)))
            for form in forms(operation):
                for made, given in TENSORS:
                    for _ in range(most):
                        for sample in written(operation, form, made, given, next(turn)):
                            if sample.text not in seen:
                                seen.add(sample.text)
                                yield sample


def forms(operation: Operation) -> Iterator[str]:
    name = operation.name
    for module in (f"{operation.only}.",) if operation.only else MODULES:
        if callable(found(module + name)):
            yield f"torch.{module}{name}("
            break
    if operation.method and callable(found(f"Tensor.{name}")):
        yield f"{{x}}.{name}("
    if callable(found(f"Tensor.{name}_")):
        yield f"{{y}}.{name}_("


def written(operation: Operation, form: str, made: str, given: str, turn: int) -> Iterator[Sample]:
    first, *others = operation.parameters.values()
    parts, place = [], turn
    for p in others:
        value = chosen(p, place)
        optional = p.default is not Parameter.empty
        place = place // 3 + len(p.name)
        if value is None or (optional and place % 3):
            if not optional and p.kind is not p.VAR_POSITIONAL:
                return
            continue
        named = p.kind is p.KEYWORD_ONLY or (optional and p.kind is not p.VAR_POSITIONAL)
        parts.append(f"{p.name}={value}" if named else value)
    method = form.startswith("{")
    start = form if method else form + (VALUES["Sequence"][turn % 3] if is_sequence(first) else "{x}") + ", "
    if method and is_sequence(first):
        return
    call = (start + ", ".join(parts)).removesuffix(", ") + ")"
    floating = "{}" in made
    more = FLOAT64 + ", requires_grad=True" if "({}" in made or ", {}" in made else ", requires_grad=True"
    lines = ["import torch", f"x0 = {made.format(more) if floating else made}"]
    if "x1" in call:
        leaf = ".requires_grad_()" if floating else ""
        lines.append(f"x1 = {LIKE.format(given.replace('x0', 'x0.detach()'))}.clone(){leaf}")
    if "{y}" in call:
        lines.append(f"y = {given}.clone()")
    lines.append("out = " + call.replace("{x}", given).replace("{y}", "y"))
    leaves = tuple(name for name in ("x0", "x1") if floating and f"{name} =" in "\n".join(lines))
    kind = "in_place" if "{y}" in form else "edge"
    yield Sample(operation.name, kind, "\n".join([*lines, ""]), leaves)


def is_sequence(parameter: Parameter) -> bool:
    return kind_of(parameter) == "Sequence"


def kind_of(parameter: Parameter) -> str:
    kind = str(parameter.annotation).removesuffix(" | None")
    return SAME.get(kind, kind)


def chosen(parameter: Parameter, turn: int) -> str | None:
    """The value of the parameter at this turn, None where there are none of its kind."""
    values: Any = VALUES.get(kind_of(parameter))
    return values[turn % len(values)] if values else None
