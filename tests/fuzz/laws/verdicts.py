"""What `verify` says of programs, and of the same with one rule that is wrong by a thousandth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY, Primitive
from gradcli.explanation.derivatives.total import ones_like_output
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.numeric.judge import Outcome
from gradcli.explanation.verify import Row, Verification, verify
from gradcli.language.tree import Program
from tests.fuzz.laws.subject import read
from tests.programs import wrong

FACTOR = 1.001
SEEN = 5e-4  # relative: a smaller change of a gradient is not that of the factor
DUST = 1e-12  # relative to the program's value: a gradient below is what is left of terms that cancel


def judge_right(arguments: Sequence[str]) -> tuple[int, str]:
    """Return 0 if `verify` agrees, 3 if it cannot judge, 1 if it calls a gradient wrong."""
    program, values = read(arguments)
    return _told(verified(program, values), Outcome.DISAGREES, "verify calls a right gradient wrong")


def judge_mutant(arguments: Sequence[str]) -> tuple[int, str]:
    """Return 0 if `verify` notices that a rule is wrong, 3 if it cannot judge, 1 if it calls the gradient right."""
    program, values = read(arguments)
    right = verified(program, values)
    used = primitives(program, values)
    if not used:
        return 3, "no rule is used\n"
    primitive = Random(program.source.text).choice(used)
    with wrong(primitive, FACTOR):
        found = verified(program, values)
    dust = DUST * np.max(np.abs(output(program, values)), initial=0.0)
    rows = [row for row, before in zip(found.rows, right.rows, strict=True) if is_changed(row, before, dust)]
    if not rows:
        return 3, f"{primitive.name} changes no gradient\n"
    missed = [row for row in rows if row.outcome is Outcome.AGREES]
    if missed:
        return 1, f"verify calls a wrong gradient right\n    {primitive.name}: {missed[0]}\n"
    is_noticed = any(row.outcome is Outcome.DISAGREES for row in rows)
    return (0, f"{primitive.name} is noticed\n") if is_noticed else (3, f"{primitive.name}: {rows[0].reason}\n")


def verified(program: Program, values: Mapping[str, Any]) -> Verification:
    return verify(program, values, upstream=ones_like_output(program, values, None))


def primitives(program: Program, values: Mapping[str, Any]) -> list[Primitive]:
    """The primitives with rules that a program applies, by name."""
    lines = evaluate(program, values, dtype=np.dtype(np.float64)).lines
    found = {line.application.primitive.name for line in lines if line.application and line.tensor.requires_grad}
    return [REGISTRY[name] for name in sorted(found) if name in REGISTRY and any(REGISTRY[name].rules)]


def output(program: Program, values: Mapping[str, Any]) -> Any:
    return evaluate(program, values, dtype=np.dtype(np.float64)).output.value


def is_changed(row: Row, before: Row, dust: float) -> bool:
    scale = np.max(np.abs(before.engine), initial=0.0)
    return bool(scale > dust and np.max(np.abs(np.subtract(row.engine, before.engine)), initial=0.0) > SEEN * scale)


def _told(found: Verification, fault: Outcome, law: str) -> tuple[int, str]:
    for row in found.rows:
        if row.outcome is fault:
            return 1, f"{law}\n    {row.name}: {row.reason} {row.engine} {row.differences}\n"
    return (0, "agrees\n") if found.agrees else (3, "cannot be judged\n")
