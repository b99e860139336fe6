"""What the run knows about an error of autograd: who saved what, who changed it, who freed it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gradcli.engine.saved import ModifiedError
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.explanation.model import Note

if TYPE_CHECKING:
    from gradcli.script.timeline.recorder import Recorder


def notes(recorder: Recorder, error: Exception) -> tuple[Note, ...]:
    """Notes on an error, for those that have a history."""
    code = getattr(error, "code", "")
    if not isinstance(error, AutogradError):
        return ()
    if isinstance(error, ModifiedError):
        return tuple(_changed(recorder, error))
    if code == "E302" and recorder.passes:
        message = f"the backward pass at line {recorder.passes[-1].line} freed what the graph had saved"
        return (Note("freed", "", message),)
    return ()


def _changed(recorder: Recorder, error: ModifiedError) -> Iterator[Note]:
    """Which line changed a saved tensor, and which node had saved it."""
    node = error.saver
    changed = (x for x in node.inputs or () if isinstance(x, Tensor) and x.history and x.history[-1] >= error.time)
    saved = next((recorder.names.get(x) for x in changed), None) or recorder.names.of_node.get(node) or "a tensor"
    line = next((line for until, line in recorder.changed_at if until >= error.time), None)
    yield Note(
        "changed-after-saving",
        saved,
        f"{node.primitive.name} at line {recorder.lines.get(node)} saved {saved} for its backward pass, and "
        f"line {line} changed it in place afterwards",
    )
