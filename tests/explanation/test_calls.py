"""The functions of the language: every operation, no private primitive, and whatever a formula prints."""

from __future__ import annotations

import random
import re
import warnings

import numpy as np
import pytest

import gradcli.ops.indexing.subscript  # noqa: F401 - its primitives are in the registry
from gradcli.engine.primitive import REGISTRY
from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.calls import SCHOOLBOOK
from gradcli.language.parser import parse_program
from gradcli.language.tree import Call, postorder
from gradcli.ops.support.surface import OPERATIONS
from gradcli.source import Source
from tests.explanation.test_invariants import EVERY
from tests.ops.test_registry import primitives_of
from tests.programs import explained, of_every, some

ARGUMENTS = """
x; y; A; t; 2; -1; 0.5; (2,); (2, 2); [0, 1]; [True, False]; 'mean'; None; True; []; [[0, 5]]; x[0]; [x, y]
shape=(2,); shape=(2, 3); shape=(-1,); shape=(9999999999,); size=2; size=(2,); size=-3; dim=0; dim=1; dim=7; index=1
index=9; start=0; stop=2; step=0; step=2; k=1; k=9; keepdim=True; reduction='mean'; reduction='none'; reduction='word'
dims=(0,); dims=(3,); offset=1; offset=-9; dimension=0; stride=(1,); stride=(0, 9); output_size=(1, 2); dtype=None
negative_slope=0.1; min_val=0; max_val=1; largest=False; dim1=1; dim2=0; reverse=True; unknown=3
"""
CHOICES = [argument.strip() for argument in ARGUMENTS.replace("\n", ";").split(";") if argument.strip()]
PLAIN = [choice for choice in CHOICES if "=" not in choice]
NAMED = [choice for choice in CHOICES if "=" in choice]
BEFORE = "x = [1, 2]; y = [0.5, -3]; A = [[1, 2, 3], [4, 5, 6]]; t = [[[1, 2], [3, 4]]]; "


def calls(name: str) -> list[str]:
    """Calls with a few arguments each, some of which fit."""
    choose = random.Random(name)
    fitting = list(OPERATIONS[name].parameters) if name in OPERATIONS else []
    named = [choice for choice in NAMED if choice.partition("=")[0] in fitting]
    found = []
    for _ in range(6 if name in OPERATIONS else 2):
        arguments = choose.choices(PLAIN, k=choose.choice((1, 1, 2, 2, 3)))
        keywords = {choice.partition("=")[0]: choice for choice in choose.sample(named, len(named))}
        if choose.random() < 0.2:
            keywords.update({choice.partition("=")[0]: choice for choice in choose.sample(NAMED, 2)})
        found.append(f"{name}({', '.join([*arguments, *keywords.values()])})")
    return found


@pytest.mark.parametrize("name", sorted(SCHOOLBOOK.keys() - OPERATIONS.keys()))
def test_the_advice_for_a_name_in_schoolbooks_has_a_value(name: str) -> None:
    with pytest.raises(GradcliError) as caught:
        explain(parse_program(Source(f"{name}(x/2)")), {"x": 0.5})
    advice = re.fullmatch("type '(.+)'", caught.value.help or "")
    assert advice is not None
    assert any(np.isfinite(explain(parse_program(Source(advice[1])), {"x": x}).value) for x in (0.5, 3.0))


def test_a_number_before_brackets_is_a_factor() -> None:
    with pytest.raises(GradcliError) as caught:
        explain(parse_program(Source("x(x + 1)")), {"x": 1})
    assert (caught.value.help or "").startswith("for a product type 'x*(x + 1)'")


@pytest.mark.slow
@of_every(sorted({*REGISTRY, *(n for n in OPERATIONS if "backward" in n)}), lambda name: name[0], 2)
def test_a_primitive_is_called_or_refused(name: str) -> None:
    """Nothing but our own errors gets out; of what is no operation there is no function."""
    for call in calls(name):
        source = Source(BEFORE + call)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                explain(parse_program(source), {})
                code = ""
            except GradcliError as error:
                code = error.code
            except Exception as error:
                error.add_note(call)
                raise
            assert name in OPERATIONS or code == "E208", call


@pytest.mark.slow
def test_every_call_that_is_printed_is_an_operation() -> None:
    """In rules, formulas and expressions, and in those of the backward pass of a backward pass."""
    printed = {}
    for program in some(EVERY, 2):
        explanation = explained(program)
        trees = [node.expression for node in explanation.nodes]
        trees += [tree for node in explanation.nodes for x in node.locals for tree in (x.rule, x.formula) if tree]
        trees += [step.rule for step in explanation.steps]
        trees += [leaf.formula for leaf in explanation.leaves if leaf.formula]
        printed.update({part.function: program for tree in trees for part in postorder(tree) if isinstance(part, Call)})
    assert {name: program for name, program in printed.items() if name not in OPERATIONS} == {}
    again = {name for program in EVERY for name in primitives_of(program)}
    assert {name for name in again if name.endswith("_backward") and writes_itself(name)} <= set(OPERATIONS)


def writes_itself(name: str) -> bool:
    """Whether formulas call a primitive by its own name."""
    return REGISTRY[name].notation.__qualname__.startswith("call.")
