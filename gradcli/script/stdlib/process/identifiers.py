"""`uuid`: names that no other run gives."""

from __future__ import annotations

import uuid

from gradcli.script.python.members.tables import describe, fields, listed
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES

describe(uuid.UUID, methods=listed(uuid.UUID, "__str__"), getters=fields("hex int bytes version"))
TYPES[uuid.UUID] = BuiltinType("UUID", uuid.UUID, uuid.UUID, module="uuid")


def namespace(name: str) -> Namespace:
    """`uuid`, with the names from random numbers and those from a name."""
    spaces = listed(uuid, "NAMESPACE_DNS NAMESPACE_OID NAMESPACE_URL NAMESPACE_X500")
    return Namespace(name, {"UUID": TYPES[uuid.UUID], **listed(uuid, "uuid4 uuid3 uuid5"), **spaces})
