"""Vectors and matrices: reductions, broadcasting, products, selections, with ties among the entries."""

from __future__ import annotations

from math import prod
from random import Random

from tests.engine.random_programs import broadcast
from tests.fuzz.case import Case
from tests.fuzz.generators import formulas
from tests.fuzz.generators.formulas import WORD, number, signed
from tests.fuzz.generators.values import Shape, nested

SHAPES: list[Shape] = [(), (1,), (2,), (3,), (3,), (2, 2), (2, 3), (3, 2), (1, 3), (3, 1), (3, 3)]
ENTRYWISE = [
    "sin({0})", "tanh({0})", "exp(-abs({0}))", "sigmoid({0})", "relu({0})", "abs({0})", "{d}*{0}", "{0} + {d}",
    "{0}**2", "{0}/{d}", "({d}*{0})**2", "sqrt({0}**2 + {d})", "log({d} + {0}**2)", "1/({0}**2 + {d})", "-{0}",
    "softplus({0})", "clamp({0}, -{d}, {d})", "atan({0}/{d})", "where({0} > {d}, {0}, {d})", "maximum({0}, {d})",
]  # fmt: skip
PAIRS = ["{0} + {1}", "{0} - {1}", "{0}*{1}", "{0}*{1}", "{0}/({1}**2 + {d})", "maximum({0}, {1})",
         "where({0} > {1}, {0}, {d}*{1})", "hypot({0}, {1})", "{0}/{1}"]  # fmt: skip
WHOLE = ["sum({0})", "mean({0})", "max({0})", "amax({0})", "min({0})", "prod({0})", "median({0})", "norm({0})",
         "sum({0}*{0})", "var({0})"]  # fmt: skip
ALONG = ["sum({0}, dim={1})", "mean({0}, dim={1})", "amax({0}, dim={1})", "amin({0}, dim={1})", "prod({0}, dim={1})",
         "logsumexp({0}, dim={1})", "sum({0}, dim={1}, keepdim=True)", "mean({0}, dim={1}, keepdim=True)"]  # fmt: skip
SAME = ["softmax({0}, dim={1})", "log_softmax({0}, dim={1})", "cumsum({0}, dim={1})", "cumprod({0}, dim={1})",
        "{0} - mean({0}, dim={1}, keepdim=True)", "{0}/sum({0}, dim={1}, keepdim=True)"]  # fmt: skip


def case(random: Random) -> Case:
    shapes: dict[str, Shape] = {}

    def program(random: Random) -> str:
        shapes.clear()
        shapes.update((name, random.choice(SHAPES)) for name in random.sample("Xwbu", random.randint(1, 3)))
        return statements(random, dict(shapes))

    def values(random: Random, text: str) -> dict[str, str]:
        pool = [signed(random) for _ in range(random.choice([2, 4, 30]))]  # a small one has ties
        return {
            name: nested([random.choice(pool) for _ in range(size(shape))], shape)
            for name, shape in shapes.items()
            if name in WORD.findall(text)
        }

    return formulas.case("tensors", random, program, values)


def size(shape: Shape) -> int:
    return prod(shape)


def statements(random: Random, shapes: dict[str, Shape]) -> str:
    """Statements that read those above them, and a number or one of the results for an output."""
    lines = []
    for place in range(random.randint(1, 4)):
        text, shape = statement(random, shapes)
        shapes[f"v{place}"] = shape
        lines.append(f"v{place} = {text.replace('{d}', number(random))}")
    last = list(shapes)[-1]
    kind = random.random()
    ending = "sum({0})" if kind < 0.6 else "mean({0}**2)" if kind < 0.8 else "{0}"
    return "; ".join([*lines, ending.format(last)])


def statement(random: Random, shapes: dict[str, Shape]) -> tuple[str, Shape]:
    name = random.choice([*shapes, list(shapes)[-1]])
    shape, kind = shapes[name], random.random()
    if kind < 0.3:
        return filled(random.choice(ENTRYWISE), name), shape
    if kind < 0.55:
        fitting = [(other, both) for other in shapes if (both := broadcast(shape, shapes[other])) is not None]
        other, both = random.choice(fitting)
        return filled(random.choice(PAIRS), *random.sample([name, other], 2)), both
    if kind < 0.7 and shape:
        pairs = [other for other in shapes if shapes[other] and shapes[other][0] == shape[-1]]
        if pairs and len(shape) <= 2:
            other = random.choice(pairs)
            return f"{name} @ {other}", (*shape[:-1], *shapes[other][1:])
        return (f"{name}.T @ {name}", (shape[1], shape[1])) if len(shape) == 2 else (f"{name} @ {name}", ())
    if not shape:
        return filled(random.choice(ENTRYWISE), name), shape
    if kind < 0.78:
        return filled(random.choice(WHOLE), name), ()
    if kind < 0.84:
        return random.choice([(f"{name}[0]", shape[1:]), (f"{name}[-1:]", (1, *shape[1:])),
                              (f"reshape({name}, (-1,))", (size(shape),))])  # fmt: skip
    dim = random.randrange(len(shape))
    if random.random() < 0.5:
        return filled(random.choice(SAME), name, dim), shape
    text = random.choice(ALONG)
    return filled(text, name, dim), (*shape[:dim], *(1,) * ("keepdim" in text), *shape[dim + 1 :])


def filled(text: str, *parts: object) -> str:
    return text.format(*parts, d="{d}")
