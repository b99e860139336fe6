"""`unicodedata`: names and properties of characters."""

from __future__ import annotations

import unicodedata
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import listed
from gradcli.script.python.values.attributes import Namespace

LONGEST = 18  # characters that one becomes at most, in any of the forms


def normalize(form: Any, text: str) -> str:
    """`unicodedata.normalize`, of a text that stays within the limits."""
    if isinstance(text, str):
        running.machine.budget.fits(len(text) * LONGEST, "the text")
    return unicodedata.normalize(form, text)


MEMBERS: dict[str, Any] = {
    "normalize": normalize,
    **listed(unicodedata, "category combining decomposition digit lookup name numeric"),
}


def namespace(name: str) -> Namespace:
    return Namespace(name, MEMBERS)
