"""All that is asked about the looks of an output, in whichever form: what renderers take beside the facts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gradcli.render.text.looks import Looks


@dataclass(frozen=True, slots=True)
class Asked(Looks):
    """Looks, with `all` rows of long sections, and `why` rules hold."""

    all: bool = False
    why: bool = False


def asked(looks: Looks, **more: Any) -> Asked:
    """Return the looks with what else is asked for."""
    return Asked(**{**asdict(looks), **more})
