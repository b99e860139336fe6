"""The module `torch.special`."""

from __future__ import annotations

from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.torch.operations import facade


def namespace(name: str) -> Namespace:
    return Namespace(name, find=lambda member: facade.function(member, "special"), known=OPERATIONS)
