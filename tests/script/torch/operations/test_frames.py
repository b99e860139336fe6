"""A call of a torch function goes through few functions of gradcli, so that what happens on the way can be read."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.modes import renewed
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine, running
from gradcli.script.originals import torch_names
from gradcli.script.torch.operations import facade

MOST = 15
ROOT = str(Path(gradcli.__file__).parent)
# Lowered to several primitives, or to one of several cases, or whose windows, batches or dimensions are checked each.
SEVERAL = """
adaptive_avg_pool1d adaptive_avg_pool2d add addcmul addmm amax amin avg_pool1d avg_pool2d avg_pool3d baddbmm
batch_norm binary_cross_entropy binary_cross_entropy_with_logits bitwise_and bitwise_or bitwise_xor broadcast_tensors
chunk conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity diff eigh eigvalsh
einsum group_norm huber_loss kl_div kron l1_loss linear log_softmax logdet logsumexp masked_fill masked_select
max_pool1d max_pool2d max_pool3d meshgrid movedim narrow normalize outer permute poisson_nll_loss prelu qr quantile
ravel repeat_interleave reshape scaled_dot_product_attention slogdet softmax smooth_l1_loss softsign solve
solve_triangular sort split std svd tile topk unbind unflatten var vector_norm vstack where xlogy
"""
HOMES = ("torch", "torch.nn.functional", "torch.linalg", "torch.special")
PUBLIC = {name for name in OPERATIONS if any(name in torch_names()[home] for home in HOMES)}
# What is read, and what runs in one line: they are no steps on the way.
PARTS = {"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "array", "dtype", "ndim", "node", "shape", "strides"}


class Count:
    """The functions of gradcli that calls of one operation enter."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entered: list[str] = []

    def note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and code.co_name not in PARTS:
            self.entered.append(code.co_name)

    def call(self, function: Any, *arguments: Any, **keywords: Any) -> Any:
        function(*arguments, **keywords)  # which loads what it needs
        self.entered.clear()
        sys.setprofile(self.note)
        try:
            return function(*arguments, **keywords)
        finally:
            sys.setprofile(None)


def frames(name: str, program: str) -> int:
    """Return how many functions a call of the operation enters in an example; 0 where the example writes no call."""
    counted = Count(name)
    names: dict[str, Any] = {}
    used = {node.id for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Name)}
    for other in used & PUBLIC:
        function = facade.function(other, OPERATIONS[other].only)
        names[other] = partial(counted.call, function) if other == name else function
    for statement in ast.parse(program).body:
        if isinstance(statement, ast.Assign):
            (target,) = statement.targets
            assert isinstance(target, ast.Name)
            value = np.array(ast.literal_eval(statement.value))
            is_real = value.dtype.kind == "f" or name not in ("embedding", "one_hot", "nll_loss", "cross_entropy")
            names[target.id] = tensor(value.astype(np.float32) if is_real else value, requires_grad=is_real)
        else:
            assert isinstance(statement, ast.Expr)
            eval(compile(ast.Expression(statement.value), "example", "eval"), names)
    return len(counted.entered)


def examples() -> Iterator[tuple[str, str]]:
    """Yield each operation that torch has, and one example."""
    for name, operation in OPERATIONS.items():
        if name == operation.name and name in PUBLIC:
            yield name, operation.examples[0]


@pytest.mark.filterwarnings("ignore")
def test_a_call_goes_through_few_functions() -> None:
    running.machine = Machine(Limits(), lambda text: None)
    counts = {}
    with renewed(default_dtype=np.dtype(np.float32)):
        for name, program in examples():
            with suppress(TypeError, ValueError):  # of an example that is no call of torch
                counts[name] = frames(name, program)
    assert len(counts) > 200
    assert {name for name, count in counts.items() if count > MOST} - set(SEVERAL.split()) == set()
    assert sorted(counts.values())[len(counts) // 2] <= 13
