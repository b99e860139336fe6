"""Torch's samples of its operators with one more argument: each optional one takes values that the samples leave out.

The functions are those that are written in Python, whose signatures say which arguments there are.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from tests.sweep.samples import COMPOSED, Sample, UnwritableError, Writer, forms, found, sampled, spread

# The values of an optional argument, by its name, else by the type of its default.
NAMED: dict[str, tuple[Any, ...]] = {
    "reduction": ("sum", "none", "mean", "other"),
    "mode": ("nearest", "linear", "bilinear", "area", "reflect", "replicate", "circular", "sum", "max", "mean"),
    "p": (1, 0, float("inf"), 0.5, 3),
    "dim": (0, -1, (0, -1), 5),
    "padding": (1, "same", "valid", -1),
    "weight": ("like", "classes"),
    "pos_weight": ("like", "classes"),
    "dtype": (torch.float64, torch.int64),
    "ignore_index": (0, 1),
    "padding_idx": (0, -1),
    "normalized_shape": ((), (1,)),
    "approximate": ("tanh", "none"),
    "size_average": (True, False),
    "reduce": (True, False),
    "out": (),
    "generator": (),
    "sparse": (),
    "output_size": ((1,), (4, 4), 3),
}
TYPED: dict[type, tuple[Any, ...]] = {
    bool: (True, False),
    int: (2, 0, -1, 1.5),
    float: (0.5, 2, 0.0, -1.0),
    str: ("other",),
    tuple: ((), (1,)),
}
RANDOM = re.compile("dropout|rrelu|gumbel|fractional")


def varied(only: str = "", most: int = 2) -> Iterator[Sample]:
    """So many samples of each operator with each value of each optional argument."""
    seen = set()
    for op in op_db:
        if not re.search(only, op.full_name) or op.variant_test_name in COMPOSED or RANDOM.search(op.name):
            continue
        form = dict(reversed(list(forms(op)))).get("function")
        names = optional(form.removeprefix("torch.")) if form and form.startswith("torch.") else {}
        given = spread(sampled(op, torch.float64, requires_grad=op.supports_autograd), most) if names else []
        for sample in given:
            for name, default in names.items():
                for value in NAMED.get(name, TYPED.get(type(default), ())):
                    writer = Writer()
                    try:
                        text = written(writer, form, sample, name, value)
                    except UnwritableError:
                        continue
                    if text not in seen:
                        seen.add(text)
                        yield Sample(op.full_name, f"{name}=", text, tuple(writer.leaves))


def optional(path: str) -> dict[str, Any]:
    """The optional arguments of a function and their defaults; none of one that is built into torch."""
    try:
        named = inspect.signature(found(path)).parameters
    except (TypeError, ValueError):
        return {}
    return {name: one.default for name, one in named.items() if one.default is not one.empty}


def written(writer: Writer, form: str | None, sample: Any, name: str, value: Any) -> str:
    """The snippet of a sample whose argument of this name is the value instead."""
    position = list(inspect.signature(found(str(form).removeprefix("torch."))).parameters).index(name)
    if position <= len(sample.args):
        raise UnwritableError("given by position")
    parts = [writer.written(one) for one in (sample.input, *sample.args)]
    parts += [f"{key}={writer.written(one)}" for key, one in sample.kwargs.items() if key != name]
    shown = writer.written(value) if value not in ("like", "classes") else f"torch.{LIKE[value]}"
    lines = ["import torch", "torch.default_generator.manual_seed(0)", *writer.lines]
    return "\n".join([*lines, f"out = {form}({', '.join([*parts, f'{name}={shown}'])})", ""])


LIKE = {"like": "full_like(x0, 0.5)", "classes": "linspace(0.5, 2, x0.shape[-1], dtype=torch.float64)"}
