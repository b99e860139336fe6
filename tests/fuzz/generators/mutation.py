"""Changes to texts and bytes: tokens taken out, doubled, swapped, replaced; bytes flipped, cut, put in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

TOKEN = re.compile(r"\w+|\s+|[^\w\s]", re.ASCII)
HOSTILE = [
    "", " ", "\n", "\t", "\r", "\x00", "\x1b[31m", "\x07", "\x7f", "\x9b", "\u202e", "\u2028", "\ufeff", "é",
    "e\u0301", "梯度", "θ", "😀", "0", "-1", "1e308", "1e999", "nan", "inf", "9" * 30, "1_000", "0x1", "[", "]", "(",
    ")", "{", "}", "'", '"', "\\", "#", ";", "=", "==", ":", ",", ".", "..", "...", "*", "**", "^", "@", "%", "//", "!",
    "?", "$", "~", "|", "&", "<", ">", "·", "×", "−", "²", "∂",
]  # fmt: skip
BYTES = [
    b"\x00",
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\x80",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\r",
    b"\r\n",
    b"\n",
    b"\x1a",
    b"\x1f\x8b\x08",
]


def tokens(text: str) -> list[str]:
    return TOKEN.findall(text)


def mutated(random: Random, text: str, others: Sequence[str] = (), most: int = 4) -> str:
    """The text with one to `most` changes; `others` are texts whose tokens may come in."""
    parts = tokens(text)
    for _ in range(random.randint(1, most)):
        change(random, parts, others)
    return "".join(parts)


def change(random: Random, parts: list[str], others: Sequence[str]) -> None:
    if not parts:
        parts.append(random.choice(HOSTILE))
        return
    place, kind = random.randrange(len(parts)), random.randrange(8)
    if kind == 0:
        del parts[place]
    elif kind == 1:
        parts.insert(place, random.choice(HOSTILE))
    elif kind == 2:
        parts[place] = random.choice(HOSTILE)
    elif kind == 3:
        other = random.randrange(len(parts))
        parts[place], parts[other] = parts[other], parts[place]
    elif kind == 4:
        parts[place] = random.choice(parts)
    elif kind == 5:
        end = min(len(parts), place + random.randint(1, 8))
        parts[place:place] = parts[place:end] * random.choice([1, 1, 1, 2, 40])
    elif kind == 6:
        del parts[place : place + random.randint(1, 12)]
    elif others:
        donor = tokens(random.choice(others))
        start = random.randrange(len(donor)) if donor else 0
        parts[place : place + 1] = donor[start : start + random.randint(1, 6)]


def damaged(random: Random, data: bytes, most: int = 3) -> bytes:
    """The bytes with one to `most` changes."""
    for _ in range(random.randint(1, most)):
        place, kind = random.randint(0, len(data)), random.randrange(5)
        if kind == 0:
            data = data[:place] + random.choice(BYTES) + data[place:]
        elif kind == 1:
            data = data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
        elif kind == 2:
            data = data[:place] + data[place + random.randint(1, 20) :]
        elif kind == 3:
            data = data[:place]
        else:
            data = data[:place] + data[max(0, place - random.randint(1, 20)) : place] + data[place:]
    return data
