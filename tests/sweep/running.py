"""Running a sample here and in torch, with its gradients and theirs, and the first fact that is not the same."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.script.errors import LimitError, UnsupportedError, python_class
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source
from tests.graphs import flattened
from tests.sweep.samples import Sample

torch.set_num_threads(1)
SINGLE = ("mixed", "single")  # the kinds of calls whose gradients have rounding errors of single precision
TOLERANCE = {"float64": 1e-7, "float32": 2e-5}


NAMED = "(not|are only) supported here|^the derivative of .* is not supported|complex values are not supported"
REFUSED = re.compile(NAMED)


class Verdict(NamedTuple):
    """`word` is agrees, refused, differs or crashed (torch); `why` names the fact, `detail` both sides of it."""

    sample: Sample
    text: str  # the snippet, with the gradients that torch has
    word: str
    why: str = ""
    detail: str = ""


def verdict(sample: Sample) -> Verdict:
    """Compare a sample here with torch."""
    text, theirs = completed(sample)
    ours, error = ran_here(text)
    if isinstance(error, UnsupportedError) or (isinstance(error, GradcliError) and REFUSED.search(error.message)):
        return Verdict(sample, text, "refused", "", error.message)
    theirs_error, error = theirs.pop("error", None), error
    difference = compared_errors(error, theirs_error) if error or theirs_error else ()
    if not difference:
        difference = next(differences(ours, theirs, sample), ())
    return Verdict(sample, text, "differs", *difference) if difference else Verdict(sample, text, "agrees")


def completed(sample: Sample) -> tuple[str, dict[str, Any]]:
    """The snippet with as many derivatives as torch has, and its variables in torch."""
    text = sample.text
    variables: dict[str, Any] = {"__name__": "__main__"}
    run_in_torch(text, variables)
    if "error" in variables or not sample.leaves:
        return text, variables
    leaves = f"({', '.join(sample.leaves)},)"
    wanted = [(f"out{place}", x) for place, x in flat(variables["out"]) if getattr(x, "requires_grad", False)]
    again = sample.kind == "again"
    for name, create in (("grads", "" if again else ", create_graph=True"), ("twice", "")):
        if not wanted:
            break
        terms = " + ".join(weighted(place, x) for place, x in wanted)
        more = f"{name} = torch.autograd.grad({terms}, {leaves}{create}, allow_unused=True)\n"
        run_in_torch(more, variables)
        text += more
        if "error" in variables:
            break
        if not again:
            wanted = [(f"{name}{place}", x) for place, x in flat(variables[name]) if x.requires_grad]
    return text, variables


def weighted(place: str, x: torch.Tensor) -> str:
    if x.ndim == 0 or x.numel() == 0:
        return f"{place}.sum()"
    count = x.numel()
    return f"({place} * torch.arange(1, {count + 1}, dtype=torch.float64).reshape({tuple(x.shape)})).sum()"


def run_in_torch(text: str, variables: dict[str, Any]) -> None:
    """Run lines; the exception that they raise becomes the variable `error`."""
    default = torch.get_default_dtype()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(text, "snippet.py", "exec"), variables)
        except Exception as error:
            variables["error"] = error
        finally:
            torch.set_default_dtype(default)
            torch.set_grad_enabled(True)


def ran_here(text: str) -> tuple[dict[str, Any], Exception | None]:
    machine = Machine(Limits(), lambda text: None)
    try:
        run([Source(text, "snippet.py")], machine)
    except Exception as error:
        return machine.globals, error
    return machine.globals, None


def compared_errors(ours: Exception | None, theirs: Exception | None) -> tuple[str, ...]:
    if theirs is None:
        assert ours is not None
        if isinstance(ours, LimitError):
            return "limit", ours.message
        return f"only we raise {python_class(ours).__name__}", message_of(ours)
    if ours is None:
        return f"only torch raises {type(theirs).__name__}", message_of(theirs)
    if python_class(ours).__name__ != type(theirs).__name__:
        return "another error", f"{described(ours)}\n{described(theirs)}"
    if message_of(ours) != message_of(theirs):
        return "another message", f"{message_of(ours)}\n{message_of(theirs)}"
    return ()


def message_of(error: Exception) -> str:
    text = error.message if isinstance(error, GradcliError) else str(error)
    return text.partition("\nException raised from")[0].strip()


def described(error: Exception) -> str:
    return f"{python_class(error).__name__}: {message_of(error)}"


def flat(value: Any, place: str = "") -> list[tuple[str, Any]]:
    """The tensors and numbers in a result, each with the index that leads to it."""
    if isinstance(value, tuple | list):
        return [found for number, part in enumerate(value) for found in flat(part, f"{place}[{number}]")]
    return [] if value is None else [(place, value)]


def differences(ours: dict[str, Any], theirs: dict[str, Any], sample: Sample) -> Iterator[tuple[str, str]]:
    for name in ("out", "y", "grads", "twice", *sample.leaves):
        if name in theirs:
            yield from of_variable(name, ours.get(name), theirs[name], ours, theirs, sample)


def of_variable(name: str, ours: Any, theirs: Any, here: Any, there: Any, sample: Sample) -> Iterator[tuple[str, str]]:
    mine, others = flat(ours), flat(theirs)
    if [place for place, _ in mine] != [place for place, _ in others]:
        yield f"{name} structure", f"{ours!r:.200}\n{theirs!r:.200}"
        return
    for (place, found), (_, expected) in zip(mine, others, strict=True):
        if not isinstance(expected, torch.Tensor):
            if not same(np.asarray(found), np.asarray(expected)):
                yield f"{name} value", f"{found}\n{expected}"
            continue
        for fact, one, other in facts(name, found, expected, here, there, sample):
            yield f"{name} {fact}", f"{name}{place}\n{one}\n{other}"


def facts(name: str, ours: Any, theirs: torch.Tensor, here: Any, there: Any, sample: Sample) -> Iterator[Any]:
    """The facts of two tensors that are not the same."""
    if not isinstance(ours, Tensor):
        yield "kind", type(ours), type(theirs)
        return
    expected = theirs.numpy(force=True)
    found = np.asarray(ours.value)
    if found.shape != expected.shape:
        yield "shape", found.shape, expected.shape
    elif found.dtype != expected.dtype:
        yield "dtype", found.dtype, expected.dtype
    elif "empty" not in sample.name and not same(found, expected, noise(name, there, sample), sample.kind in SINGLE):
        yield "value", found, expected
    if any(step < 0 for step in found.strides):
        yield "stride", found.strides, expected.strides
    if ours.requires_grad != theirs.requires_grad:
        yield "requires_grad", ours.requires_grad, theirs.requires_grad
    elif name in ("out", "y", "grads") and name_of(ours) != name_of(theirs):
        yield "grad_fn", name_of(ours), name_of(theirs)
    elif name == "out" and sample.leaves and theirs.requires_grad and not sample.kind.endswith("_changed"):
        one = flattened(ours.grad_fn, {leaf: here[leaf] for leaf in sample.leaves})
        other = flattened(theirs.grad_fn, {leaf: there[leaf] for leaf in sample.leaves})
        if one != other:
            yield "graph", one, other
    if sample.kind == "in_place" and name in ("out", "y") and ours._version != theirs._version:
        yield "version", ours._version, theirs._version


def name_of(x: Any) -> str:
    """The name of the node of a tensor, or the refusal to make it again after a change."""
    try:
        return "" if x.grad_fn is None else x.grad_fn.name()
    except RuntimeError as error:
        return message_of(error)


def largest(gradients: Any) -> float:
    """The size of numbers of which a second derivative is a difference, where it is rounding alone."""
    return max((float(x.detach().abs().nan_to_num(0, 0, 0).max()) for _, x in flat(gradients) if x.numel()), default=0)


def noise(name: str, there: Any, sample: Sample) -> float:
    """The size of numbers of which a gradient is a difference, where it is rounding alone.

    A gradient in single precision is a difference of weighted upstream gradients; torch's own tests compare second
    derivatives with an absolute tolerance of 1e-5, of which a hundredth is left here.
    """
    derivative = name in ("grads", "twice")
    weights = [x.numel() for _, x in flat(there.get("out"))] if derivative and sample.kind in SINGLE else []
    gradients = [largest(there.get("grads")), 1.0] if name == "twice" else []
    return max((*weights, *gradients), default=0)


def same(found: np.ndarray, expected: np.ndarray, size: float = 0, mixed: bool = False) -> bool:
    if found.dtype.kind not in "fc":
        return bool(np.array_equal(found, expected))
    tolerance = TOLERANCE.get("float32" if mixed else str(expected.dtype), 1e-7)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = max(float(finite.max(initial=1e-3)), size)
    with np.errstate(all="ignore"):
        return bool(np.allclose(found, expected, rtol=tolerance, atol=tolerance * scale, equal_nan=True))
