"""The detectives of one question: what each looks through is made once for a class, and shared as far as it can be."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.mistakes import OwnMistake
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.diagnose.diagnosis import Detective
from gradcli.homework.diagnose.suspect_index import Suspect, matching, shelved
from gradcli.homework.mistakes.declaration import Guess
from gradcli.homework.mistakes.forward import LAST
from gradcli.homework.mistakes.habits import ANOTHER_QUESTION, STALE_GRAD, SWAPPED_VARIABLE, is_among
from gradcli.homework.mistakes.training.descents import DESCENT
from gradcli.homework.mistakes.training.scripts import Mutant, mutants
from gradcli.homework.model import Diagnosis, Value
from gradcli.homework.result_cache import Remembered
from gradcli.homework.solve.carried import passed_on
from gradcli.homework.solve.graph import Change, Edge, reached
from gradcli.homework.solve.points import CLOSE
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.recomputing import Earlier, is_partial, local_changes
from gradcli.homework.solve.runs.reruns import with_gradients
from gradcli.homework.solve.snippets import SnippetSolution, is_alone
from gradcli.homework.solve.solution import Solution
from gradcli.homework.submission.answers import Formula, UnreadableError, computed
from gradcli.homework.submission.numerals import Tolerance, Typed, unwritten

NOTHING: Earlier = MappingProxyType({})


class Basis(NamedTuple):
    """The numbers of a student from which an answer may go on: values, gradients, and derivatives of parts."""

    forward: dict[int, Value]
    given: dict[int, Value]
    partial: list[tuple[Problem, Value]]

    @property
    def known(self) -> tuple[Hashable, ...]:
        """Return the key of the numbers, by what they are of: whatever else a student typed changes nothing."""
        numbers = (*self.forward.items(), *self.given.items())
        parts = ((other.of, other.by, np.asarray(value).tobytes()) for other, value in self.partial)
        return len(self.forward), *((by, np.asarray(value).tobytes()) for by, value in numbers), *parts


def basis(problem: Problem, earlier: Earlier, right: Earlier = NOTHING) -> Basis | None:
    """Return the `earlier` answers, which were wrong, that a problem depends on; None where it depends on none.

    Gradients that are `right` are gone on with as they are: a rule that was then forgotten is right in what they came
    by.
    """
    seen = {
        quantity: (other, typed)
        for quantity, (asked_before, typed) in earlier.items()
        if (other := asked_before.seen_in(problem.graph, quantity)) is not None and np.all(np.isfinite(typed.value))
    }
    upstream = {quantity: pair for quantity, pair in seen.items() if is_upstream(pair[0], problem)}
    wrong = [
        (other, np.asarray(typed.value)[()])
        for other, typed in {**passed_on(upstream), **seen}.values()
        if not same_quantity(other, problem)
    ]
    forward = {other.by: value for other, value in wrong if other.kind == "value"}
    if problem.kind == "value":
        return Basis(forward, {}, []) if forward else None
    known = [other for other, _ in right.values() if other.graph is problem.graph and not same_quantity(other, problem)]
    given = {other.by: other.truth for other in known if is_upstream(other, problem)}
    given |= {other.by: value for other, value in wrong if is_upstream(other, problem)}
    partial = [pair for pair in sorted(wrong, key=lambda pair: pair[0].of) if is_partial(pair[0], problem)]
    return Basis(forward, given, partial) if forward or given or partial else None


def based(problem: Problem, student_basis: Basis, before: Sequence[Problem]) -> Problem:
    """Return the problem at a student's own numbers.

    Mistakes are looked for between the quantity and all that was asked `before`.
    """
    asked = [other for other in before if other.graph is problem.graph and not same_quantity(other, problem)]
    graph = problem.graph.moved(student_basis.forward) if student_basis.forward else problem.graph
    if problem.kind == "value":
        return problem.over(graph.only(region(problem, {other.by for other in asked if other.kind == "value"})))
    changes: dict[Edge, Change] = {}
    for other, value in student_basis.partial:
        changes.update(local_changes(other, value, graph.values if student_basis.forward else None))
    new = graph.only(region(problem, {other.by for other in asked if is_upstream(other, problem)}))
    return replace(problem, graph=new, given=student_basis.given, changes=changes, is_alone=True, cache={})


def is_upstream(other: Problem, problem: Problem) -> bool:
    return other.kind == "gradient" and not other.stop and other.of == problem.of


def same_quantity(problem: Problem, other: Problem) -> bool:
    return (problem.kind, problem.of, problem.by, problem.stop) == (other.kind, other.of, other.by, other.stop)


def region(problem: Problem, known: set[int]) -> frozenset[int]:
    """Return the vertices between a quantity and the `known` ones: above it for a gradient, below it for a value."""

    def onward(vertex: int) -> list[int]:
        if vertex in known and vertex != problem.by:
            return []
        if problem.kind == "value":
            return [source for source in problem.graph.vertices[vertex].sources if source not in known]
        return problem.users(vertex)

    return frozenset(reached([problem.by], onward))


LIKELY = 4  # the rank of a misreading that is tried on a student's own numbers
ROOM = 4  # by which a difference may make a rounded digit larger
ENTRY = re.compile(r"(?P<name>\w+)\[(?P<place>\d+)\]")
IN_A_STEP = 3  # to the rank of a mistake that a step has hidden: slips in the step itself are likelier
STEPS = (0.5, -0.5)  # shares by which a gradient is moved to see what follows from it
BASES = 2**5  # sets of a student's own numbers of which the mistakes are remembered


class Investigation:
    """Looks into wrong answers to one question.

    `sampled` gives the problems of a formula at random points. `elsewhere` are the numbers of other questions with
    their places; whoever knows some sets them.
    """

    def __init__(
        self,
        question: Question,
        solution: Solution | SnippetSolution,
        problems: Mapping[Quantity, Problem | None],
        sampled: Callable[[Ask], list[Problem]],
        tolerance: Tolerance,
        mistakes: Sequence[OwnMistake] = (),
    ) -> None:
        self.question, self.solution, self.problems = question, solution, problems
        self.mistakes = [mistake for mistake in mistakes if mistake.question in ("", question.id)]
        self.sampled, self.tolerance = sampled, tolerance
        self.elsewhere: Callable[[], Sequence[tuple[tuple[str, str], Value]]] = tuple
        self.detectives: dict[Quantity, Detective] = {}
        self.shared: dict[tuple[Any, ...], Suspects] = {}
        self.bases: Remembered[Suspects] = Remembered(BASES)

    def detective(self, ask: Ask) -> Detective:
        """Return the detective of a quantity; quantities of one output share its suspects."""
        if ask.quantity not in self.detectives:
            problem = self.problems[ask.quantity]
            assert problem is not None
            is_number = ask.form == "number"
            problems = [problem] if is_number else self.sampled(ask)
            suspects = [self.suspects(problem, place) for place, problem in enumerate(problems)]
            beside = [list(self.own_mistakes(ask, problem)) for problem in problems]
            if is_number:
                beside[0].extend(self.beside(ask, problem))
            tolerance = self.tolerance if is_number else CLOSE
            self.detectives[ask.quantity] = Detective(problems, suspects, tolerance, beside)
        return self.detectives[ask.quantity]

    def suspects(self, problem: Problem, place: int) -> Suspects:
        leaf = problem.by if problem.accumulates else -1  # what earlier passes left is another number in each `.grad`
        key = (id(problem.graph), problem.kind, problem.of, problem.stop, leaf, place)
        if key not in self.shared:
            self.shared[key] = Suspects(problem)
        return self.shared[key]

    def of_parts(self, ask: Ask, typed: Typed) -> tuple[Diagnosis, ...]:
        """Return the mistakes that explain each wrong row of a Jacobian, or each wrong entry of a gradient."""
        problems = self.solution.parts(ask) if isinstance(self.solution, Solution) and ask.form == "number" else []
        if not problems:
            return ()
        shape = (len(problems), *np.shape(problems[0].truth))
        if np.shape(typed.value) not in ((), shape):
            return ()
        columns = [np.broadcast_to(part, shape) for part in (typed.value, typed.unit, typed.digits, typed.zeros)]
        rows = [Typed(*(column[place][()] for column in columns)) for place in range(len(problems))]
        wrong = [n for n, row in enumerate(rows) if not np.all(self.tolerance.judge(row, problems[n].truth)[0])]
        detective = Detective(
            [problems[n] for n in wrong], [self.suspects(problems[n], -1 - n) for n in wrong], self.tolerance
        )
        return detective.diagnoses([rows[n] for n in wrong]) if wrong else ()

    @cached_property
    def misread(self) -> list[tuple[Mutant, Mapping[Quantity, Value]]]:
        """The answers that come of misreading a snippet."""
        if not isinstance(self.solution, SnippetSolution):
            return []
        changed = list(mutants(self.question.source.text))
        outcomes = self.solution.all_outcomes([mutant.text for mutant in changed])
        return list(zip(changed, outcomes, strict=True))

    def where_nothing_is(self, ask: Ask, typed: Typed) -> Iterator[Diagnosis]:
        """Yield the ways of misreading a snippet that give a number where there is none: a gradient that is None."""
        node = ask.quantity.of.removesuffix(".grad")
        for suspect, value in matching(shelved(self.numbers_misread(ask, 0), np.nan), typed, self.tolerance):
            (part,) = suspect.parts
            yield Diagnosis(suspect.code, node, part.rule, part.message, "", value, certain=False, rank=part.rank)

    def own_mistakes(self, ask: Ask, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield the numbers of the mistakes that the teacher has added. Raises UsageError for one without a number."""
        graph = problem.graph
        names = {name: Tensor(graph.vertices[index].value) for name, index in graph.names.items()}
        for slip in self.mistakes:
            if slip.of == ask.written:
                try:
                    value = np.asarray(computed(Formula(slip.tree, slip.text), names), np.float64)[()]
                except (UnreadableError, TypeError, ValueError) as error:
                    message = f"the mistake {slip.text} has no value: {error}"
                    raise self.question.refused(slip.span, message, "use names of the program") from None
                yield Suspect((slip.code,), (Guess(problem.by, slip.text, slip.say, value, rank=-1),), slip.code), value

    def beside(self, ask: Ask, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield numbers for an answer that come from outside its graph."""
        guess = partial(guessed, problem.by)
        yield from self.numbers_misread(ask, problem.by)
        yield from self.through_a_step(ask, problem)
        for name, value in self.before_a_reset(ask, problem):
            yield guess(STALE_GRAD.code, "no reset", f"{name}.grad was reset after the last pass", value, 0)
        for name, value in self.other_rounds(ask):
            yield guess(DESCENT.code, f"{name} for {ask.written}", f"this is {name}: another round", value, 2)
        asked = {(self.question.id, other.written): self.problems[other.quantity] for other in self.question.asks}
        for (question, quantity), value in self.elsewhere():
            other = asked.get((question, quantity))
            if other is None or not is_among(problem, other):
                message = f"this is the answer to {quantity}{f' of {question}' if question != self.question.id else ''}"
                is_leaf = question == self.question.id and {quantity[-5:], ask.written[-5:]} == {".grad"}
                code, rank = (SWAPPED_VARIABLE.code, 0) if is_leaf else (ANOTHER_QUESTION.code, LAST + 1)
                yield guess(code, message, message, value, rank)

    def numbers_misread(self, ask: Ask, by: int) -> Iterator[tuple[Suspect, Value]]:
        """Yield the numbers for an answer that come of misreading the snippet."""
        for mutant, answers in self.misread:
            value = answers.get(ask.quantity)
            if value is not None and not isinstance(value, bool | str):
                yield guessed(by, mutant.code, mutant.rule, mutant.message, value, mutant.rank)

    def before_a_reset(self, ask: Ask, problem: Problem) -> Iterator[tuple[str, Value]]:
        """Yield what a `.grad` held that is 0 at the end."""
        if isinstance(self.solution, SnippetSolution) and is_alone(problem) and not np.any(problem.truth):
            for backward_pass in reversed(self.solution.ways.passes):
                for arrived in backward_pass:
                    if ask.quantity.of == f"{arrived.name}.grad":
                        yield arrived.name, arrived.after
                        return

    def through_a_step(self, ask: Ask, problem: Problem) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of a mistake in the gradient of the only pass, where a number is a straight line in it."""
        solution = self.solution
        if not isinstance(solution, SnippetSolution) or len(solution.ways.passes) != 1 or not is_alone(problem):
            return
        for arrived in solution.ways.passes[0]:
            quantity, right = Quantity("snippet", f"{arrived.name}.grad"), arrived.after
            behind = solution.ways.problem(quantity.of, right)
            rate = self.rate(ask, quantity, right) if behind is not None and behind.kind == "gradient" else 0.0
            if rate and behind is not None:
                for suspect, value in self.suspects(behind, 0).given(behind, SINGLE):
                    (part,) = suspect.parts
                    if (
                        value is not None
                        and np.shape(value) == np.shape(right)
                        and STALE_GRAD.code not in suspect.codes
                    ):
                        guess = Guess(problem.by, part.rule, part.message, None, part.detail, part.rank + IN_A_STEP)
                        yield suspect._replace(parts=(guess,)), problem.truth + rate * (value - right)

    def rate(self, ask: Ask, of: Quantity, gradient: Value) -> float:
        """Return the number of times a gradient is in an answer, entry by entry; 0 where it is no such number."""
        assert isinstance(self.solution, SnippetSolution)
        truth, text = self.solution.answer(ask), self.question.source.text
        rates = []
        for step in STEPS if np.shape(gradient) == np.shape(truth) and np.all(gradient) else ():
            moved = with_gradients(self.solution, text, {of: gradient * (1 + step)}, 1).get(ask.quantity)
            if moved is None or np.shape(moved) != np.shape(truth):
                return 0.0
            rates.append((moved - truth) / (step * gradient))
        mean_rate = float(np.mean(rates)) if rates else 0.0
        return mean_rate if np.allclose(rates, mean_rate, rtol=0.01, atol=0) else 0.0

    def other_rounds(self, ask: Ask) -> Iterator[tuple[str, Value]]:
        """Yield the other numbers of a list that a snippet has filled, by their names: `losses[0]` for `losses[1]`."""
        entry = ENTRY.fullmatch(ask.written)
        if entry is None or not isinstance(self.solution, SnippetSolution):
            return
        for place, value in self.solution.lists.get(entry["name"], ()):
            if str(place) != entry["place"]:
                yield f"{entry['name']}[{place}]", np.float64(value)

    def on_own_numbers(self, ask: Ask, typed: Typed, wrong: Earlier, right: Earlier) -> Iterator[tuple[Diagnosis, ...]]:
        """Yield the diagnoses of an answer on the student's own earlier numbers, more room for rounding each time.

        Mistakes may be made on `wrong` numbers, and on `right` ones as they were rounded.
        """
        wrong = {quantity: answer for quantity, answer in wrong.items() if quantity != ask.quantity}
        gradients = {quantity: answer for quantity, answer in wrong.items() if answer[0].kind == "gradient"}
        more = [*self.own_answers(ask, wrong), *self.misread_on(ask, wrong)]
        both = {**wrong, **right}
        ways = [(wrong, 1), *([(gradients, 1)] if len(gradients) < len(wrong) else []), (wrong, ROOM)]
        for earlier, times in ways:
            used = both if times > 1 or not earlier else earlier
            base = self.based(ask, earlier, right) if ask.form == "number" else None
            if used and (base is not None or more or times > 1):
                share = max(unwritten(answer) for _, answer in used.values())
                yield self.detective(ask).diagnoses([typed], base, times * share, more)

    def own_answers(self, ask: Ask, wrong: Earlier) -> Iterator[tuple[Suspect, Value]]:
        """Yield the student's own answers to other quantities, each of which may have been given once more."""
        problem = self.problems[ask.quantity]
        for quantity, (other, typed) in wrong.items() if problem is not None else ():
            assert problem is not None
            are_gradients = problem.kind == other.kind == "gradient"
            message = f"this is the answer that stands at {quantity}"
            code = SWAPPED_VARIABLE.code if are_gradients else ANOTHER_QUESTION.code
            value = np.asarray(typed.value)[()]
            yield Suspect((code,), (Guess(problem.by, message, message, value, rank=LAST),), "own answer"), value

    def misread_on(self, ask: Ask, wrong: Earlier) -> Iterator[tuple[Suspect, Value]]:
        """Yield what comes of a misread snippet with own gradients: of steps of a descent, of gradients left."""
        problem, truth = self.problems[ask.quantity], self.solution.answer(ask)
        own_gradients = {of: typed.value for of, (other, typed) in wrong.items() if other.kind == "gradient"}
        if problem is None or not own_gradients or not isinstance(self.solution, SnippetSolution):
            return
        code = DESCENT.code if problem.kind == "value" else STALE_GRAD.code
        for mutant, answers in self.misread:
            value = answers.get(ask.quantity)
            is_likely = mutant.code == code and mutant.rank <= LIKELY
            if is_likely and value is not None and not np.array_equal(value, truth):
                number = with_gradients(self.solution, mutant.text, own_gradients).get(ask.quantity)
                guess = Guess(problem.by, mutant.rule, mutant.message, number, rank=mutant.rank)
                yield Suspect((mutant.code,), (guess,)), number

    def based(self, ask: Ask, earlier: Earlier, right: Earlier) -> Suspects | None:
        """Return the suspects at the student's own earlier numbers, made once for equal numbers of a class."""
        problem = self.problems[ask.quantity]
        start = basis(problem, earlier, right) if problem is not None else None
        if problem is None or start is None:
            return None
        return self.bases.once((ask.quantity, start.known), lambda: Suspects(based(problem, start, self.before(ask))))

    def before(self, ask: Ask) -> list[Problem]:
        """Return the problems that the question asks before a quantity."""
        asks = takewhile(lambda other: other is not ask, self.question.asks)
        return [problem for other in asks if (problem := self.problems[other.quantity]) is not None]


def guessed(by: int, code: str, rule: str, message: str, value: Value, rank: int) -> tuple[Suspect, Value]:
    """Return a mistake that is known by its number alone, with it."""
    return Suspect((code,), (Guess(by, rule, message, value, rank=rank),)), value
