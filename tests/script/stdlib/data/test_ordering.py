from __future__ import annotations

from tests.script.agreement import agree, programs


@programs(
    "h = [3, 1, 2]; heapq.heapify(h); heapq.heappush(h, 0); print(heapq.heappop(h), h, heapq.nlargest(2, [1, 5, 3]))",
    "print(heapq.nsmallest(1, [(4, 'a'), (2, 'b')], key=lambda x: x[0]), heapq.heappushpop([1, 2], 0))",
    "x = [1, 3, 5]; bisect.insort(x, 4); print(x, bisect.bisect(x, 3), bisect.bisect_left(x, 3))",
)
def test_ordering_is_pythons(program: str) -> None:
    agree(f"import heapq, bisect\n{program}")
