"""What is not supported ends a snippet, whatever the snippet catches; a missing module does not."""

from __future__ import annotations

import pytest

from gradcli.script.errors import UnsupportedError
from tests.script.running import ours

CAUGHT = {
    "except": "try:\n    {}\nexcept AttributeError:\n    print('on')",
    "except everything": "try:\n    {}\nexcept:\n    print('on')",
    "several kinds": "try:\n    {}\nexcept (TypeError, RuntimeError, AttributeError):\n    print('on')",
    "suppress": "import contextlib\nwith contextlib.suppress(Exception, AttributeError):\n    {}\nprint('on')",
    "manager": (
        "class Quiet:\n    def __enter__(self): pass\n    def __exit__(self, *raised): return True\n"
        "with Quiet():\n    {}\nprint('on')"
    ),
}
ABSENT = (
    "torch.jit",
    "torch.ones(1).to_sparse()",
    "(torch.ones(1, requires_grad=True) * 2).grad_fn._saved_mean",
)


@pytest.mark.parametrize("caught", CAUGHT)
@pytest.mark.parametrize("absent", ABSENT)
def test_what_is_not_supported_is_not_caught(caught: str, absent: str) -> None:
    found = ours("import torch\n" + CAUGHT[caught].format(absent))
    assert "not supported" in found
    assert "on\n" not in found


def test_a_module_that_is_missing_may_be_done_without() -> None:
    assert ours("try:\n    import asyncio\nexcept ImportError:\n    print('on')") == "on\n"


def test_it_knows_what_it_stands_for() -> None:
    assert UnsupportedError("x").python is AttributeError


def test_a_name_of_torch_is_there_though_it_is_refused() -> None:
    names = "hasattr(torch, 'fft'), hasattr(torch.ones(1), 'to_sparse'), hasattr(torch, 'nonsense')"
    assert ours(f"import torch\nprint({names})") == "True True False\n"
    assert "torch.fft is not supported" in ours("import torch\nprint(getattr(torch, 'fft', None))")
    assert ours("print(hasattr(print, '__call__'), hasattr([], '__call__'), hasattr([], '__hash__'))") == (
        "True False True\n"
    )
