"""Torch's samples of its operators with other numbers in their tensors, and what is asked of their gradients.

tied, zeros, negative     few different numbers, with many ties; zeros; zeros with a sign
broken, huge, tiny        nan and infinities among the entries; numbers whose squares have no place in their dtype
single, half_wide         all in single precision; all tensors but the first in single precision
narrow, unsigned          whole numbers of 32 bits, of 8 bits without a sign
numbers                   the second tensor is a number
same                      one tensor in place of all that have its shape and dtype
shown, placed             the gradients as they are printed; where they lie in memory
hooked, kept              hooks of tensors and nodes, and what is retained; two backward passes into the same leaves
functions                 the nodes and the numbers of the outputs that lead from the result to the leaves
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db

from tests.sweep.samples import COMPOSED, Sample, UnwritableError, Writer, forms, sampled, spread

BROKEN = (float("nan"), 1.0, float("inf"), -2.0, -float("inf"), 0.0, 0.5)


def broken(x: torch.Tensor) -> torch.Tensor:
    """Numbers among which some are not finite, in an order that no dimension repeats."""
    return torch.tensor([BROKEN[place % 7] for place in range(x.numel())], dtype=x.dtype).reshape(x.shape)


# What becomes of the entries of tensors of floats.
CHANGES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "tied": lambda x: torch.round(x / 3),
    "zeros": torch.zeros_like,
    "negative": lambda x: -torch.zeros_like(x),
    "broken": broken,
    "huge": lambda x: x * 1e60,
    "tiny": lambda x: x * 1e-60,
}
DTYPES = {"single": torch.float32, "narrow": torch.int32, "unsigned": torch.uint8}
# What is asked of a result, after the call.
RESULTS = "results = [o for o in (out if isinstance(out, tuple | list) else (out,)) if isinstance(o, torch.Tensor)]"
SUM = "sum((o.sum() for o in results if o.requires_grad), torch.zeros(()))"
GRADIENTS = f"grads = torch.autograd.grad({SUM}, ({{leaves}},), create_graph=True, allow_unused=True)"
FACTS = "(g.is_contiguous(), g.is_leaf)"
WALK = """
def walk(fn, depth):
    if fn is None or depth == 6:
        return None
    return fn.name(), [(number, walk(one, depth + 1)) for one, number in fn.next_functions]
"""
ASKED = {
    "shown": (GRADIENTS, "y = [str(g) for g in grads]"),
    "placed": (GRADIENTS, f"y = [{FACTS} for g in grads if g is not None]"),
    "hooked": (
        "seen = []",
        "for x in ({leaves},):",
        "    x.register_hook(lambda g: seen.append(('leaf', tuple(g.shape), str(g.dtype), g.requires_grad)))",
        "for o in results:",
        "    if o.requires_grad:",
        "        o.retain_grad()",
        "        o.register_hook(lambda g: seen.append(('result', tuple(g.shape), str(g.dtype))) or g * 2)",
        "        if o.grad_fn is not None:",
        "            o.grad_fn.register_prehook(lambda g: seen.append(('before', [x is None for x in g])))",
        "            o.grad_fn.register_hook(lambda i, o: seen.append(('after', [x is None for x in i], len(o))))",
        f"{SUM}.backward()",
        "y = (seen, [o.grad for o in results if o.requires_grad], [x.grad for x in ({leaves},)])",
    ),
    "kept": (
        f"total = {SUM}",
        "total.backward(retain_graph=True)",
        "firsts = [x.grad for x in ({leaves},)]",
        "total.backward()",
        "y = ([x.grad for x in ({leaves},)], [a is x.grad for a, x in zip(firsts, ({leaves},))])",
    ),
    "functions": (WALK, "y = [(str(walk(o.grad_fn, 0)), o.output_nr, o.is_leaf) for o in results]"),
}
KINDS = (*CHANGES, *DTYPES, "half_wide", "numbers", "same", *ASKED)


class Changed(Writer):
    """The text of a call with other numbers."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.count = 0
        self.known: dict[Any, str] = {}

    def tensor(self, value: torch.Tensor) -> str:
        self.count += 1
        if value.layout is not torch.strided:
            raise UnwritableError("layout")
        floating = value.dtype.is_floating_point
        if self.kind in CHANGES and floating:
            value = CHANGES[self.kind](value.detach()).requires_grad_(value.requires_grad)
        if self.kind == "half_wide" and floating and self.count > 1:
            value = value.detach().float().requires_grad_(value.requires_grad)
        if self.kind == "numbers" and self.count == 2 and value.numel():
            return repr(value.flatten()[0].item())
        if self.kind != "same":
            return super().tensor(value)
        facts = (value.shape, value.dtype)
        return self.known.get(facts) or self.known.setdefault(facts, super().tensor(value))


def text_of(kind: str, form: str, sample: Any) -> tuple[str, tuple[str, ...]]:
    writer = Changed(kind)
    call = writer.call(form, sample)
    if kind in ("half_wide", "numbers") and writer.count < 2:
        raise UnwritableError("operands")
    if kind == "same" and len(writer.known) == writer.count:
        raise UnwritableError("operands")
    lines = ["import torch", "torch.default_generator.manual_seed(0)", *writer.lines, f"out = {call}"]
    if kind in ASKED:
        if not writer.leaves:
            raise UnwritableError("leaves")
        leaves = ", ".join(writer.leaves)
        lines += [RESULTS, *(line.replace("{leaves}", leaves) for line in ASKED[kind])]
        return "\n".join([*lines, ""]), ()
    return "\n".join([*lines, ""]), tuple(writer.leaves)


def numbers(only: str = "", most: int = 3, wanted: Iterable[str] = KINDS) -> Iterator[Sample]:
    """So many samples of each operator in each of the kinds that are wanted."""
    seen = set()
    for op in op_db:
        if not re.search(only, op.full_name) or op.variant_test_name in COMPOSED:
            continue
        form = dict(reversed(list(forms(op)))).get("function")
        for kind in wanted:
            dtype = DTYPES.get(kind, torch.float64)
            required = op.supports_autograd and dtype.is_floating_point
            if form is None or (kind in ASKED and not required):
                continue
            for sample in spread(sampled(op, dtype, requires_grad=required), most):
                try:
                    text, leaves = text_of(kind, form, sample)
                except UnwritableError:
                    continue
                if text not in seen:
                    seen.add(text)
                    yield Sample(op.full_name, kind, text, leaves)
