"""Records in JSON Lines and CSV with hostile fields, under programs that run over columns and programs that do not."""

from __future__ import annotations

import gzip
import json
from random import Random

from tests.engine.random_programs import BINARY, UNARY
from tests.fuzz import words
from tests.fuzz.case import Case
from tests.fuzz.generators.mutation import HOSTILE, damaged, mutated
from tests.fuzz.generators.options import mixed, options
from tests.fuzz.generators.programs import program, renumbered
from tests.fuzz.generators.values import array, entry, number, shape, value

NAMES = ["x", "y", "w", "θ", "x₁"]
FIELDS = [
    "NaN", "Infinity", "-Infinity", "1e309", "-1e309", "1e308", "1E-400", "-0", "-0.0", "1e5", "0.1",
    "9007199254740993", "9" * 25, "9" * 400, "9" * 5000, "1." + "3" * 400, "true", "false", "null", '"1"', '""',
    '"\\u0000"', '"\\ud800"', '"\\u001f"', "[]", "[1, 2]", "[[1], [2, 3]]", "[null]", "[1e400]", "{}", '{"x": 1}',
    "01", "1.", ".5", "+1", "0x1", "1_0", "", "[" * 250 + "]" * 250, "[" * 3000 + "]" * 3000, "1 2", "--1", "'1'",
    "[NaN]", "[true, 2]", '"\u202e"', '"\x7f\x9b"',
]  # fmt: skip
KEYS = ["id", "program", "at", "ok", "value", "gradients", "record", "error", "", "é", "a\\nb", "\\u0000", "d_x", "x"]
CELLS = [*FIELDS, "nan", "inf", '"', '""', '"a,b"', '"a""b"', " 1 ", "1;2", "1,5", "x" * 200, "\t", "\x00", "\r"]
ENDS = ["\n"] * 12 + ["\r\n", "\n\n", "\r", "\n \n", "", "\n\ufeff"]


def columnar(random: Random, names: list[str]) -> str:
    """A program of numbers, operation by operation."""
    text = random.choice(names)
    for name in names:
        text = random.choice(UNARY).format(f"({text})")
        text = random.choice([*BINARY, "{0} + {1}", "{0}*{1}"]).format(f"({text})", name)
    return text


def case(random: Random) -> Case:
    names = random.sample(NAMES, random.randint(1, 3))
    text = columnar(random, names) if random.random() < 0.75 else renumbered(random, program(random))
    if random.random() < 0.15:
        text = mutated(random, text, words.programs(), 2)
    is_each, is_table = random.random() < 0.15, random.random() < 0.35
    given = [f"{name}={number(random)}" for name in names if random.random() < 0.15]
    if random.random() < 0.04:
        given.append(f"{random.choice(names)}={value(random)}")
    if is_each:
        records = each(random)
    elif is_table:
        records = table(random, names)
    else:
        records = "".join(record(random, names) + random.choice(ENDS) for _ in range(random.randint(0, 6)))
    data = records.encode("utf-8", "surrogatepass")
    if random.random() < 0.2:
        data = damaged(random, data)
    return whole(random, [] if is_each else [text, *given], data, names, is_each=is_each, is_table=is_table)


def whole(
    random: Random, arguments: list[str], data: bytes, names: list[str], *, is_each: bool, is_table: bool
) -> Case:
    """The case of some records: how they come in, and where the results go."""
    texts = {"--wrt": names, "--of": names, "--upstream": [number(random), array(random, shape(random))]}
    chosen = options(random, "batch", texts, without=["--file", "--input", "--output", "--jobs", "--format", "--each"])
    if is_each:
        chosen.append("--each")
    if random.random() < 0.004:
        chosen += ["--jobs", "2"]
    if random.random() < 0.05:
        chosen += ["-o", random.choice(["out.jsonl", "out.csv", "out.jsonl.gz", "out.csv.gz", "no/such", ".", ""])]
    if random.random() < 0.7:
        chosen += ["--format", "csv"] if is_table else ["--format", "jsonl"] if random.random() < 0.1 else []
        return Case("batch", mixed(random, "batch", arguments, chosen), stdin=data)
    name = f"points.{'csv' if is_table else 'jsonl'}"
    if random.random() < 0.15:
        name, data = f"{name}.gz", gzip.compress(data, mtime=0)
        data = damaged(random, data, 1) if random.random() < 0.3 else data
    return Case("batch", mixed(random, "batch", arguments, ["-i", name, *chosen]), ((name, data),))


def field(random: Random) -> str:
    kind = random.random()
    if kind < 0.75:
        return str(json.dumps(float(entry(random, "reals"))))
    if kind < 0.8:
        return array(random, shape(random), random.choice(["reals", "integers"]))
    return random.choice(FIELDS)


def record(random: Random, names: list[str]) -> str:
    """One line of JSON; a variable is seldom left out or said twice, another field seldom added."""
    fields = [(name, field(random)) for name in names if random.random() < 0.97]
    if random.random() < 0.2:
        fields.append((random.choice(KEYS), random.choice([field(random), random.choice(FIELDS)])))
    if random.random() < 0.05 and fields:
        fields.append(random.choice(fields))
    if random.random() < 0.1:
        random.shuffle(fields)
    text = "{" + ", ".join(f'"{name}": {given}' for name, given in fields) + "}"
    return mutated(random, text, most=2) if random.random() < 0.06 else text


def table(random: Random, names: list[str]) -> str:
    """A header and rows of CSV."""
    header = [*names, *(["id"] if random.random() < 0.3 else [])]
    if random.random() < 0.08:
        header.append(random.choice([*header, "", "value", "d_x", "ok", random.choice(HOSTILE)]))
    rows = [header]
    for _ in range(random.randint(0, 6)):
        row = [entry(random, "reals") if random.random() < 0.9 else random.choice(CELLS) for _ in header]
        rows.append(row if random.random() < 0.95 else random.choice([row[:-1], [*row, "1"], [], [""]]))
    return "".join(",".join(row) + random.choice(ENDS) for row in rows)


def each(random: Random) -> str:
    """Records that bring their programs."""
    lines = []
    for _ in range(random.randint(1, 4)):
        fields = {"program": json.dumps(program(random), ensure_ascii=random.random() < 0.5)}
        if random.random() < 0.4:
            fields["at"] = record(random, ["x"]) if random.random() < 0.8 else random.choice(FIELDS)
        if random.random() < 0.05:
            fields[random.choice(["program", "at", "id"])] = random.choice(FIELDS)
        lines.append("{" + ", ".join(f'"{name}": {text}' for name, text in fields.items()) + "}" + random.choice(ENDS))
    return "".join(lines)
