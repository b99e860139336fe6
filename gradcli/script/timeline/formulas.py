"""The gradients of a run as a person writes them."""

from __future__ import annotations

from dataclasses import replace

from gradcli.explanation.formulas.simplified import simplified
from gradcli.script.timeline.model import Backward, Event, Returned


def with_short_formulas(event: Event) -> Event:
    """Return a backward pass with simplified gradients, and any other event as it is."""
    if isinstance(event, Backward | Returned) and event.explanation is not None:
        return replace(event, explanation=simplified(event.explanation))
    return event
