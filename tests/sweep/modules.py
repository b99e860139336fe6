"""Torch's samples of its own modules: what they give, the gradients of their parameters, what they show and keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db

from tests.sweep.samples import Sample, UnwritableError, Writer, found, seeded

FACTS = (
    "y = (repr(m), str(list(m.state_dict())), str([(name, p.shape) for name, p in m.named_parameters()]), m.training)"
)
REFUSALS = (AssertionError, RuntimeError, TypeError, ValueError)  # of constructors of torch; all else is a fault here


def modules(only: str = "", most: int = 10) -> Iterator[Sample]:
    """So many samples of each module, in training and in evaluation, and its refusals."""
    for info in module_db:
        name = info.name
        if not re.search(only, name) or found(name) is None:
            continue
        for training in (True, False):
            with seeded():
                given = list(
                    info.module_inputs_func(
                        info, device="cpu", dtype=torch.float64, requires_grad=True, training=training
                    )
                )
            kind = "training" if training else "evaluation"
            yield from written(name, kind, given[:: -(-len(given) // most) or 1], training)
        with seeded():
            single = list(
                info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=True)
            )
        yield from written(name, "single", single[:: -(-len(single) // most) or 1], True)
        if info.module_error_inputs_func is not None:
            with seeded():
                wrong = list(
                    info.module_error_inputs_func(
                        info, device="cpu", dtype=torch.float64, requires_grad=True, training=True
                    )
                )
            yield from written(name, "refused", [one.module_error_input for one in wrong], True)


def written(name: str, kind: str, given: list[Any], training: bool) -> Iterator[Sample]:
    cast = "" if kind == "single" else ".double()"  # whose numbers have the dtype that torch's defaults have
    for sample in given:
        made, called = sample.constructor_input, sample.forward_input
        try:
            writer = Writer()
            made_of = arguments(writer, made)
            called_with = arguments(writer, called) if called is not None else None
        except UnwritableError:
            continue
        lines = ["import torch", "torch.manual_seed(0)", *writer.lines]
        lines.append(f"m = torch.nn.{name.removeprefix('nn.')}({made_of}){cast}.train({training})")
        leaves = list(writer.leaves)
        if called_with is not None:
            lines += ["torch.manual_seed(1)", f"out = m({called_with})", FACTS]
            lines.append("weights = dict(m.named_parameters())")
            for place, parameter in enumerate(names(name, made)):
                lines.append(f"w{place} = weights[{parameter!r}]")
                leaves.append(f"w{place}")
        yield Sample(name, kind, "\n".join([*lines, ""]), tuple(leaves))


def arguments(writer: Writer, given: Any) -> str:
    parts = [writer.written(value) for value in given.args]
    parts += [f"{key}={writer.written(value)}" for key, value in given.kwargs.items() if key not in ("device", "dtype")]
    return ", ".join(parts)


def names(name: str, made: Any) -> list[str]:
    """The names of the parameters; none where the module refuses its arguments."""
    options = {key: value for key, value in made.kwargs.items() if key not in ("device", "dtype")}
    try:
        module = found(name)(*made.args, **options)
    except REFUSALS:
        return []
    return [key for key, _ in module.named_parameters()]
