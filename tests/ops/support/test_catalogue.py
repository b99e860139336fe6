"""The catalogue names every operation once, under the family that declares it."""

from __future__ import annotations

import json
import subprocess
import sys

import gradcli.ops
from gradcli.ops.support.catalogue import FAMILIES, FAMILY_OF
from gradcli.ops.support.surface import OPERATIONS


def test_the_catalogue_is_what_the_families_declare() -> None:
    gradcli.ops.load()
    declared: dict[str, list[str]] = {}
    for name, operation in OPERATIONS._declared.items():
        family = operation.function.__module__.removeprefix("gradcli.ops.")
        declared.setdefault(family, []).append(name)
    wrong = {
        family: " ".join(sorted(names))
        for family, names in declared.items()
        if sorted(names) != sorted(FAMILIES.get(family, "").split())
    }
    assert not wrong, f"write in gradcli/ops/support/catalogue.py: {json.dumps(wrong, indent=4)}"
    assert set(FAMILY_OF) == set(OPERATIONS._declared)


def test_a_program_loads_only_the_families_that_it_uses() -> None:
    script = "import sys, gradcli; gradcli.gradients('(a + b)**2', a=1, b=2); print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "gradcli.ops.pointwise.arithmetic" in loaded
    assert "gradcli.ops.windows.convolution" not in loaded
