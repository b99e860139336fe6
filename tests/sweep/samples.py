"""Snippets made from torch's samples: each calls an operator once, as a function, as a method or in place."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db

ENTRIES = 600  # of the arguments of one sample
FEW = 4  # samples of a form of which the function has been seen already
MOST = 10  # samples of an operator
OPERATORS = {"add": "+", "div": "/", "matmul": "@", "mod": "%", "mul": "*", "pow": "**", "sub": "-", "and": "&"}
OPERATORS |= {"or": "|", "xor": "^"}
COMPOSED = ("singular",)  # variants that are more than one call of the operator
CALLS = ("function", "method", "alias", "in_place", "refused", "int64", "bool", "float32")
# The call upon a part of a tensor, with strides, into a tensor, with a first tensor of another dtype; before a change
# of its input, or of its result; with two passes back through one graph.
SETTINGS = ("view", "strided", "out", "mixed", "input_changed", "result_changed", "again")
KINDS = (*CALLS, *SETTINGS)


class UnwritableError(Exception):
    """An argument that no text stands for."""


class Sample(NamedTuple):
    """One call: `kind` is its form, `leaves` are the names of the variables that require grad."""

    name: str
    kind: str
    text: str
    leaves: tuple[str, ...]


class Writer:
    """The text of a call, after the lines that make its tensors."""

    def __init__(self, kind: str = "") -> None:
        self.lines: list[str] = []
        self.leaves: list[str] = []
        self.entries = 0
        self.strided = kind == "strided"  # whether there is room between the entries of tensors
        self.mixed = kind == "mixed"

    def written(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, torch.Size):
            return f"torch.Size({list(value)})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.written, value))}]"
        if isinstance(value, tuple):
            return f"({', '.join(map(self.written, value))}{',' * (len(value) == 1)})"
        if isinstance(value, slice):
            return f"slice({value.start}, {value.stop}, {value.step})"
        if isinstance(value, float):
            return repr(value) if np.isfinite(value) else f'float("{value}")'
        if isinstance(value, torch.dtype | torch.layout | torch.memory_format):
            return str(value)
        if isinstance(value, torch.device):
            return f'torch.device("{value}")'
        if value is None or value is Ellipsis or isinstance(value, bool | int | str | complex):
            return repr(value)
        raise UnwritableError(type(value).__name__)

    def tensor(self, value: torch.Tensor) -> str:
        if value.layout is not torch.strided or value.is_meta or value.is_conj() or value.is_neg():
            raise UnwritableError("layout")
        self.entries += value.numel()
        if self.entries > ENTRIES:
            raise UnwritableError("size")
        name = f"x{len(self.lines)}"
        dtype = torch.float32 if self.mixed and not self.lines else value.dtype
        options = f"dtype={dtype}"
        if value.requires_grad:
            self.leaves.append(name)
            options += ", requires_grad=True"
        if value.numel() == 0:
            self.lines.append(f"{name} = torch.zeros({tuple(value.shape)}, {options})")
        else:
            data = re.sub(r"\b(nan|inf)\b", r'float("\1")', repr(value.detach().tolist()))
            self.lines.append(f"{name} = torch.tensor({data}, {options})")
            if self.strided and value.ndim:
                turned = ".mT" if value.ndim > 1 else ""
                doubled = f"{name}.detach(){turned}.repeat_interleave(2, -1)[..., ::2]{turned}"
                self.lines.append(f"{name} = {doubled}.requires_grad_({value.requires_grad})")
        return name

    def call(self, form: str, sample: Any) -> str:
        """The call in one of the forms of `forms`."""
        parts = [self.written(value) for value in (sample.input, *sample.args)]
        parts += [f"{name}={self.written(value)}" for name, value in sample.kwargs.items()]
        if form == "[]":
            return f"{parts[0]}[{parts[1]}]"
        if form in OPERATORS.values():
            return f"{parts[1]} {form} {parts[0]}"
        if form.startswith("."):
            return f"{parts[0]}{form}({', '.join(parts[1:])})"
        return f"{form}({', '.join(parts)})"


def text_of(kind: str, form: str, sample: Any) -> tuple[str, tuple[str, ...]]:
    """The snippet of a sample in one of the forms of `forms` and its leaves; see `SETTINGS` for kinds."""
    writer = Writer(kind)
    call = writer.call(form, sample)
    lines = ["import torch", "torch.default_generator.manual_seed(0)", *writer.lines]
    if kind in ("in_place", "view", "input_changed"):
        call = re.sub(r"\bx0\b", "v" if kind == "view" else "y", call, count=1)
        lines += ["y = x0.unsqueeze(0).clone()", "v = y[0]"] if kind == "view" else ["y = x0.clone()"]
    if kind == "out":
        call = f"{call[:-1]}, out={empty_results(form, sample)})"
    lines.append(f"out = {call}")
    if kind == "input_changed":
        lines.append("y.mul_(1)")
    if kind == "result_changed":  # of several, one that the sample's own numbers choose
        lines.append("(out[len(str(out[0])) % len(out)] if isinstance(out, tuple) else out).mul_(1)")
    return "\n".join([*lines, ""]), tuple(writer.leaves)


def empty_results(form: str, sample: Any) -> str:
    """The text of empty tensors for what a call gives."""
    try:
        results = found(form.removeprefix("torch."))(sample.input, *sample.args, **sample.kwargs)
    except (TypeError, RuntimeError):  # an operator such as `2 ** x`, whose operands come in another order
        results = None
    several = isinstance(results, tuple | list)
    if not all(isinstance(x, torch.Tensor) for x in (results if several else [results])):
        raise UnwritableError("no tensor")
    listed = ", ".join(f"torch.zeros(0, dtype={x.dtype})" for x in (results if several else [results]))
    return f"({listed})" if several else listed


def found(path: str) -> Any:
    """The attribute of torch behind a dotted name, or None."""
    place: Any = torch
    for name in path.split("."):
        place = getattr(place, name, None)
    return place


def forms(op: Any) -> Iterator[tuple[str, str]]:
    """The ways to write a call of an operator: kind and form, the most direct one first."""
    reflected = re.fullmatch(r"__r(\w+)__", op.name)
    if op.name == "__getitem__":
        yield "function", "[]"
    elif reflected:
        yield "function", OPERATORS[reflected[1]]
    elif callable(found(op.name)):
        yield "function", f"torch.{op.name}"
        if callable(getattr(torch.Tensor, op.name, None)):
            yield "method", f".{op.name}"
    elif callable(getattr(torch.Tensor, op.name, None)):
        yield "function", f".{op.name}"
    for alias in op.aliases:
        if callable(found(alias.name)):
            yield "alias", f"torch.{alias.name}"
    if op.inplace_variant is not None and callable(getattr(torch.Tensor, f"{op.name}_", None)):
        yield "in_place", f".{op.name}_"
        yield "view", f".{op.name}_"


def samples(only: str = "", kinds: Iterable[str] = KINDS, most: int = MOST) -> Iterator[Sample]:
    """So many samples of each operator whose name has the expression `only`, and of each form."""
    seen = set()
    for op in op_db:
        if not re.search(only, op.full_name) or op.variant_test_name in COMPOSED:
            continue
        for sample in of_operator(op, frozenset(kinds), most):
            known = (sample.text, sample.kind == "again")  # whose second pass is no part of the text
            if known not in seen:
                seen.add(known)
                yield sample


def of_operator(op: Any, kinds: frozenset[str], most: int) -> Iterator[Sample]:
    name = op.full_name
    for kind, form in forms(op):
        if kind in kinds:
            given = spread(sampled(op, torch.float64, requires_grad=op.supports_autograd), most)
            yield from written(name, kind, form, given[:FEW] if kind in ("method", "alias", "view") else given)
        if kind != "function":
            continue
        for setting in SETTINGS[1:]:
            if setting in kinds and (op.supports_out if setting == "out" else op.supports_autograd):
                given = spread(sampled(op, torch.float64, requires_grad=setting != "out"), FEW)
                yield from written(name, setting, form, given)
        for dtype in (torch.int64, torch.bool, torch.float32):
            word = str(dtype).removeprefix("torch.")
            if word in kinds:
                yield from written(name, word, form, islice(sampled(op, dtype), FEW))
        if "refused" in kinds and op.error_inputs_func is not None:
            with seeded():
                given = [one.sample_input for one in op.error_inputs("cpu")]
            yield from written(name, "refused", form, given)


def spread(given: Iterable[Any], most: int) -> list[Any]:
    """At most so many of the samples, from the first to the last at equal steps."""
    all_of_them = list(given)
    return all_of_them[:: -(-len(all_of_them) // most) or 1]


def sampled(op: Any, dtype: torch.dtype, *, requires_grad: bool = False) -> Iterator[Any]:
    if op.supports_dtype(dtype, "cpu"):
        with seeded():
            yield from list(op.sample_inputs("cpu", dtype, requires_grad=requires_grad))


class seeded:  # noqa: N801
    """A block in which everything that draws numbers begins anew."""

    def __enter__(self) -> None:
        for seed in (torch.default_generator.manual_seed, random.seed, np.random.seed):
            seeding: Callable[[int], Any] = seed
            seeding(0)

    def __exit__(self, *_: object) -> None:
        pass


def written(name: str, kind: str, form: str, given: Iterable[Any]) -> Iterator[Sample]:
    for sample in given:
        try:
            text, leaves = text_of(kind, form, sample)
        except UnwritableError:
            continue
        yield Sample(name, kind, text, leaves)
