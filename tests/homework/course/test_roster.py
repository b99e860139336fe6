"""The roster: read from any table with ids, and whom a spelling means."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.homework.course.roster import joined, read_roster
from tests.homework.course.weeks import ROSTER, roster


@pytest.mark.parametrize(
    ("clue", "id"),
    [
        ("ada", "ada"),
        (" ADA ", "ada"),
        ("Ada Lovelace", "ada"),
        ("lovelaceada", "ada"),
        ("countess", "ada"),
        ("ada@x.org", "ada"),
        ("ada@x", None),
        ("zoe müller", "zoe"),
        ("mullerzoe", "zoe"),
        ("Zoe\u0308 Mu\u0308ller", "zoe"),
        ("", None),
        ("?", None),
        ("lovelace", None),
    ],
)
def test_whom_a_spelling_means(clue: str, id: str | None) -> None:
    found = roster().find([clue])
    assert (found and found.id) == id


def test_a_spelling_that_means_several_means_nobody() -> None:
    both = roster(f"{ROSTER}ann1,Ann Lee,a@x.org,\nann2,Ann Lee,b@x.org,\n")
    assert both.find(["Ann Lee"]) is None
    assert both.is_ambiguous("ann  lee")
    found = both.find(["Ann Lee", "ann2", "ada"])
    assert found is not None
    assert (found.id, found.whose) == ("ann2", "Ann Lee (ann2)")


@pytest.mark.parametrize(
    "text",
    [
        "Email;ID;Name\na@x;17;Ada\n",
        "\ufeffid\tname\n17\tAda\n".lstrip("\ufeff"),
        'id\r\n"17"\r\n\r\n',
        "id,id2\n 17 ,\n,\n",
    ],
)
def test_tables_of_any_country(text: str) -> None:
    assert [student.id for student in read_roster(text, "r.csv")] == ["17"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column id: it is empty"),
        ("name,email\nAda,a@x\n", "no column id: name,email"),
        ("id,name\n", "it has no students"),
        ("id,name\n17,Ada\n,Bob\n", "line 3 has no id"),
        ("id,name\nada,Ada\nbob,Bob\n Ada,Eve\n", "lines 2 and 4 have one id, ada"),
    ],
)
def test_a_roster_that_cannot_be_used(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        read_roster(text, "roster.csv")
    assert refused.value.code == "E025"


def test_two_rosters_with_one_id() -> None:
    other = read_roster("id\nADA\n", "group2.csv")
    with pytest.raises(UsageError, match=r"roster group2.csv: roster.csv has the id ADA too"):
        joined([roster(), other])
    assert [one.id for one in joined([roster(), read_roster("id\neve\n", "b.csv")])] == ["ada", "bob", "zoe", "eve"]
