from __future__ import annotations

from tests.script.agreement import REFUSED, agree, programs

CLASSES = """
@dataclass
class Settings:
    lr: float = 0.1
    layers: List[int] = field(default_factory=list)
    name: Optional[str] = None
    def total(self):
        return sum(self.layers)

@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 2
    def __post_init__(self):
        print("made", self.major)

@dataclass
class More(Settings):
    extra: dict = field(default_factory=dict, repr=False)

class Point(NamedTuple):
    x: float
    y: float = 2.0
"""


@programs(
    "a = Settings(0.5, [1, 2]); b = Settings(); b.layers.append(5); print(a, b, Settings(), "
    "a == Settings(0.5, [1, 2]), a.total())",
    "a = Settings(0.5, [1]); print(dataclasses.asdict(a), dataclasses.astuple(a), dataclasses.replace(a, lr=9))",
    "print([f.name for f in dataclasses.fields(Settings())], dataclasses.is_dataclass(Settings), "
    "dataclasses.is_dataclass(3))",
    "v = Version(1); print(v, v < Version(2), hash(v) == hash(Version(1)), {v: 1}[Version(1)])",
    "refused(lambda: setattr(Version(1), 'major', 5)); refused(lambda: Version()); refused(lambda: Version(1, 2, 3))",
    "refused(lambda: Version(z=1)); refused(lambda: Settings(1, 2, 3, 4)); refused(lambda: dataclasses.asdict(3))",
    "print(More(1, [2], 'n', {3: 4}), More(extra={1: 2}).extra, isinstance(More(), Settings))",
    "a = Settings(); a.lr = 3; print(a, [a], {'a': a}, f'{a}')",
    "p = Point(1.0); x, y = p; print(p, p.x, p[1], list(p), x, y, p == Point(1.0), len(p), Point(y=3.0, x=1.0))",
    "def make():\n    @dataclass\n    class B:\n        x: list = []\nrefused(make)",
)
def test_records_are_pythons(program: str) -> None:
    imports = (
        "import dataclasses\nfrom dataclasses import dataclass, field\nfrom typing import List, NamedTuple, Optional"
    )
    agree(f"{imports}{REFUSED}{CLASSES}{program}")
