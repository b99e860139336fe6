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
        ("Ada Lovelace", "ada"),
        ("countess", "ada"),
        ("ada@x", None),
        ("mullerzoe", "zoe"),
        ("", None),
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
    ("text", "told"),
    [
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


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\nid;name;email\r\n17;Ada Lovelace;a@x\r\n",
        "First name,Last name,ID number,Email address\nAda,Lovelace,17,a@x\n",  # Moodle
        "Student,ID,SIS User ID,SIS Login ID,Email\n    Points Possible,,,,\nAda Lovelace,9,17,al,a@x\n",  # Canvas
        "First Name,Last Name,SID,Email,Role\nAda,Lovelace,17,a@x,Student\n",  # Gradescope
        "Matrikelnummer;Vorname;Nachname;E-Mail\n17;Ada;Lovelace;a@x\n",
        "Identifier,Full name,Email address,Status\nParticipant 17,Ada Lovelace,a@x,Submitted\n",  # Moodle's worksheet
        "Student,ID,SIS User ID,Email\n,,,,Manual Posting\n    Points Possible,,,\nAda Lovelace,9,17,a@x\n"
        '"Student, Test",10,,,\n',
        "Student,ID,SIS User ID,Email\nAda Lovelace,17,,a@x\n",
        "First Name,Last Name,SID,Email,Role\nBob,Ross,,b@x,Instructor\nAda,Lovelace,17,a@x,Student\nC,D,,,TA\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_what_other_systems_export(text: str, encoding: str) -> None:
    (ada,) = read_roster(text.encode(encoding), "r.csv")
    assert (ada.id, ada.name, ada.email) == ("17", "Ada Lovelace", "a@x")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"PK\x03\x04\x14\x00", "r.csv: it is a zip archive, or a document of an office: unpack it, or save it as"),
        (b"id,name,id\n1,Ada,2\n", "r.csv: it has two columns id"),
        (b"id,name\n1,Ada\x00\n", "r.csv: line 2 holds \\x00, which is no text"),
    ],
)
def test_a_file_that_is_no_roster(data: bytes, told: str) -> None:
    with pytest.raises(UsageError) as error:
        read_roster(data, "r.csv")
    assert told in str(error.value)
