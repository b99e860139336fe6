"""`logging`: what is printed to the standard output is Python's; handlers are refused by name."""

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
    "logging.basicConfig(stream=sys.stdout, level='DEBUG', format='%(lineno)d %(message)s')\nlogging.debug('here')",
    f"{SHOWN}logging.basicConfig(level=logging.DEBUG)\nlogging.debug('no')\nlogging.getLogger().setLevel(10)\n"
    "logging.debug('yes')",
    "log = logging.getLogger('a.b'); log.setLevel('INFO'); print(log.name, log.level, "
    "logging.getLogger('a.b') is log, logging.INFO)",
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


REFUSED = ("exception('x')", "error('x', exc_info=True)", "basicConfig(style='{')", "StreamHandler()", "Formatter('x')")


@pytest.mark.parametrize("call", REFUSED)
def test_handlers_and_tracebacks_are_refused(call: str) -> None:
    machine = Machine(Limits(), print)
    with pytest.raises(UnsupportedError):
        run([Source(f"{BEGIN}logging.{call}", "snippet.py")], machine)


def test_loggers_end_with_the_snippet() -> None:
    assert ours(f"{BEGIN}{SHOWN}logging.info('a')") == "INFO:root:a\n"
    assert ours(f"{BEGIN}logging.info('a')") == ""
