"""`logging`: what handlers write to the standard output, and what loggers tell of themselves, is Python's."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gradcli.script.errors import UnsupportedError
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source
from tests.script.running import ours

BEGIN = "import io, logging, sys\n"
SHOWN = "logging.basicConfig(stream=sys.stdout, level=logging.INFO)\n"


PROGRAMS = (
    "logging.warning('a'); logging.getLogger('x').error('b'); print('c')",
    f"{SHOWN}log = logging.getLogger('a.b'); log.info('x %s %d', [1, 2], 3); log.debug('no'); logging.error('100%')",
    f"{SHOWN}logging.info('%(k)s', {{'k': 5}}); logging.log(25, 'odd'); logging.log(logging.ERROR, 'e')",
    "logging.basicConfig(stream=sys.stdout, format='[%(levelname)-8s] %(name)s %(message)s')\nlogging.critical('x')",
    "logging.basicConfig(stream=sys.stdout, level='DEBUG', format='%(lineno)d %(message)s')\nlogging.debug('here')",
    f"{SHOWN}logging.basicConfig(level=logging.DEBUG)\nlogging.debug('no')\nlogging.getLogger().setLevel(10)\n"
    "logging.debug('yes')",
    f"{SHOWN}logging.basicConfig(stream=sys.stdout, format='%(message)s', force=True)\nlogging.warning('again')",
    "b = io.StringIO(); h = logging.StreamHandler(b); h.setLevel('ERROR'); "
    "h.setFormatter(logging.Formatter('%(message)s!'))"
    "\nlog = logging.getLogger('q'); log.addHandler(h); log.addHandler(h); log.error('e'); log.warning('w'); "
    "log.propagate = False; log.error('f'); log.removeHandler(h); print(repr(b.getvalue()), log.handlers, "
    "log.hasHandlers())",
    "class Kept(logging.Handler):\n    def __init__(self):\n        super().__init__()\n        self.lines = []\n"
    "    def emit(self, r):\n        self.lines.append((r.levelname, r.getMessage(), self.format(r)))\n"
    "kept = Kept(); log = logging.getLogger('k'); log.addHandler(kept); log.setLevel(logging.DEBUG)\n"
    "log.debug('%.2f', 1 / 3); log.warning('w'); print(kept.lines)",
    f"{SHOWN}logging.disable(logging.CRITICAL); logging.error('no'); logging.disable(0); logging.info('y')",
    "log = logging.getLogger('a.b'); print(log, log.name, log.parent, log.level, log.getEffectiveLevel(), "
    "log.isEnabledFor(20), logging.getLogger('a.b') is log, logging.getLogger('a').getChild('b') is log)",
    "print(logging.INFO, logging.getLevelName(30), logging.getLevelName('ERROR'), logging.getLevelName(7))\n"
    "try:\n    logging.getLogger().setLevel('loud')\nexcept ValueError as e:\n    print(e)",
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_messages_are_pythons(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", BEGIN + program], capture_output=True, text=True, check=True)
    assert ours(BEGIN + program) == done.stdout


def test_messages_without_a_stream_go_to_the_one_for_errors() -> None:
    errors: list[str] = []
    machine = Machine(Limits(), print, write_error=errors.append)
    run([Source(f"{BEGIN}logging.basicConfig()\nlogging.error('x')", "snippet.py")], machine)
    assert errors == ["ERROR:root:x\n"]


@pytest.mark.parametrize("call", ["exception('x')", "error('x', exc_info=True)", "basicConfig(style='{')"])
def test_tracebacks_and_other_styles_are_refused(call: str) -> None:
    machine = Machine(Limits(), print)
    with pytest.raises(UnsupportedError):
        run([Source(f"{BEGIN}logging.{call}", "snippet.py")], machine)


def test_loggers_end_with_the_snippet() -> None:
    assert ours(f"{BEGIN}{SHOWN}logging.info('a')") == "INFO:root:a\n"
    assert ours(f"{BEGIN}logging.info('a')") == ""
