from __future__ import annotations

from tests.script.agreement import REFUSED, agree, programs


@programs(
    "V = List[float]; M = Optional[int]\ndef f(a: V, b: 'M' = None) -> typing.Tuple[int, ...]: return 1\n"
    "print(f([1.0]))",
    "print(typing.cast(int, 'a'), typing.TYPE_CHECKING)",
    "T = typing.TypeVar('T')\nclass Box(typing.Generic[T]):\n    def __init__(self, x): self.x = x\nprint(Box(3).x)",
    "F = Union[int, None] | List[Callable[[int], float]]\nprint(F is not None)",
    "class Shape(abc.ABC):\n    @abc.abstractmethod\n    def area(self): ...\n"
    "class Square(Shape):\n    def area(self): return 4\n"
    "print(Square().area(), isinstance(Square(), Shape)); refused(lambda: Shape())",
)
def test_annotations_mean_nothing(program: str) -> None:
    agree(f"import abc, typing\nfrom typing import Callable, List, Optional, Union{REFUSED}{program}")
