"""`heapq`: Python's own functions on a list; the objects in it are compared as the snippet says."""

from __future__ import annotations

import heapq

from gradcli.script.python.members.tables import listed
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.python.values.operators import bounded


def namespace(name: str) -> Namespace:
    """`heapq`."""
    own = {
        "nlargest": lambda n, iterable, key=None: heapq.nlargest(n, bounded(iterable), key),
        "nsmallest": lambda n, iterable, key=None: heapq.nsmallest(n, bounded(iterable), key),
    }
    return Namespace(name, {**listed(heapq, "heappush heappop heapify heapreplace heappushpop"), **own})
