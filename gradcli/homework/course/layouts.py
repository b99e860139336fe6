"""The owner of a file, by the place where a system puts it.

Moodle puts each student's files into `Ada Lovelace_657717_assignsubmission_file_/`, or before the name of each; Canvas
writes `lovelaceada_LATE_4711_90210_answers-1.txt` with the numbers of user and attachment, and how often a name was
handed in before, or `anon_x7Yz1_90210_answers.txt`; both name a group that hands in together. Blackboard writes
`Week 3_ada_attempt_2026-11-20-10-12-33_answers.txt`, and beside it the same without the name of the file, with what was
typed below `Submission Field:`. Gradescope makes
`submission_123/` beside `submission_metadata.yml`; GitHub Classroom a clone `week3-adalovelace/` each in
`week3-submissions/`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path

from gradcli.facts import dataclass
from gradcli.homework.course.columns import Row
from gradcli.homework.course.exports import in_rows
from gradcli.homework.course.lateness import times_of
from gradcli.homework.course.roster import Enrolled, Roster
from gradcli.homework.course.variants import Variants
from gradcli.homework.model import SEVERAL, STRANGER, Result, lowered
from gradcli.homework.submission.classes import read_file
from gradcli.homework.submission.files import ENDINGS, File, students_of, warn_of
from gradcli.homework.submission.hand_ins import HandIn, told_apart
from gradcli.homework.submission.names import identity
from gradcli.homework.submission.submissions import Submission

METADATA = "submission_metadata.yml"
ENTRY = re.compile(r"(?P<indent> *)(?P<item>- )?:?(?P<key>[\w.-]+):(?: +(?P<value>.*))?")


@dataclass(slots=True)
class HandedIn:
    """Who handed in a folder, by name, `sid` and email, and when: the first `:created_at:` below its name."""

    submitters: list[dict[str, str]] = field(default_factory=list)
    created: str = ""


def metadata(text: str) -> dict[str, HandedIn]:
    """Return who handed in each folder, and when.

    Only these lines of the YAML are read, as Gradescope writes them: `submission_1:` at the margin, below it
    `:submitters:`, and there `- :name: Ada`, `:sid: '17'`, `:email: ada@example.org`. Others, deeper in the history of
    a submission, hand in nothing here.
    """
    folders: dict[str, HandedIn] = {}
    folder, level, depth = None, -1, -1  # level: of the keys of a folder; depth: of `:submitters:`, while it is read
    for line in text.splitlines():
        entry = ENTRY.fullmatch(line.rstrip())
        if entry is None:
            folder = folder if line[:1].isspace() else None  # a line at the margin that nobody knows: nobody's folder
            continue
        indent, key, value = len(entry["indent"]), entry["key"], entry["value"] or ""
        if indent == 0 and not entry["item"]:
            folder, level, depth = folders.setdefault(key, HandedIn()), -1, -1
            continue
        if folder is None:
            continue
        level = indent if level < 0 else level
        if key == "created_at":
            folder.created = folder.created or unquoted(value)
        if key == "submitters" and indent == level and not entry["item"]:
            depth = indent
        elif depth >= 0 and (indent > depth or (entry["item"] and indent == depth)):
            if entry["item"]:
                folder.submitters.append({})
            if folder.submitters:
                folder.submitters[-1][key] = unquoted(value)
        else:
            depth = -1
    return folders


def unquoted(value: str) -> str:
    """Return a scalar of YAML as its text."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"')
    return "" if value in ("null", "~") else value


MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<number>\d+))?_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)", re.DOTALL)
CANVAS = re.compile(
    r"(?:(?P<name>[^\W_]+)_(?:LATE_)?(?P<number>\d+)|(?:LATE_)?anon_(?P<anonymous>\w+?))"
    r"_(?:\d+_(?P<rest>.+)|(?:text|link)\.html)",
    re.IGNORECASE | re.DOTALL,
)
BLACKBOARD = re.compile(
    r".+_(?P<name>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|\.txt)", re.IGNORECASE | re.DOTALL
)
FIELD = re.compile(r"^Submission Field:[^\S\n]*\n(?P<typed>.*?)(?=^Comments:|^Files:|\Z)", re.MULTILINE | re.DOTALL)
NOTHING_TYPED = "There is no student submission text data"
GRADESCOPE = re.compile(r"submission_\d+")
CLONES = "-submissions"  # ends the name of a folder that `gh classroom clone student-repos` makes
AGAIN = re.compile(r"-(\d+)$")  # before the ending of what Canvas has got again under one name
ATTEMPT = re.compile(r"(?:^|[-_ .])(?:attempt|try)[-_ ]?(\d{1,4})$", re.IGNORECASE)
LARGEST = 2**24  # bytes of what Gradescope writes about a class


@dataclass(frozen=True)
class Folder:
    """A folder that is named, with the files in it that are graded; `tops` are the names that lie in it itself."""

    root: Path
    files: Sequence[File]
    tops: Mapping[str, bool] = field(default_factory=dict)  # and whether each is a folder

    def parts(self, file: File) -> tuple[str, ...]:
        return file.path.relative_to(self.root).parts

    def first(self, file: File) -> str:
        """Return the name of what lies in the folder itself and holds a file; of the file without its ending."""
        first, *deeper = self.parts(file)
        return first if deeper else file.path.stem


def works(files: Sequence[File], layout: str | None = None, *, has_attempts: bool = False) -> Iterator[HandIn]:
    """Yield the files with their students; each folder is in the `layout`, or in the one that it plainly has.

    With `has_attempts`, a name such as `ada_attempt2.txt` has the number of an attempt in any layout; without, in none.
    """
    roots: dict[Path, list[File]] = {}
    for file in files:
        if file.folder is not None:
            roots.setdefault(download_of(file.folder), []).append(file)
        elif layout is not None and file.data is None:
            roots.setdefault(download_of(file.path.parent), []).append(file)
    hand_ins: dict[Path, list[HandIn]] = {}
    for root, root_files in roots.items():
        folder = unwrapped(Folder(root, root_files, tops(root, root_files)), layout)
        for work in LAYOUTS[layout or recognised(folder)](folder):
            hand_ins.setdefault(work.file.path, []).append(work)
    for file, student in zip(files, students_of(files), strict=True):
        for work in hand_ins.get(file.path) or [HandIn(file, student, clues=(student, file.path.stem, around(file)))]:
            yield numbered(work) if has_attempts else replace(work, attempt=None, is_again=bool(work.attempt))


def download_of(folder: Path) -> Path:
    """Return the folder of a whole download where that of one student is named, else the folder itself."""
    is_of_student = MOODLE.fullmatch(folder.name) or GRADESCOPE.fullmatch(folder.name)
    return folder.parent if is_of_student else folder


def unwrapped(folder: Folder, layout: str | None) -> Folder:
    """Return the folder of a download where another holds that alone, as where an archive was unpacked."""
    while layout not in ("folders", "github", "plain") and list(folder.tops.values()) == [True]:
        (name,) = folder.tops
        if MOODLE.fullmatch(name) or GRADESCOPE.fullmatch(name) or slug(folder):
            break
        folder = Folder(folder.root / name, folder.files, tops(folder.root / name, folder.files))
    return folder


def tops(root: Path, files: Sequence[File]) -> dict[str, bool]:
    """Return the names in a folder from which its files are reached."""
    places = (file.path.relative_to(root).parts for file in files)
    return {parts[0]: len(parts) > 1 for parts in places if parts}


def recognised(folder: Folder) -> str:
    """Return the layout that most names in a folder leave no doubt about, else `plain`.

    A file that somebody has put beside the work of a class changes nothing.
    """
    loose = [name for name, is_folder in folder.tops.items() if not is_folder]
    folders = [name for name, is_folder in folder.tops.items() if is_folder]
    if most(MOODLE, folder.tops):
        return "moodle"
    if len(loose) > len(folders) and most(CANVAS, loose):
        return "canvas"
    if len(loose) > len(folders) and most(BLACKBOARD, loose):
        return "blackboard"
    if most(GRADESCOPE, folders):
        return "gradescope"
    if len(folders) <= len(loose):
        return "plain"
    if slug(folder):
        return "github"
    stems = Counter(identity(file.path.stem) for file in folder.files if len(folder.parts(file)) > 1)
    return "folders" if len(folders) > 1 and max(stems.values()) > len(folders) / 2 else "plain"


def most(pattern: re.Pattern[str], names: Collection[str]) -> bool:
    """Return whether a pattern is that of more than half of some names."""
    return 2 * sum(pattern.fullmatch(name) is not None for name in names) > len(names)


def folders(folder: Folder) -> Iterator[HandIn]:
    """Yield the files of folders that are called after their students."""
    for file in folder.files:
        name = folder.first(file)
        yield HandIn(file, name, clues=(name, *re.split("[_ ]", name), file.path.stem, around(file)))


def canvas(folder: Folder) -> Iterator[HandIn]:
    """Yield the files of a download of Canvas; what was handed in again under one name is a later attempt."""
    for work in named_and_numbered(folder, CANVAS):
        match = CANVAS.fullmatch(folder.parts(work.file)[0])
        again = AGAIN.search(Path(match["rest"]).stem) if match and match["rest"] else None
        yield replace(work, attempt=int(again[1]) + 1 if again else None)


def blackboard(folder: Folder) -> Iterator[HandIn]:
    """Yield the files of a download of Blackboard, and what was typed there; those of a later time are an attempt."""
    matches = [(file, BLACKBOARD.fullmatch(folder.parts(file)[0])) for file in folder.files]
    times: dict[str, set[str]] = {}
    for _, match in matches:
        if match:
            times.setdefault(identity(match["name"]), set()).add(match["time"])
    for file, match in matches:
        if match is None:
            yield HandIn(file, folder.first(file), clues=(folder.first(file),))
            continue
        attempt = sorted(times[identity(match["name"])]).index(match["time"])
        work = HandIn(file, match["name"], clues=(match["name"],), attempt=attempt + 1 if attempt else None)
        text, problem = read_file(file, LARGEST) if not match["rest"] else ("", "")
        field = FIELD.search(text)
        typed = "" if field is None or field["typed"].lstrip().startswith(NOTHING_TYPED) else field["typed"]
        yield work if match["rest"] or problem else replace(work, text=(typed, ""))


def named_and_numbered(folder: Folder, pattern: re.Pattern[str]) -> Iterator[HandIn]:
    """Yield files in whose first part a pattern finds a name, and mostly a number; without, the part is the name.

    Students of one name are told apart by their numbers.
    """
    matches = [pattern.fullmatch(folder.parts(file)[0]) for file in folder.files]
    named = [
        (match["name"] or match.groupdict().get("anonymous", ""), match["number"] or "") if match else None
        for match in matches
    ]
    numbers: dict[str, set[str]] = {}
    for name, number in filter(None, named):
        numbers.setdefault(identity(name), set()).add(number)
    for file, name_and_number in zip(folder.files, named, strict=True):
        if name_and_number is None:
            yield HandIn(file, folder.first(file), clues=(folder.first(file),))
            continue
        name, number = name_and_number
        is_alone = len(numbers[identity(name)]) == 1
        after = name.rpartition("-")[2].strip()  # behind the name of a group
        yield HandIn(file, name if is_alone else f"{name}_{number}", clues=(number, name, after))


def gradescope(folder: Folder) -> Iterator[HandIn]:
    """Yield the files of an export of Gradescope; who handed one in stands in a file beside them."""
    text, problem = read_file(File(folder.root / METADATA, folder.root), LARGEST)
    known = {} if problem else metadata(text)
    times = dict(zip(known, times_of([handed_in.created for handed_in in known.values()]), strict=True))
    for file in folder.files:
        first = folder.first(file)
        submitters = known[first].submitters if first in known else []
        submitter_clues = [tuple(filter(None, map(who.get, ("sid", "email", "name")))) for who in submitters]
        for clues in list(filter(None, submitter_clues)) or [(first,)]:  # each of a group has the work
            yield HandIn(file, clues[0], clues=clues, submitted=times.get(first))


def github(folder: Folder) -> Iterator[HandIn]:
    """Yield the files of clones that GitHub Classroom makes, which are called after assignment and student."""
    start = slug(folder) or common(list(folder.tops))
    for file in folder.files:
        name = folder.first(file)
        user = name.removeprefix(start) if name.startswith(start) else name
        yield HandIn(file, user, clues=(user,))


def slug(folder: Folder) -> str:
    """Return the text that the clones in a folder begin with, after the name of the folder; "" where they do not."""
    name = folder.root.resolve().name
    start = f"{name.removesuffix(CLONES)}-"
    is_it = name.endswith(CLONES) and most(re.compile(rf"{re.escape(start)}.*", re.DOTALL), folder.tops)
    return start if is_it else ""


def common(names: Sequence[str]) -> str:
    """Return the beginning up to a hyphen that several names share."""
    first, last = min(names, default=""), max(names, default="")
    shared = next((first[:end] for end in range(len(first), 0, -1) if last.startswith(first[:end])), "")
    return shared[: shared.rfind("-") + 1] if len(names) > 1 else ""


def around(file: File) -> str:
    """Return the name of the nearest folder that is no attempt; it may be that of the student, if it is named alone."""
    return next((name for name in reversed(file.path.parent.parts) if not ATTEMPT.search(name)), "")


def numbered(work: HandIn) -> HandIn:
    """Return work with the number of its attempt, where its name or that of a folder says so: `attempt_2`."""
    parts = work.file.path.relative_to(work.file.folder).parts if work.file.folder else work.file.path.parts[-2:]
    matches = [ATTEMPT.search(part) for part in (*parts[:-1], Path(parts[-1]).stem)]
    number = next((int(match[1]) for match in reversed(matches) if match), work.attempt)
    student = ATTEMPT.sub("", work.student)
    if any(matches[:-1]) and student in ("", str(work.file.path)):  # called after the folder of the attempt alone
        student = around(work.file)
    clues = (*(ATTEMPT.sub("", clue) for clue in work.clues), *work.clues)
    return replace(work, student=student or work.student, clues=clues, attempt=number, is_again=False)


LAYOUTS: Mapping[str, Callable[[Folder], Iterator[HandIn]]] = {
    "plain": lambda _: iter(()),  # files that are called after their students need no folder to say whose they are
    "folders": folders,
    "moodle": partial(named_and_numbered, pattern=MOODLE),
    "canvas": canvas,
    "gradescope": gradescope,
    "github": github,
    "blackboard": blackboard,
}


def to_grade(items: Iterable[HandIn], rule: str) -> Iterator[HandIn]:
    """Yield the attempts that are graded: all for `best`; the last one of each student for `last`."""
    for _, group in groupby(items, key=lambda item: identity(item.student)):
        attempts = list(group)
        unclear = [item for item in attempts if item.submission is not None and item.submission.unreadable]
        # of two files of one attempt nobody can say which of them counts
        yield from unclear[:1] or ([max(attempts, key=number)] if rule == "last" else attempts)


def counted(graded: Iterable[tuple[HandIn, Result]], penalty: float) -> Iterator[Result]:
    """Yield the result of each student that counts: the best one, of equal ones the first, less its penalty."""
    for _, group in groupby(graded, key=lambda pair: identity(pair[0].student)):
        shares = [(number(item), max(0.0, 1 - penalty * (number(item) - 1)), result) for item, result in group]
        best, share, result = max(shares, key=lambda attempt: (lowered(attempt[2], attempt[1]).score, -attempt[0]))
        others = f" as the best of {len(shares)}" if len(shares) > 1 else ""
        less = f", with {100 * share:.3g}% of its points" if share != 1 else ""
        notes = () if best == len(shares) == 1 else (f"attempt {best} counts{others}{less}",)
        yield replace(lowered(result, share), notes=(*result.notes, *notes))


def number(item: HandIn) -> int:
    """Return the number of an attempt; one without is the first."""
    return item.attempt or 1


MISSING = "nothing was handed in"


def collected(
    files: Sequence[File],
    roster: Roster | None = None,
    layout: str | None = None,
    *,
    has_attempts: bool = False,
    variants: Variants | None = None,
    sheets: Mapping[Path, list[Row]] | None = None,
) -> Iterator[HandIn]:
    """Yield the work of every student; with a roster in its order, and then that of others.

    Without one, a file is found to be that of a student to whom a sheet was handed out. A file that is one of the
    `sheets` has a student a row.

    Who is on the roster and handed in nothing has an empty submission. The attempts of a student come one after the
    other.
    """
    students = roster or with_sheets(variants)

    def known(name: str) -> str:
        student = students.find([name])
        return student.id if student else name

    hand_ins: list[HandIn] = []
    for work in works(files, layout, has_attempts=has_attempts):
        rows = (sheets or {}).get(work.file.path)
        hand_ins += (
            placed(work, students) if rows is None else in_rows(work.file, rows, students, has_attempts=has_attempts)
        )
    items = told_apart(hand_ins, known)
    yield from in_order(items, roster) if roster else chain.from_iterable(groups_of(items).values())


def with_sheets(variants: Variants | None) -> Roster:
    """Return the students to whom a sheet was handed out."""
    return Roster(tuple(Enrolled(sheet.student) for sheet in variants or ()))


def with_others(files: Sequence[File], others: Sequence[File], students: Roster, layout: str | None) -> list[File]:
    """Return files, and of the `others`, which are not read, those that are all that a student handed in.

    Warns of the rest.
    """
    have = {hand_in.student for work in works(files, layout) for hand_in in placed(work, students)} if others else set()
    theirs = [
        work.file
        for work in works(others, layout)
        if any(who.id not in have for who in students.owners((work.student, *work.clues)))
    ]
    warn_of([file for file in others if file not in theirs])
    problem = f"files of this kind are not read: hand in one that ends in {ENDINGS[0]}"
    return [*files, *(replace(file, problem=problem) for file in dict.fromkeys(theirs))]


def placed(work: HandIn, students: Roster) -> Iterator[HandIn]:
    """Yield work as that of the student whom it says, or of each in the group."""
    owners = students.owners((work.student, *work.clues))
    yield from (replace(work, student=student) for student in [owner.id for owner in owners] or [work.student])


def groups_of(items: Iterable[HandIn]) -> dict[str, list[HandIn]]:
    """Return the items of each student, by identity."""
    groups: dict[str, list[HandIn]] = {}
    for item in items:
        groups.setdefault(identity(item.student), []).append(item)
    return groups


def in_order(items: Iterable[HandIn], roster: Roster) -> Iterator[HandIn]:
    """Yield the items of the roster in its order, an empty one for who handed in nothing, and then those of others."""
    groups = groups_of(items)
    for student in roster:
        nothing = HandIn(File(Path(roster.file)), student.id, Submission("", student.id))
        yield from groups.pop(identity(student.id), [nothing])
    for hand_ins in groups.values():
        for item in hand_ins:
            yield replace(item, remark=SEVERAL if roster.is_ambiguous(item.student) else STRANGER)


def introduced(result: Result, roster: Roster | None) -> Result:
    """Return a result with the name and the email of its student, and a note where nothing was handed in."""
    student = roster.find([result.student]) if roster else None
    notes = (*result.notes, MISSING) if not result.file else result.notes
    return replace(result, notes=notes, name=student.name if student else "", email=student.email if student else "")
