"""The mistake in a program that is wrong: the change of one place after which all is right, or the line at fault."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gradcli.facts import dataclass
from gradcli.homework.code.cases import Case, Code, runner, tries
from gradcli.homework.code.numbers import flat, unfilled
from gradcli.homework.code.repairs import line_at_fault, repairs, strange
from gradcli.homework.code.schemata import Change, disturbances, parsed, together, watched
from gradcli.homework.solve.runs.scripts import Refusal

LIKELY = 24  # changes, of which one often is right, that are tried before a
BATCH = 100  # changes that are tried before it is looked whether one was right
MOST_MENDS = 5  # changes that mend some cases, of which is asked whether they mend all
ENDLESS = 8  # changes that may not end
LIMIT = "more than"  # of steps, say the results of what does not end, and of all that follows


class Judge(Protocol):
    """What knows the right numbers of cases, and runs programs."""

    code: Code

    def is_right(self, case: Case, value: Any) -> bool: ...
    def beside(self, case: Case, value: Any) -> tuple[Any, Any]: ...
    def size(self, case: Case) -> int: ...
    def ran(self, original: str, text: str, names: Sequence[str], *, small: bool = True) -> tuple[Any, ...]: ...


def alike(change: Change, other: Change, text: str) -> bool:
    return change[0] == other[0] and strange(change, text) == strange(other, text)


@dataclass(frozen=True)
class Search:
    """The search for the mistake behind the `wrong` cases of a program; `before` are the numbers of all."""

    judge: Judge
    text: str
    cases: Sequence[Case]
    wrong: Sequence[Case]
    before: Mapping[str, Any]

    def repair(self) -> Sequence[Change]:
        """Return the changes of one place, each on its line, after which all is right; else the line at fault alone."""
        try:
            return self.mistakes(ast.parse(self.text))
        except RecursionError:  # it is read, but nested too deeply to be written
            return ()

    def mistakes(self, tree: ast.Module) -> Sequence[Change]:
        code, spectrum = self.judge.code, self.spectrum(self.near)
        reached = spectrum[self.wrong[0].name]
        right = [case for case in self.near if case not in self.wrong]
        shared = set[int]().union(*(spectrum[case.name] for case in right[:: max(len(right) // 8, 1)]))
        off = {case.operation for case in self.wrong}
        alone = reached.intersection(*(spectrum[case.name] for case in self.near if case in self.wrong))
        if code.is_engine:  # an operation may be right elsewhere, as a relu where it lets all through
            alone = alone.difference(*(spectrum[case.name] for case in right if case.operation not in off - {""}))
        alone = alone - self.cleared(tree, alone) or alone
        if not code.is_engine or (alone and "" not in off):  # what is wrong is in one operation, not in the walk
            reached, shared = alone, set()
        has_axes = not code.is_engine or any(isinstance(value, tuple) for case in self.wrong for value in case.at)
        possible = repairs(tree, self.text, reached, shared, code, has_axes=has_axes)
        likely = list(map(parsed, possible[:LIKELY]))
        changes = self.mending_changes(tree, likely)
        if changes and not strange(changes[0], self.text):  # else one of more may be more like what is there
            return changes
        for start in range(0, len(possible), BATCH):
            batch = list(map(parsed, possible[start : start + BATCH]))
            if changes := self.mending_changes(tree, batch):
                return changes
        line = line_at_fault(tree, alone, code)
        return [line] if line is not None else ()

    @property
    def near(self) -> Sequence[Case]:
        """The cases by which statements are told apart: of a layer the quantities of the first call that is wrong."""
        if self.judge.code.is_engine:
            return self.cases
        call = self.wrong[0].name.rpartition("_")[2]
        return [case for case in self.cases if case.name.rpartition("_")[2] == call]

    def mending_changes(self, tree: ast.Module, batch: Sequence[Change]) -> Sequence[Change]:
        """Return the likeliest of some changes after which all is right, tried on some cases that are wrong first.

        Changes on other lines follow, where they are as much like what is there.
        """
        first, *others = {
            case.name: case for case in (self.wrong[0], self.wrong[len(self.wrong) // 2], self.wrong[-1])
        }.values()
        program, held = together(tree, batch)
        mends = self.mending(program, [first], range(1, len(held) + 1))
        changes = [held[number - 1] for number in mends]
        if others and len(mends) > 1:
            program, held = together(tree, changes)
            changes = [held[number - 1] for number in self.mending(program, others, range(1, len(held) + 1))]
        mended: list[Change] = []
        for change in sorted(changes, key=lambda change: (strange(change, self.text), batch.index(change)))[
            :MOST_MENDS
        ]:
            is_other = all(earlier[2] != change[2] and alike(earlier, change, self.text) for earlier in mended)
            if is_other and self.mending(together(tree, [change])[0], self.cases, [1], small=False):
                mended.append(change)
        return mended

    def spectrum(self, cases: Sequence[Case]) -> dict[str, set[int]]:
        """Return for each case the numbers of what runs in a program; of a layer for all cases together."""
        before, lines = runner(self.judge.code, self.text, cases)
        note = "_spectrum.append(','.join(map(str, _reached)))"
        noted = [f"_reached.clear()\n{line}\n{note}" for line in lines]
        if not self.judge.code.is_engine:
            noted = [*lines, *[note] * len(cases)]
        program = [watched(ast.parse(self.text)), before, "_spectrum = []", *noted]
        ran = self.judge.ran(self.text, "\n".join(program), ("';'.join(_spectrum)",))
        parts = [*(str(ran[0]).split(";") if ran else []), *[""] * len(cases)]
        numbers = (set(map(int, filter(None, part.split(",")))) for part in parts)
        return dict(zip((case.name for case in cases), numbers, strict=False))

    def cleared(self, tree: ast.Module, reached: Collection[int]) -> set[int]:
        """Return the numbers of statements on which what is right depends, or not all that is wrong."""
        cases = self.wrong[:1] if self.judge.code.is_engine else self.near
        changes = disturbances(tree, reached)
        if any(np.isnan(self.before[case.name]).any() for case in cases):  # it stops with an error
            return set()
        program, held = together(tree, [change for some in changes.values() for change in some])
        results = self.results(program, cases, range(1, len(held) + 1))

        def is_cleared(change: Change) -> bool:
            pairs = zip(cases, results.get(held.index(change) + 1, ()), strict=False)
            return any(
                self.is_untouched(case, after) if case in self.wrong else not self.judge.is_right(case, after)
                for case, after in pairs
            )

        return {number for number, some in changes.items() if all(map(is_cleared, some))}

    def is_untouched(self, case: Case, after: Any) -> bool:
        """Whether a change has no part in what is wrong in a case, or has one in a gradient or value that is right."""
        before = self.before[case.name]
        if not self.judge.code.is_engine:
            return np.array_equal(before, after)
        right, given = self.judge.beside(case, before)
        _, changed = self.judge.beside(case, after)
        if not len(right) == len(given) == len(changed):
            return False
        is_off = ~np.isclose(given, right, rtol=1e-3, atol=1e-4)
        return bool(np.any(is_off == (given == changed)))

    def mending(self, program: str, cases: Sequence[Case], numbers: Sequence[int], *, small: bool = True) -> list[int]:
        """Return the numbers of the changes after which some cases are right, and have the values that they had."""
        results = self.results(program, cases, numbers, small=small).items()
        return [n for n, parts in results if all(map(self.is_mended, cases, parts))]

    def is_mended(self, case: Case, value: Any) -> bool:
        is_same = (
            case.of_layer
            or not case.is_by_itself
            or np.array_equal(value[2 * case.entries :], self.before[case.name][2 * case.entries :])
        )
        return is_same and self.judge.is_right(case, value)

    def results(
        self, program: str, cases: Sequence[Case], numbers: Sequence[int], *, small: bool = True
    ) -> dict[int, Sequence[Any]]:
        """Return what cases have after each of the changes, by their numbers; few changes may not end."""
        sizes = [self.judge.size(case) for case in cases]
        tried = tries(self.judge.code, program, cases, [size + 1 for size in sizes])
        ends = np.cumsum([size + 1 for size in sizes])
        outcomes: dict[int, Sequence[Any]] = {}
        endless = 0
        while numbers and endless < ENDLESS:
            rows = self.judge.ran(self.text, tried, [f"_try({number})" for number in numbers], small=small)
            stops = (place for place, row in enumerate(rows) if isinstance(row, Refusal) and LIMIT in row.says)
            count = next(stops, len(rows))
            for number, row in zip(numbers, map(flat, rows[:count]), strict=False):
                if row.size == ends[-1]:
                    outcomes[number] = [unfilled(part) for part in np.split(row, ends[:-1])]
            endless += not count  # the limit is for all together: alone, the next may end
            numbers = numbers[max(count, 1) :] if rows else ()
        return outcomes
