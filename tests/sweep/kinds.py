"""Further kinds of calls, made from torch's samples of its operators: other operands, other memory, other ways to call.

single                   every tensor requires grad, in single precision
first, second            only the first tensor requires grad, or only the others
expanded                 the first tensor is one row, expanded
permuted, flipped        the first tensor lies in another order in memory, or is the end of a longer one
flattened, squared       the result goes on: reshaped and read in steps, or multiplied by itself
viewed, unrecorded       the change in place of a view, or under no_grad
scalars, empties         all tensors without dimensions, or without entries; scalar, empty: the first one alone
keyword, positional      all arguments by name, or as many as can be by position
printed, laid            what is shown of the result, and where it lies in memory
filled                   what the operands are after the result was written over
narrowed                 the result goes into tensors of single precision
underived                every tensor requires grad, of an operator without a derivative
jvp, vmap, checked       the function of the first tensor: pushed forward, over a stack of two, by finite differences
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import torch
from torch.testing._internal.common_methods_invocations import op_db

from tests.sweep.samples import COMPOSED, Sample, UnwritableError, Writer, empty_results, forms, found, sampled, spread

CRASHING = re.compile("pool|lu_unpack")  # of torch itself, where there are no entries
AFTER = {"flattened": "o.reshape(-1)[::2] * 1", "squared": "o * o"}
FLOATS = "if isinstance(o, torch.Tensor) and o.dtype.is_floating_point)"
# What is asked of each part of a result.
SHOWN = {
    "printed": "str(o)",
    "laid": "(o.stride(), o.is_leaf, o._is_view(), o._version, o.storage_offset(), o.data_ptr() == x0.data_ptr())",
}
FILLED = (
    "for o in out if isinstance(out, tuple | list) else (out,):",
    "    if isinstance(o, torch.Tensor):",
    "        o.zero_()",
)
# What is made of the function of the first tensor.
TRANSFORMED = {
    "jvp": "torch.func.jvp(f, (x0,), (torch.cos(x0) + 0.5,))",
    "vmap": "torch.func.vmap(f)(torch.stack([x0, x0 * 0.5 + 0.125]))",
    "checked": "torch.autograd.gradcheck(f, (x0.clone().requires_grad_(),), raise_exception=False)",
}


class Given(NamedTuple):
    """The arguments of a call."""

    input: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Further(Writer):
    """The text of a call whose first tensor, or whose others, are of another kind."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.count = 0

    def tensor(self, value: torch.Tensor) -> str:
        first = not self.count
        self.count += 1
        if self.kind == ("second" if first else "first"):
            value = value.detach()
        dense = value.layout is torch.strided
        has_rows = first and dense and value.ndim > 0 and value.numel() > 0 and value.dtype.is_floating_point
        if self.kind == "expanded" and has_rows:
            row = value.detach().narrow(0, 0, 1).requires_grad_(value.requires_grad)
            name = super().tensor(row)
            return self.another(name, f"{name}.expand({tuple(value.shape)})")
        name = super().tensor(value)
        if self.kind == "permuted" and value.ndim > 1 and value.numel():
            return self.another(name, f"{name}.transpose(0, -1).contiguous().transpose(0, -1)")
        if self.kind == "flipped" and has_rows:
            return self.another(name, f"torch.cat([{name}, {name}])[{value.shape[0]}:]")
        return name

    def another(self, name: str, text: str) -> str:
        self.lines.append(f"p{name} = {text}")
        return f"p{name}"


def each(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    """Change the tensors in a value; the sparse ones, which no text stands for, stay."""
    if isinstance(value, torch.Tensor) and value.layout is torch.strided:
        return change(value).clone().requires_grad_(value.requires_grad)
    if isinstance(value, list | tuple) and not isinstance(value, torch.Size):
        return type(value)(each(x, change) for x in value)
    return value


def scalar(x: torch.Tensor) -> torch.Tensor:
    return x.detach().flatten()[0] if x.numel() else x.detach()


def empty(x: torch.Tensor) -> torch.Tensor:
    return x.detach().narrow(0, 0, 0) if x.ndim else x.detach()


CHANGES = {"scalars": scalar, "scalar": scalar, "empties": empty, "empty": empty}
OPERANDS = ("first", "second", "expanded", "permuted", "flipped")
KINDS = (
    "single",
    *OPERANDS,
    *AFTER,
    "viewed",
    "unrecorded",
    *CHANGES,
    "keyword",
    "positional",
    "underived",
    *SHOWN,
    "filled",
    "narrowed",
    *TRANSFORMED,
)


def text_of(kind: str, form: str, sample: Any) -> tuple[str, tuple[str, ...]]:
    given, writer = Given(sample.input, sample.args, sample.kwargs), Further(kind)
    if kind in CHANGES:
        given = given._replace(input=each(given.input, CHANGES[kind]))
    if kind in ("scalars", "empties"):
        others = {name: each(value, CHANGES[kind]) for name, value in given.kwargs.items()}
        given = given._replace(args=each(given.args, CHANGES[kind]), kwargs=others)
    call = named(kind, form, given, writer) if kind in ("keyword", "positional") else writer.call(form, given)
    lines = ["import torch", "torch.default_generator.manual_seed(0)", *writer.lines]
    if kind == "viewed":
        lines += ["y = torch.stack([x0, x0], -1) if x0.ndim else torch.stack([x0, x0])", "v = y[..., 1]"]
        call = re.sub(r"\bx0\b", "v", call, count=1)
    if kind == "unrecorded":
        call = re.sub(r"\bx0\b", "y", call, count=1)
        lines += ["y = x0.clone()", "with torch.no_grad():"]
    if kind in TRANSFORMED:
        if not isinstance(given.input, torch.Tensor) or not given.input.dtype.is_floating_point:
            raise UnwritableError("input")
        lines = [line.replace(", requires_grad=True", "") for line in lines]
        lines += [f"f = lambda x0: {call}", f"out = {TRANSFORMED[kind]}"]
        return "\n".join([*lines, ""]), ()
    lines.append(f"{'    ' * (kind == 'unrecorded')}out = {call}")
    if kind == "narrowed":
        outputs = empty_results(form, sample).replace("float64", "float32")
        lines[-1] = f"{lines[-1][:-1]}, out={outputs})"
        return "\n".join(lines).replace(", requires_grad=True", "") + "\n", ()
    if kind in SHOWN:
        if "x0" not in call:
            raise UnwritableError("input")
        each_of = "(out if isinstance(out, tuple | list) else (out,)) if isinstance(o, torch.Tensor)"
        lines.append(f"y = tuple({SHOWN[kind]} for o in {each_of})")
    if kind == "filled":
        lines += ["with torch.no_grad():", *(f"    {line}" for line in FILLED)]
        names = re.findall(r"^(p?x\d+) =", "\n".join(writer.lines), re.MULTILINE)
        if not names:
            raise UnwritableError("no operands")
        lines.append(f"out = ({', '.join(f'{name}.detach().clone()' for name in names)},)")
        return "\n".join([*lines, ""]), ()
    if kind in AFTER:
        lines.append(f"out = tuple({AFTER[kind]} for o in (out if isinstance(out, tuple) else (out,)) {FLOATS}")
    return "\n".join([*lines, ""]), tuple(writer.leaves)


def named(kind: str, form: str, given: Given, writer: Further) -> str:
    """Write a call with all arguments by name, or with as many as there can be by position."""
    try:
        names = list(inspect.signature(found(form.removeprefix("torch."))).parameters)
    except (TypeError, ValueError):  # built into torch
        raise UnwritableError("signature") from None
    values, rest = [given.input, *given.args], dict(given.kwargs)
    if kind == "keyword":
        if not form.startswith("torch.") or len(names) < len(values):
            raise UnwritableError("names")
        pairs = [*zip(names, values, strict=False), *rest.items()]
        return f"{form}({', '.join(f'{name}={writer.written(value)}' for name, value in pairs)})"
    for name in names[len(values) :]:
        if name not in rest:
            break
        values.append(rest.pop(name))
    if len(values) == 1 + len(given.args):
        raise UnwritableError("nothing by position")
    parts = [*map(writer.written, values), *(f"{name}={writer.written(value)}" for name, value in rest.items())]
    return f"{form}({', '.join(parts)})"


def kinds(only: str = "", most: int = 3, wanted: Iterable[str] = KINDS) -> Iterator[Sample]:
    """So many samples of each operator in each of the kinds that are wanted."""
    seen = set()
    for op in op_db:
        if not re.search(only, op.full_name) or op.variant_test_name in COMPOSED:
            continue
        ways = dict(reversed(list(forms(op))))  # of each the most direct one
        for kind in wanted:
            form = ways.get("in_place" if kind in ("viewed", "unrecorded") else "function")
            if form is None or (kind in CHANGES and CRASHING.search(op.full_name)):
                continue
            if (kind == "underived" and op.supports_autograd) or (kind == "narrowed" and not op.supports_out):
                continue
            required = op.supports_autograd or kind == "underived"
            dtype = torch.float32 if kind == "single" else torch.float64
            for sample in spread(sampled(op, dtype, requires_grad=required), most):
                try:
                    text, leaves = text_of(kind, form, sample)
                except UnwritableError:
                    continue
                if text not in seen:
                    seen.add(text)
                    yield Sample(op.full_name, "in_place" if kind == "viewed" else kind, text, leaves)
