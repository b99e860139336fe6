"""TOML that would take a machine's time or memory is refused before it is read, at its place."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.homework.assignment.places import DEEPEST, LARGEST, read_table
from gradcli.source import Source

DOTTED = ".".join("a" * (DEEPEST + 1))


def refusal(text: str) -> tuple[str, int, int]:
    """The message of the error for a text, with its line and column."""
    source = Source(text, "week.toml")
    with pytest.raises(UsageError) as caught:
        read_table(source)
    assert caught.value.code == "E020"
    assert caught.value.span is not None
    return caught.value.message, *source.position(caught.value.span.start)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (f"x = 1\n[[{DOTTED}]]\n", 2, 3),
        (f"{'.'.join(['a'] * 20_000)} = 1", 1, 1),
        (f't = """\n{DOTTED}\n"""\n{DOTTED} = 1', 4, 1),
    ],
)
def test_keys_of_many_parts(text: str, line: int, column: int) -> None:
    assert refusal(text) == (f"a key has at most {DEEPEST} parts", line, column)


def test_a_large_text_is_refused_where_it_goes_on_too_long() -> None:
    line = "# " + "a" * 97 + "\n"
    message, number, _ = refusal(line * (LARGEST // 100 + 1))
    assert message == f"this has {(LARGEST // 100 + 1) * 100:,} characters, and {LARGEST:,} are the limit"
    assert number == LARGEST // 100 + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["a-", "'", '"""a', "'a'.", "a   ", "\"''", "#a.b"],
)
def test_no_text_takes_long_to_look_through(piece: str) -> None:
    """Time by the square of the size would be hours."""
    text = piece * (LARGEST // len(piece) - 10) + "\n" + "." * DEEPEST
    with pytest.raises(UsageError):
        read_table(Source(text))


def test_a_name_that_stands_twice_is_told() -> None:
    with pytest.raises(UsageError, match="overwrite") as caught:
        read_table(Source('"Gradient" = "a"\n"Gradient" = "b"\n', "map.toml"))
    assert caught.value.help == "the name before the equals sign stands there already: remove one of the two"
