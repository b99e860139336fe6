"""`torch.autograd.detect_anomaly`: a failed backward pass names the line of the snippet that made the failing node."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from gradcli.engine.backward import Contribution, Event
from gradcli.engine.checks.versions import HINT
from gradcli.engine.graph import Node, Target
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.rites import Rites
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.torch.autograd.grad_modes import Switch
from gradcli.script.torch.autograd.rites import Passes

ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
ABOVE = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
    "question was changed in there or anywhere later. Good luck!"
)


DETECTED = "Error detected in {}. Traceback of forward call that caused the error:"
UNKNOWN_LINE = (
    "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for more "
    "information."
)


class Anomaly:
    """The anomaly mode of a run, in which nodes know the lines on which they were made."""

    def __init__(self) -> None:
        self.enabled, self.checks = False, True

    def switch(self, enabled: bool, checks: bool) -> tuple[bool, bool]:
        """Set the mode; return whether it was enabled before, and checked for nan."""
        before = self.enabled, self.checks
        self.enabled, self.checks = enabled, checks
        leave(self)
        if enabled:
            listen(self)
        return before

    def append(self, application: Application) -> None:
        """Remember the line that runs now, on which an operation was applied."""
        node = application.out.node
        if isinstance(node, Node):
            machine = running.machine
            line = machine.source.line(machine.line).strip() if machine.line else ""
            node.made = f'  File "{machine.source.name}", line {machine.line}\n    {line}\n'

    def watched(self, events: Iterator[Event], rites: Rites) -> Iterator[Event]:
        """Yield the events of a backward pass; where it fails, warn of the line that made the node."""
        try:
            for event in events:
                if self.checks and isinstance(event, Contribution):
                    self._check(event)
                yield event
        except Exception as error:
            if isinstance(rites.place, Node):
                self._tell(rites.place)
            if isinstance(error, AutogradError) and HINT in error.message:
                error.message = error.message.replace(HINT, ABOVE)
                error.args = (error.message, *error.args[1:])
            raise

    def _check(self, event: Contribution) -> None:
        gradient = event.unsummed
        if np.isnan(gradient.value if isinstance(gradient, Tensor) else np.asarray(gradient)).any():
            name = event.node.name()
            raise AutogradError(f"Function '{name}' returned nan values in its {event.position}th output.")

    def _tell(self, node: Node) -> None:
        """Warn of the line that made the node."""
        line = getattr(node, "made", "")
        text = f"{DETECTED.format(node.name())}\n{line}" if line else UNKNOWN_LINE.format(node.name())
        warnings.warn(text, UserWarning, stacklevel=2)


def anomaly() -> Anomaly:
    """The anomaly mode of the run."""
    return running.machine.own(Anomaly)


def current_place() -> Target | None:
    """Return the place in the graph whose rules or hooks run now; None outside of a backward pass."""
    rites = running.machine.own(Passes).rites
    return None if rites is None else rites.place


class AnomalyMode(Switch):
    """The anomaly mode as a context."""

    __module__ = "torch.autograd.anomaly_mode"

    def _set(self, state: tuple[bool, bool]) -> tuple[bool, bool]:
        return anomaly().switch(*state)


class detect_anomaly(AnomalyMode):  # noqa: N801  torch's name
    """`with torch.autograd.detect_anomaly():`."""

    __module__ = AnomalyMode.__module__

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(ENABLED, UserWarning, stacklevel=2)
        self._wanted = True, check_nan


class set_detect_anomaly(AnomalyMode):  # noqa: N801  torch's name
    """`torch.autograd.set_detect_anomaly(True)`: takes effect when it is called; a context takes it back."""

    __module__ = AnomalyMode.__module__

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = self._set((mode, check_nan))

    def __enter__(self) -> None:
        """Leave the mode as it is: it was set when this was made."""
