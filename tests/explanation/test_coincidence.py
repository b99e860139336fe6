"""Constants that equal values of variables: what stands on a page does not depend on whether they do.

Each program is explained at a point where variables have the values of its constants, and at one where they have not.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.folding import folded
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Name
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.programs import EXAMPLES, family, of_every, run

NUMBERS = ("1", "2", "0.45", "3", "0.5")
UNARY = ("exp({})", "tanh({})", "{}**2", "sqrt({})", "-{}", "log1p({})", "3*{}", "{}/2")
BINARY = (
    "{}*{}", "{} + {}", "{} - {}", "{}/({} + 2)", "hypot({}, {})", "atan2({}, {})", "maximum({}, {})", "{}**{}",
    "where({} > 0, {}, {})", "lerp({}, {}, {})", "logaddexp({}, {})", "addcmul({}, {}, {})", "xlogy({}, {})",
    "clamp({}, max={})", "binary_cross_entropy_with_logits({}, {})", "huber_loss({}, {})",
    "mse_loss({}, {})", "sum({}*[{}, 1])", "sum(stack(({}, {})))", "dot(stack(({}, {})), [{}, 2])",
    "outer(stack(({}, {})), [{}, 2])[0, 1]",
)  # fmt: skip


def drawn(draw: random.Random) -> tuple[str, dict[str, float], dict[str, float]]:
    """Return a program, a point where variables equal constants, and one where they do not."""
    parts = [*draw.sample(NUMBERS, 2), "x", "y"]
    for _ in range(draw.randint(1, 4)):
        template = draw.choice(UNARY) if draw.random() < 0.3 else draw.choice(BINARY)
        chosen = [draw.choice(parts) for _ in range(template.count("{}"))]
        parts.append(f"({template.format(*chosen)})")
    return f"{parts[-1]}*x + y", {name: float(draw.choice(parts[:2])) for name in "xy"}, {"x": 0.7182, "y": 0.3141}


def told(explanation: Explanation) -> Iterator[str]:
    """Give every formula that a page may hold, without numbers of the point."""
    for reading in (explanation, folded(explanation)):
        for node in reading.nodes:
            yield f"{node.id} = {unparse(node.expression)} of {node.inputs}"
            for local in node.locals:
                yield f"{node.id} by {local.input}: {local.formula and unparse(local.formula)}, {unparse(local.rule)}"
                if local.why is not None and local.why.gradient is not None:
                    yield str((local.why.forward, local.why.gradient, local.why.given))
    for leaf in simplified(explanation, at_any_point=True).leaves:
        yield f"{leaf.name}: {leaf.formula_raw and unparse(leaf.formula_raw)}, {leaf.formula and unparse(leaf.formula)}"


def compared(program: str, coinciding: dict[str, Any], generic: dict[str, Any]) -> None:
    parsed = parse_program(Source(program))
    try:
        seed = run(program, generic).upstream
        there = [*told(explain(parsed, generic, upstream=seed))]
        here = [*told(explain(parsed, coinciding, upstream=seed))]
    except GradcliError:
        return  # out of a domain, or no whole numbers
    if not any(" == " in text for text in here):  # a tie, which formulas tell where there is one
        assert here == there, program


@pytest.mark.parametrize("seed", range(2))
def test_formulas_do_not_depend_on_values_that_equal_constants(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(30):
        compared(*drawn(draw))


@of_every(EXAMPLES, family, 6)
def test_an_operand_stays_itself_where_another_has_its_value(program: str) -> None:
    """In each example one variable after the other is written as a number or a list, which equals another variable."""
    parsed = parse_program(Source(program))
    try:
        values = run(program).point
    except GradcliError:
        return
    literals = {s.target: s.value for s in parsed.statements if s.target in values}
    rest = [s for s in parsed.statements if s.target not in values]
    for name, tree in literals.items():
        for other in literals:
            if other == name or np.shape(values[other]) != np.shape(values[name]):
                continue
            texts = [unparse(substitute(s.value, {name: tree})) for s in rest]
            text = "; ".join(f"{s.target} = {t}" if s.target else t for s, t in zip(rest, texts, strict=True))
            if Name(name) in (s.value for s in rest) or not text:
                continue
            point = {key: value for key, value in values.items() if key != name}
            shifted = {key: value * 0.9 + 0.07 for key, value in point.items()}
            compared(text, point | {other: values[name]}, shifted)
