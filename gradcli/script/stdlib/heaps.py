"""`heapq`: Python's own functions on a list; the objects in it are compared as the snippet says."""

from __future__ import annotations

import heapq

from gradcli.script.python.members.tables import members_named
from gradcli.script.python.values.attributes import Namespace


def namespace(name: str) -> Namespace:
    """`heapq`."""
    return Namespace(name, members_named(heapq, "heappush heappop heapify heapreplace heappushpop"))
