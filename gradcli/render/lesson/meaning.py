"""What a gradient means, in a sentence under each leaf."""

from __future__ import annotations

from gradcli.explanation.meaning import Meaning, meanings
from gradcli.explanation.model import Explanation
from gradcli.guard import guarded
from gradcli.render.text.layout import Row
from gradcli.source import visible

DIGITS = 4


def meaning_rows(explanation: Explanation) -> list[Row]:
    """Return the sentences as rows; none where a gradient is not that of a number, or cannot be computed again."""
    found: list[Meaning] = guarded("meaning", lambda: [*meanings(explanation)], [])
    return [Row((visible(sentence(one, explanation.output)),), "aside") for one in found]


def sentence(meaning: Meaning, output: str) -> str:
    """Return `x + 0.01 makes q grow by about 0.32; really 0.3224`."""
    told, really = (f"{abs(change):.{DIGITS}g}" for change in (meaning.told, meaning.really))
    moved = f"{place(meaning)} + {meaning.step:g}"
    if not meaning.told:
        grows = "grows" if meaning.really > 0 else "shrinks"
        more = f"; really it {grows} by {really}" if meaning.really else ""
        return f"{moved} leaves {output} as it is, as far as the slope tells{more}"
    sign = "-" if meaning.really * meaning.told < 0 else ""
    return f"{moved} makes {output} {'grow' if meaning.told > 0 else 'shrink'} by about {told}; really {sign}{really}"


def place(meaning: Meaning) -> str:
    """Return `x`, or `W[0,1]`."""
    return f"{meaning.leaf}[{','.join(map(str, meaning.entry))}]" if meaning.entry else meaning.leaf
