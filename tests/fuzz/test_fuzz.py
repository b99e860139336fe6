"""The fuzzer: the same cases each time, a judgement of each kind of fault, small finds, and no fault today."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import replace

import pytest

from gradcli.ops.support.arguments import READERS
from tests.fuzz import words
from tests.fuzz.case import Case, Outcome, fault
from tests.fuzz.generators import AREAS, OF_LAWS, Place, names, ops, run
from tests.fuzz.generators.grammar import SYMBOL
from tests.fuzz.running import Captured, verdicts

GRAD = Case("eval", ("grad", "x", "x=1"))
JSON = Case("eval", ("grad", "x", "x=1", "--json"))
BATCH = Case("batch", ("batch", "x"), stdin=b'{"x": 1}\n{"x": 2}\n')


@pytest.mark.slow
@pytest.mark.parametrize("area", AREAS)
def test_a_case_is_the_same_on_every_run(area: str) -> None:
    places = [Place(3, area, number) for number in range(20)]
    assert [place.case() for place in places] == [place.case() for place in reversed(places)][::-1]
    assert len({place.case() for place in places}) > 10


@pytest.mark.slow
@pytest.mark.parametrize("area", [*AREAS[:-1], *OF_LAWS])  # no attack has numbers
def test_every_area_draws_decimals(area: str) -> None:
    """Small whole numbers alone hid what was wrong with the coefficients of others for a million cases."""
    cases = (Place(3, area, number).case() for number in range(40))
    texts = [" ".join((*case.argv, *(data.decode("utf-8", "replace") for _, data in case.files))) for case in cases]
    found = [set(re.findall(r"(?<![\w.])\d+\.\d*[1-9]\d*", text)) for text in texts]
    assert sum(map(bool, found)) >= len(texts) / 3
    assert len(set().union(*found)) > 20


@pytest.mark.parametrize(
    ("case", "outcome", "expected"),
    [
        (GRAD, Outcome(out=b"x\t1\n"), None),
        (GRAD, Outcome(3, err=b"error[E301]: no\n"), None),
        (GRAD, Outcome(3), "a refusal without an error"),
        (replace(GRAD, argv=("verify", "x")), Outcome(3, out=b"the gradient of x cannot be judged\n"), None),
        (GRAD, Outcome(1), "exit 1"),
        (GRAD, Outcome(out=b"1\nCANARY a module\n"), "a snippet reached a module"),
        (GRAD, Outcome(141), "exit 141"),
        (replace(GRAD, argv=("verify", "x")), Outcome(1, out=b"no\n"), None),
        (GRAD, Outcome(70, err=b"error[E900]: a bug in gradcli: KeyError in sum_: no\n"), "exit 70: KeyError in sum_"),
        (GRAD, Outcome(3, err=b"Traceback (most recent call last):\n"), "a traceback"),
        (GRAD, Outcome(out=b"\xff"), "output that is not UTF-8"),
        (GRAD, Outcome(memory=2**31), "memory"),
        (GRAD, Outcome(end="limit"), None),
        (GRAD, Outcome(end="crash: SIGSEGV"), "crash: SIGSEGV"),
        (GRAD, Outcome(out=b"x\x1b[31m\n"), "a control character on standard output"),
        (GRAD, Outcome(3, err="no \u202e\n".encode()), "a control character on standard error"),
        (GRAD, Outcome(3, err=b"n" * 30_000), "an error message of absurd length"),
        (replace(GRAD, argv=(*GRAD.argv, "--color", "always")), Outcome(out=b"\x1b[31mx\x1b[0m\n"), None),
        (replace(GRAD, columns=80), Outcome(out=b"\x1b[31mx\x1b[0m\n"), None),
        (JSON, Outcome(out=b'{"schema": "gradcli.gradients/1", "ok": true}\n'), None),
        (JSON, Outcome(out=b'{"schema": "gradcli.batch/1", "ok": true}{}\n'), "no JSON document: JSONDecodeError"),
        (JSON, Outcome(out=b'{"schema": "gradcli.batch/1", "ok": true, "x": NaN}\n'), "no JSON document: ValueError"),
        (JSON, Outcome(out=b"[]\n"), "a JSON document without schema and ok"),
        (JSON, Outcome(out=b'{"schema": "gradcli.error/1", "ok": false}\n'), "exit 0 with ok False"),
        (BATCH, Outcome(out=b'{"ok": true}\n{"ok": true}\n'), None),
        (BATCH, Outcome(out=b'{"ok": true}\n'), "another number of records"),
        (BATCH, Outcome(out=b'{"ok": true}\n{"ok": true}'), "a last line without an end"),
        (BATCH, Outcome(out=b'{"ok": true}\n{"ok": false}\n'), "exit 0 of records that say otherwise"),
        (BATCH, Outcome(out=b'{"ok": true}\n{"ok": NaN}\n'), "no JSON Lines: ValueError"),
    ],
)  # fmt: skip
def test_the_judgement_of_an_outcome(case: Case, outcome: Outcome, expected: str | None) -> None:
    assert fault(case, outcome) == expected


def test_every_kind_of_argument_is_made() -> None:
    assert set(READERS) == set(ops.MAKERS) == set(names.MAKERS)
    kinds = {
        str(p.annotation).removesuffix(" | None") for o in words.operations().values() for p in o.parameters.values()
    }
    assert kinds <= set(READERS)


def test_every_symbol_of_the_grammar_is_known() -> None:
    productions = run.productions()
    used = {symbol for texts in productions.values() for text in texts for symbol in SYMBOL.findall(text) if symbol}
    assert used == set(productions) | set(names.vocabulary())


def test_a_worker_that_dies_or_hangs_is_a_verdict() -> None:
    def die(case: Case, _: Captured) -> Outcome:
        os.kill(os.getpid(), signal.SIGKILL)
        return Outcome()

    (verdict,) = verdicts([GRAD], 1, die)
    assert verdict.fault == "crash: SIGKILL"
