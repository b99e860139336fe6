from __future__ import annotations

from tests.script.agreement import REFUSED, agree, limited, programs


@programs(
    "print(random.random(), random.uniform(1, 2), random.randint(1, 6), random.randrange(10), random.getrandbits(8))",
    "print(random.choice('abc'), random.choices([1, 2, 3], k=4), random.choices('ab', weights=[1, 9], k=5))",
    "print(random.sample(range(100), 5), random.sample([1, 2, 3], k=2))",
    "print(random.gauss(0, 1), random.normalvariate(0, 1), random.expovariate(2), random.betavariate(1, 2))",
    "items = list(range(10)); random.shuffle(items); print(items)",
    "own = random.Random(42); print(own.random(), own.randint(0, 9), random.random())",
    "state = random.getstate(); first = random.random(); random.setstate(state); print(first == random.random())",
    "refused(lambda: random.choice([])); refused(lambda: random.sample([1], 2)); refused(lambda: random.randint(2, 1))",
)
def test_seeded_numbers_are_pythons(program: str) -> None:
    agree(f"import random{REFUSED}random.seed(0)\n{program}")


@programs(
    "random.choices([1], k=10**10)",
    "random.sample(range(10**12), 10**10)",
    "random.getrandbits(10**10)",
    "random.shuffle(range(10**12))",
)
def test_sizes_stay_within_the_limits(program: str) -> None:
    limited(f"import random\n{program}")
