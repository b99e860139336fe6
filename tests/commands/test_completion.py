"""Completion, as a shell asks for it."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.commands.served import served


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("gradcli ev", ["eval"]),
        ("gradcli eval --asc", ["--ascii"]),
        ("gradcli ops logsi", ["logsigmoid"]),
        ("gradcli schema form", ["formulas"]),
        ("gradcli practice si", ["sigmoid-neuron"]),
        ("gradcli check --report m", ["mistakes", "moodle"]),
    ],
)
def test_completion(words: str, found: list[str]) -> None:
    asked = {"_GRADCLI_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    ran = subprocess.run(
        served(),
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == found
