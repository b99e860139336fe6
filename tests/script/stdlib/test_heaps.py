from __future__ import annotations

from tests.script.agreement import agree, programs

ITEM = """
class Item:
    def __init__(self, place):
        self.place = place

    def __lt__(self, other):
        return self.place > other.place
"""


@programs(
    "h = [3, 1, 2]\nH.heapify(h)\nH.heappush(h, 0)\nprint([H.heappop(h) for _ in range(4)])",
    "h = []\nfor n in (2, 9, 4):\n    H.heappush(h, Item(n))\nprint([H.heappop(h).place for _ in range(3)])",
    "print(H.heappushpop([1], 0), H.heapreplace([1], 0))",
    "h = [(1, 'a')]\nH.heappush(h, (0, 'b'))\nprint(h[0])",
)
def test_heaps_are_pythons(program: str) -> None:
    agree(f"import heapq as H\n{ITEM}\n{program}")
