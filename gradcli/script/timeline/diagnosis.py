"""Notes on errors of autograd: the lines that saved, changed or freed a tensor, or cut it off."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.engine.checks.versions import ModifiedError
from gradcli.engine.graph import nodes_below
from gradcli.engine.saved import saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.explanation.model import Note
from gradcli.script.timeline import reasons
from gradcli.script.timeline.run import Run


def notes(run: Run, error: Exception) -> Iterator[Note]:
    """Yield notes on an error of autograd."""
    if not isinstance(error, AutogradError):
        return
    if isinstance(error, ModifiedError):
        yield changed(run, error)
    elif error.code == "E302":
        yield from freed(run)
    elif "does not require grad" in error.message:
        for output in run.walked:
            if output.node is None:
                name = run.name(output)
                yield Note("outside", name, reasons.of(name, reasons.outside(run, output)[1]))
                return


def changed(run: Run, error: ModifiedError) -> Note:
    """Note the line that changed a saved tensor, and the node that had saved it."""
    node = error.saver
    inputs = [x for position, x in enumerate(node.inputs or ()) if position in saved(node)]
    tensor = next((x for x in inputs if isinstance(x, Tensor) and x.history and x.history[-1] >= error.time), None)
    if tensor is None:
        name = run.names.of_node.get(node) or "its result"
    else:
        name = run.name(tensor.base if tensor.base is not None else tensor)
    line, stepped = run.changed_by(error.time)
    where = f"line {line} changed it in place afterwards" if line else "it was changed in place afterwards"
    if stepped:
        where = f"the optimizer step at line {line} changed it afterwards: call backward() before step()"
    origin = run.lines.get(node)
    at = f" at line {origin}" if origin else ""
    return Note(
        "changed-after-saving", name, f"{node.primitive.name}{at} saved {name} for its backward pass, and {where}"
    )


def freed(run: Run) -> Iterator[Note]:
    """Note the pass that freed the saved tensors of a graph, and the line that computed them."""
    order = nodes_below(output.node for output in run.walked if output.node is not None)
    node = next((node for node in order if node in run.freed), None)
    if node is None:
        return
    line, name, made = run.freed[node], run.names.of(node), run.lines.get(node)
    what = f"the backward pass at line {line} freed what {node.primitive.name} (line {made}) had saved for {name}"
    if line != run.machine.line:
        yield Note("freed", name, what)
    elif node in [output.node for output in run.walked]:
        yield Note("freed", name, f"{what}: compute {name} again before each backward()")
    else:
        cure = f"{name} = {name}.detach() before it is used again ends the graph there"
        yield Note("freed", name, f"{what} in an earlier round, and this round was computed from it: {cure}")
