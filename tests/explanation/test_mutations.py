"""Programs with a slip in them: whatever is typed, it is explained or refused, and no other exception gets out."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.language.parser import parse_program
from gradcli.source import Source
from tests.programs import EXAMPLES, listed_programs, run

TOKENS = [re.findall(r"\w+|\s|[^\w\s]", program) for program in EXAMPLES + listed_programs()]
WORDS = [token for tokens in TOKENS for token in tokens if token.strip()]
SLIPS = ["0", "-1", "2", "100", "True", "None", "'mean'", "nan", "[]", "[1]", "(1, 2)", "1e308", "..."]
GROUPS = 20
OF_A_GROUP = 75


def slipped(tokens: list[str], choose: random.Random) -> str:
    """A program in which one to three tokens are replaced, lost or added."""
    changed = list(tokens)
    for _ in range(choose.randint(1, 3)):
        place = choose.randrange(len(changed))
        token = choose.choice(WORDS if choose.random() < 0.7 else SLIPS)
        width, new = choose.choice([(1, [token]), (1, [token]), (1, []), (0, [token])])
        changed[place : place + width] = new
        changed = changed or ["x"]
    return "".join(changed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")  # as torch warns
@pytest.mark.parametrize("group", range(GROUPS))
def test_a_slip_is_explained_or_refused(group: int) -> None:
    choose = random.Random(group)
    explained = refused = 0
    for _ in range(OF_A_GROUP):
        program = slipped(choose.choice(TOKENS), choose)
        try:
            output = run(program).output
            explain(parse_program(Source(program)), {}, upstream=np.ones(output.shape))
            explained += 1
        except GradcliError:
            refused += 1
        except Exception as error:
            error.add_note(program)
            raise
    assert explained
    assert refused
