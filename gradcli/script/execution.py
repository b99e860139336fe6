"""Running a snippet under its limits: the error that stopped it, if any, and the timeline, if one is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.errors import GradcliError
from gradcli.script.failure import failure
from gradcli.script.interpreter import run
from gradcli.script.machine import Machine
from gradcli.script.reading import Snippet

if TYPE_CHECKING:
    from gradcli.script.timeline.model import Timeline


class UnwrittenError(BaseException):
    """Output cannot be written: a snippet cannot catch it."""

    def __init__(self, reason: OSError) -> None:
        self.reason = reason


def execute(snippet: Snippet, machine: Machine) -> tuple[GradcliError | None, Timeline | None]:
    """Run the cells on a machine; the error that stopped them and the timeline, each None where there is none.

    Raises OSError where output cannot be written.
    """
    try:
        run(snippet.cells, machine, echo=snippet.echo)
    except UnwrittenError as error:
        raise error.reason from None
    except Exception as error:
        stopped_by = failure(error, [*machine.globals, *machine.builtins])
        return stopped_by, machine.timeline and machine.timeline.finished()
    return None, machine.timeline and machine.timeline.finished()
