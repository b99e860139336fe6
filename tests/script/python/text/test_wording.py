"""Messages of errors name the classes of a snippet's values, never a class of ours."""

from __future__ import annotations

import pytest

from tests.script.running import ours

VALUES = (
    "int", "type(1)", "list[int]", "int | str", "Exception", "torch.nn", "math", "torch.float32", "A", "A()",
    "torch.Size([1])", "torch.device('cpu')", "torch.Tensor", "torch.Generator()", "torch.finfo()",
    "iter(A())", "collections.deque", "torch.autograd.Function",
)  # fmt: skip
REFUSALS = (
    "v in u",
    "s.add_param_group(v)",
)
SNIPPET = """\
import collections
import math
import torch
class A:
    def __iter__(self): return zip()
u = torch.ones(2, requires_grad=True) * 2
s = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=0.1)
v = {value}
try:
    {refusal}
except (TypeError, ValueError, RuntimeError) as e:
    print(type(v), e)
"""


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("value", VALUES)
def test_a_message_names_the_class_that_a_snippet_knows(value: str, refusal: str) -> None:
    printed = ours(SNIPPET.format(value=value, refusal=refusal))
    kind = printed[: printed.index(">") + 1]
    assert kind in printed[len(kind) :]
    assert "gradcli" not in printed


@pytest.mark.parametrize("value", ["print", "u.grad_fn", "iter(torch.utils.data.DataLoader([1]))"])
def test_a_message_names_no_class_of_ours(value: str) -> None:
    assert "gradcli" not in ours(SNIPPET.format(value=value, refusal=REFUSALS[0]))
