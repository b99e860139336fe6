"""The entry that is worked out in numbers is that entry of the contribution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.chain.links import chain
from gradcli.explanation.folding import folded
from gradcli.explanation.index.formulas import Worked
from gradcli.explanation.index.printing import Writer
from gradcli.explanation.index.tree import Entry, Space, parts
from gradcli.explanation.model import Why
from gradcli.ops.support.surface import OPERATIONS
from tests.programs import EXAMPLES, explained, family, listed_programs, of_every, some


def reasons(program: str) -> Iterator[tuple[Why, Any]]:
    """Why each rule holds that has a formula, with the contribution that ran."""
    explanation = explained(program)
    whole = folded(explanation)
    for link in (*chain(explanation), *(() if whole is explanation else chain(whole))):
        for term in link.terms:
            if term.local.why is not None:
                yield term.local.why, term.step.contribution


@pytest.mark.slow
@of_every([*EXAMPLES, *listed_programs()], family, 4)
def test_an_entry_in_numbers_is_that_of_the_contribution(program: str) -> None:
    for entry, contribution in ((why.entry, contribution) for why, contribution in reasons(program) if why.entry):
        whole = np.asarray(contribution)
        found = whole.reshape(-1)[entry.place] if entry.is_flat else whole[entry.place]
        np.testing.assert_allclose(entry.value, found, rtol=1e-6, atol=1e-9)
        if not is_cut(entry):
            with np.errstate(all="ignore"):
                np.testing.assert_allclose(Space({}, {}).evaluate(entry.numbers), found, rtol=1e-6, atol=1e-9)


def is_cut(entry: Worked) -> bool:
    return any(isinstance(part, Entry) for part in parts(entry.numbers))


COPIED = [f"x = 2; sum({call})" for call in ("add([1, 2], x, alpha={})", "addcmul(x, [1, 2], x, value={})")]
STRANGE = [call.format(value) for call in COPIED for value in ("nan", "inf", "-inf", "1e308", "pi")] + [
    f"{example[: found.start(1)]}{value}{example[found.end(1) :]}"
    for example in EXAMPLES
    for found in re.finditer(r"\b[a-z]\w*=(-?[\d.]+)\b", example)
    for value in ("nan", "inf", "-inf", "1e308", "0")
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*degrees of freedom is <= 0:UserWarning")
def test_an_option_may_be_any_number() -> None:
    told = 0
    for program in some(STRANGE, 6):
        with suppress(GradcliError):
            told += len(list(reasons(program)))
    assert told > 30


@pytest.mark.parametrize(
    ("program", "input", "expected"),
    [
        ("h = [[1, 0], [2, 3]]; W = [[1, 2], [3, 4]]; h @ W", "h", "[0,0]: 1·1 + 2·2 = 5"),
        ("h = [[1, 0], [2, 3]]; W = [[1, 2], [3, 4]]; h @ W", "W", "[0,0]: 1·1 + 2·3 = 7"),
        ("x = [4, 5, 6]; mean(x)", "x", "[0]: 1/3 = 0.333333"),
        ("x = [4, 5, 6]; x[1]", "x", "[1]: g = 1"),
        ("x = [4, 9, 6]; max(x, 0).values", "x", "[1]: g = 1"),
        ("x = [[1, 2, 3, 4, 5, 6, 7]]; b = 2; x*b", "b", "(): 1·1 + 2·2 + 3·3 + 4·4 + … (7 terms) = 140"),
    ],
)
def test_an_entry_in_numbers(program: str, input: str, expected: str) -> None:
    locals_ = [local for node in explained(program).nodes for local in node.locals if local.input == input]
    (why,) = [local.why for local in locals_ if local.why is not None]
    assert why.entry is not None
    write = Writer()
    place = f"[{','.join(map(str, why.entry.place))}]" if why.entry.place else "()"
    numbers = write.term(why.entry.entry or why.entry.numbers)
    assert f"{place}: {numbers} = {write.number(why.entry.value)}" == expected


def of_two() -> Iterator[str]:
    """Yield a program for each operation of two tensors of one shape, with one of them copied to it."""
    for operation in OPERATIONS.values():
        kinds = [str(p.annotation) for p in operation.parameters.values() if p.default is p.empty]
        if kinds in (["Operand", "Operand"], ["Tensor", "Tensor"], ["Real", "Real"]):
            yield f"x = [1.5, 2.5]; y = 3.5; 2.5*{operation.name}(x, y)"
            yield f"x = [[1.5], [2.5]]; y = [3.5, 0.5]; 2.5*{operation.name}(x, y)"


@pytest.mark.filterwarnings("ignore:reduction. 'mean'", "ignore:Using a target size")
def test_the_gradient_of_a_copied_operand_has_a_reason() -> None:
    told = 0
    for program in of_two():
        with suppress(GradcliError):
            told += sum(1 for _ in reasons(program))
    assert told > 50
