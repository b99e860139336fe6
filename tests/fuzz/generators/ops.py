"""Every operation with hostile arguments: numbers at which arithmetic breaks, shapes that do not fit, other kinds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from inspect import Parameter
from random import Random

from tests.fuzz import words
from tests.fuzz.case import Case
from tests.fuzz.generators.options import options
from tests.fuzz.generators.programs import renumbered, summed
from tests.fuzz.generators.values import FILLINGS, STRANGE, array, entry, number, shape

Maker = Callable[[Random, list[str]], str]

NAMED = re.compile(r"\w+=(?!=)")
COMMANDS = ("grad", "grad", "eval", "verify", "trace", "graph")
WORDS = [
    "mean",
    "sum",
    "none",
    "same",
    "valid",
    "reflect",
    "constant",
    "bilinear",
    "linear",
    "i,j->ij",
    "ii",
    "word",
    "",
]
SIZES = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "-2",
    "5",
    "1.5",
    "10**6",
    "2**31",
    "2**62",
    "-2**31",
    "-2**63",
    "2**64",
    "nan",
    "inf",
    "True",
    "None",
    "x",
]


def tensor(random: Random, given: list[str]) -> str:
    """A tensor: a variable with a value, mostly of a shape that another has, a list as it is, or an expression."""
    if given and random.random() < 0.25:
        return random.choice(given).partition("=")[0]
    if random.random() < 0.1:
        return random.choice([array(random, shape(random)), number(random), "x.shape", "x[0]", "x*0", "x/0"])
    name = "xyzwuvab"[len(given)] if len(given) < 8 else "x"
    if len(given) < 8:
        shapes = [one.partition("=")[2] for one in given]
        same = random.random() < 0.5 and shapes
        given.append(
            f"{name}={random.choice(shapes) if same else array(random, shape(random), random.choice(FILLINGS))}"
        )
    return name


def size(random: Random, _: list[str]) -> str:
    return random.choice(SIZES) if random.random() < 0.35 else str(random.randint(-1, 3))


def sizes(random: Random, given: list[str]) -> str:
    if random.random() < 0.5:
        return size(random, given)
    parts = [size(random, given) for _ in range(random.randint(0, 4))]
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def tensors(random: Random, given: list[str]) -> str:
    parts = [tensor(random, given) for _ in range(random.randint(0, 3))]
    return f"[{', '.join(parts)}]"


def strange(random: Random, _: list[str]) -> str:
    return random.choice(STRANGE)


def one_of(*makers: Maker) -> Maker:
    return lambda random, given: random.choice(makers)(random, given)


def words_of(*texts: str) -> Maker:
    return lambda random, _: random.choice(texts)


def indices(random: Random, _: list[str]) -> str:
    return array(random, shape(random), random.choice(["integers", "integers", "zeros", "hostile"]))


def numeral(random: Random, _: list[str]) -> str:
    return number(random, 0.5) if random.random() < 0.5 else entry(random, "reals")


# By the annotations of parameters, as `gradcli.ops.support.arguments.READERS` has them.
MAKERS: dict[str, Maker] = {
    "Tensor": tensor,
    "Real": tensor,
    "Array": tensor,
    "Indices": indices,
    "Places": indices,
    "Operand": one_of(tensor, tensor, numeral),
    "Dims": sizes,
    "Dims | bool": one_of(sizes, words_of("True", "False")),
    "int | Tensor": one_of(size, tensor),
    "Shape": sizes,
    "Pair": sizes,
    "Padding": one_of(sizes, words_of("'same'", "'valid'")),
    "Sequence[Tensor]": tensors,
    "Tensors": one_of(tensor, tensors),
    "Dtype": words_of("float64", "float32", "int64", "bool", "'float32'"),
    "int": size,
    "float": numeral,
    "bool": words_of("True", "False", "True", "False", "1"),
    "str": one_of(lambda random, _: repr(random.choice(WORDS))),
    "Any": one_of(tensor, numeral, sizes, tensors),
}


def argument(random: Random, annotation: str, given: list[str], makers: Mapping[str, Maker]) -> str:
    """An argument of the kind that a parameter takes; sometimes of another kind."""
    if random.random() < 0.06:
        return random.choice([*makers.values(), strange])(random, given)
    return makers[annotation.removesuffix(" | None")](random, given)


def arguments(random: Random, name: str, given: list[str], makers: Mapping[str, Maker] = MAKERS) -> list[str]:
    """Arguments for an operation, some by name; `given` gets the values of the variables in them."""
    parts: list[str] = []
    for parameter in words.operations()[name].parameters.values():
        has_default = parameter.default is not parameter.empty
        if has_default and random.random() < 0.6:
            continue
        made = argument(random, str(parameter.annotation), given, makers)
        by_name = has_default or parameter.kind is Parameter.KEYWORD_ONLY or random.random() < 0.1
        parts.append(f"{parameter.name}={made}" if by_name and parameter.kind is not Parameter.VAR_POSITIONAL else made)
    return sorted(parts, key=lambda part: NAMED.match(part) is not None)


def call(random: Random, name: str, given: list[str]) -> str:
    """A call of an operation, as a function or as a method."""
    first, *rest = arguments(random, name, given) or [""]
    if first.isidentifier() and random.random() < 0.3:
        return f"{first}.{name}({', '.join(rest)})"
    return f"{name}({', '.join([first, *rest])})"


def case(random: Random) -> Case:
    if random.random() < 0.01:
        name = random.choice([*words.operations(), "nothing", "Sum", ""])
        return Case("ops", ("ops", name, *options(random, "ops")))
    name = random.choice(list(words.operations()))
    given: list[str] = []
    if random.random() < 0.3:
        text = renumbered(random, random.choice(words.operations()[name].examples))
    else:
        text = call(random, name, given)
    text = summed(random, random.choice([text, text, text, f"{text}*2", f"{text}[0]"]))
    command = random.choice(COMMANDS)
    names = [one.partition("=")[0] for one in given] or ["x"]
    texts = {"--upstream": [number(random), array(random, shape(random))], "--wrt": names, "--of": names, "--to": names}
    return Case("ops", (command, text, *given, *options(random, command, texts, without=["--file"])))
