"""The catalogue names every operation once, under the family that declares it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gradcli.language.catalogue import FILE
from tests.ops.support.record_catalogue import text


def test_the_catalogue_is_what_the_families_declare() -> None:
    assert FILE.read_text(encoding="utf-8") == text(), "run python -m tests.ops.support.record_catalogue"


@pytest.mark.slow
def test_a_program_loads_only_the_families_that_it_uses() -> None:
    script = "import sys, gradcli; gradcli.gradients('(a + b)**2', a=1, b=2); print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "gradcli.ops.pointwise.arithmetic" in loaded
    assert "gradcli.ops.windows.convolution" not in loaded
