"""The order in which values are computed again where some are others: once for all that change the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Steps = list[tuple[int, int | None]]  # vertices to compute, each with the vertex that it is a copy of, if it is one


class Order:
    """The order for vertices with these sources, some of which are copies of others."""

    def __init__(self, sources: Sequence[Sequence[int]], copies: Mapping[int, int]) -> None:
        self.sources, self.copies = sources, copies
        self.known: dict[frozenset[int], Steps] = {}

    def after(self, given: frozenset[int]) -> Steps:
        """Return the vertices that are computed from given ones."""
        if given not in self.known:
            touched, found = set(given), self.known.setdefault(given, [])
            for vertex, sources in enumerate(self.sources):
                is_computed = vertex not in given and not touched.isdisjoint(sources)
                if is_computed or self.copies.get(vertex) in touched:
                    found.append((vertex, None if is_computed else self.copies[vertex]))
                    touched.add(vertex)
        return self.known[given]

    def between(self, given: frozenset[int], read: frozenset[int]) -> Steps:
        """Return those of them from which something is computed that is `read`, or that are read themselves."""
        needed, found = set(read), []
        for vertex, copied in reversed(self.after(given)):
            if vertex in needed:
                needed.update(self.sources[vertex] if copied is None else (copied,))
                found.append((vertex, copied))
        return found[::-1]
