"""The turns of a session as texts: a process of its own computes them, and another talks with the student."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.chain.links import chain
from gradcli.explanation.folding import folded
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Node
from gradcli.explanation.reference import sentence
from gradcli.facts import dataclass
from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.practice.drawing import is_number
from gradcli.homework.practice.session import Exercise, Session, Told
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Name, Program, Statement, names
from gradcli.render.documents.explanation import Document
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.practice import page, records
from gradcli.render.text.error import error_document
from gradcli.render.text.looks import Looks
from gradcli.stream.values import dump
from gradcli.workers.notes import part

Hints = tuple[str, str, str]  # the rule, the symbols, the numbers
GENERAL = "Go through it line by line: what does each line do to the value and to .grad?"
PRODUCT = "Multiply what arrives from above by the local derivative."


def hints(question: Question, quantity: Quantity, value: Value, looks: Looks) -> Hints:
    """Return what leads to an answer, from the rule in words to the whole derivation."""
    given: Hints = (GENERAL, "", f"{quantity} = {answer(value)}")
    if question.is_script:
        return given
    try:
        found = Derivation(folded(explain(parse_program(question.source), question.at)), looks)
    except GradcliError:
        return given
    if quantity.kind == "value" and quantity.of in found.lines:
        return found.value(quantity.of)
    if quantity.kind == "local" and quantity.by in found.slopes.get(quantity.of, {}):
        return found.local(quantity.of, quantity.by)
    if quantity.kind == "gradient" and quantity.of == found.explanation.output:
        return found.gradient(quantity.by)
    return given


@dataclass
class Derivation:
    """Derives the quantities of a program line by line, as a person does on paper."""

    explanation: Explanation
    looks: Looks

    @cached_property
    def terms(self) -> Terms:
        return Terms(self.explanation, self.looks)

    @cached_property
    def lines(self) -> dict[str, Statement]:
        """The lines of the program by the names that they assign."""
        return {one.target: one for one in self.explanation.parsed.statements if one.target is not None}

    @cached_property
    def point(self) -> dict[str, Node]:
        return {node.name: node for node in self.explanation.nodes}

    @cached_property
    def slopes(self) -> dict[str, dict[str, tuple[str, Value]]]:
        """The derivative of each line by each name in it: the formula, and its value."""
        return {target: self.slopes_of(statement) for target, statement in self.lines.items()}

    def slopes_of(self, statement: Statement) -> dict[str, tuple[str, Value]]:
        used = {name: self.point[name].value for name in names(statement.value) if name in self.point}
        try:
            alone = simplified(explain(Program((statement,)), used))
        except GradcliError:  # the result of the line is no number
            return {}
        return {
            leaf.name: ("" if leaf.formula is None else self.terms.formula(leaf.formula), leaf.gradient)
            for leaf in alone.leaves
            if leaf.gradient is not None
        }

    def value(self, of: str) -> Hints:
        """Return the line of the program with the values put in, where they are numbers."""
        tree = self.lines[of].value
        used = [self.point[name] for name in names(tree) if name in self.point]
        put = {node.name: Name(factor(self.text(node.value))) for node in used}
        symbols = f"{of} = {self.terms.formula(tree)}"
        numbers = "" if any(node.shape for node in used) else self.terms.formula(substitute(tree, put))
        return "Put the values into its line.", symbols, equation([symbols, numbers, self.text(self.point[of].value)])

    def local(self, of: str, by: str) -> Hints:
        formula, value = self.slopes[of][by]
        symbols = equation([self.terms.derivative(of, by), formula])
        words = f"Only the line of {of}: every other name in it stays as it is. {self.rule(of, '')}".rstrip()
        return words, symbols, equation([symbols, self.text(value)])

    def gradient(self, by: str) -> Hints:
        """Return the chain rule: the sum over the lines that use a name, of their gradient times their derivative."""
        output, total = self.explanation.output, self.terms.total
        if by == output:
            return "The derivative of the output by itself is 1.", "", f"{total(by)} = 1"
        users = [target for target, statement in self.lines.items() if by in names(statement.value)]
        is_plain = not any(node.shape for node in self.explanation.nodes)
        if not users or not is_plain or any(by not in self.slopes[user] for user in users):
            return self.of_rules(by)
        ups = ["" if user == output else total(user) for user in users]
        pairs = [(up, self.terms.derivative(user, by)) for up, user in zip(ups, users, strict=True)]
        symbols = " + ".join(" · ".join(filter(None, pair)) for pair in pairs)
        numbers = " + ".join(
            " · ".join(filter(None, [up and self.text(self.point[user].grad), self.text(self.slopes[user][by][1])]))
            for up, user in zip(ups, users, strict=True)
        )
        slopes = {self.terms.derivative(user, by): self.slopes[user][by][0] for user in users}
        told = "; ".join(f"{left} = {formula}" for left, formula in slopes.items() if formula)
        several = f"{by} is used by {' and by '.join(users)}: what comes back from each is added. "
        words = f"{several * (len(users) > 1)}{' '.join(dict.fromkeys(map(self.rule, users)))}"
        grad = self.text(self.point[by].grad)
        if symbols == total(by):  # the last line alone
            symbols, told, numbers = equation([symbols, slopes[symbols]]), "", ""
        steps = symbols.split(" = ")
        hint = "; ".join(filter(None, [equation([total(by), *steps]), told]))
        return words, hint, equation([total(by), *steps, numbers, grad])

    def of_rules(self, by: str) -> Hints:
        """Return the same where rules are no products of numbers: operation by operation."""
        link = next((link for link in chain(self.explanation) if link.input == by), None)
        if link is None:
            return "Nothing leads from it to the output.", "", f"{self.terms.total(by)} = 0"
        symbols = f"{self.terms.total(by)} = {self.terms.symbols(link)}"
        nodes = (self.terms.nodes[term.step.node] for term in link.terms)
        words = " ".join(dict.fromkeys(filter(None, map(sentence, nodes)))) or PRODUCT
        return words, symbols, equation([symbols, self.terms.numbers(link), self.text(link.total)])

    def rule(self, of: str, otherwise: str = PRODUCT) -> str:
        """Return the sentence about the operation of a line, if it is one alone."""
        node = self.point[of]
        is_alone = all(self.terms.nodes[id].kind != "op" or id in self.lines for id in node.inputs)
        return (sentence(node) if is_alone else "") or otherwise

    def text(self, value: Value) -> str:
        return self.terms.value(value)


def equation(sides: Sequence[str | None]) -> str:
    """Return sides with equals signs between; one that repeats another is left out."""
    return " = ".join(dict.fromkeys(filter(None, sides)))


Move = tuple[str, str]  # its kind, and the text of an answer
NEXT: Move = ("next", "")  # asks for the next quantity
JUDGING = "judging"  # the part of work in which an answer is judged


class Turn(NamedTuple):
    """What a move leads to: `prompt` asks for a quantity, or is "" where it is over; then all may be `complete`.

    `score` is what to show if nothing comes after this turn.
    """

    shown: str
    prompt: str
    is_complete: bool
    score: str


class Turns:
    """The work of a process, on pages with some looks or, without any, in records.

    It is called with all moves so far, and makes those that it has not made: another process can go on.
    """

    def __init__(self, assignment: Assignment, seed: int, count: int | None, looks: Looks | None) -> None:
        self.assignment, self.seed, self.count, self.looks = assignment, seed, count, looks
        self.made = 0
        self.turn = ("", "", False, "")

    def __call__(self, moves: Sequence[Move]) -> tuple[str, str, bool, str]:
        """Return the turn of the last move. Raises UsageError for a question without an answer."""
        for kind, text in moves[self.made :]:
            self.turn = self.asked() if kind == NEXT[0] else self.told(kind, text)
            self.made += 1
        return self.turn

    def asked(self) -> tuple[str, str, bool, str]:
        """Go on to the next quantity, if there is one."""
        shown = ""
        if not self.made:
            self.session = Session(self.assignment, self.seed, self.count)
            self.exercises = iter(self.session)
            if self.looks is not None:
                shown = page.opening_page(self.assignment, self.session.count, self.looks) + "\n"
        self.exercise: Exercise | None = next(self.exercises, None)
        if self.exercise is None:
            return "", "", True, self.score()
        one = self.exercise
        if self.looks is None:
            new = [records.question(one.question)] if one.is_new else []
            return lines([*new, records.ask(one)]), "?", False, self.score()
        shown += f"{page.question_page(one.question, self.looks)}\n\n" if one.is_new else ""
        shown += page.choices_page(one, self.looks)
        return shown, page.prompt(one, self.looks), False, self.score()

    def told(self, kind: str, text: str) -> tuple[str, str, bool, str]:
        """Answer a move about the quantity that is asked for."""
        part(JUDGING)
        assert self.exercise is not None
        one = self.exercise
        told = one.answer(text) if kind == "answer" else one.hint() if kind == "hint" else one.give_up()
        prompt = "" if one.is_over else "?" if self.looks is None else page.prompt(one, self.looks)
        shown = self.telling(told)
        if self.looks is not None and one.is_over and self.derivation:
            shown += page.below(self.derivation, self.looks)
        return shown, prompt, False, self.score()

    @property
    def hints(self) -> Hints:
        """What leads to the answer that is asked for; nothing where that is no number."""
        assert self.exercise is not None
        assert self.looks is not None
        one = self.exercise
        value = one.key.expected[one.ask.quantity]
        return (
            hints(one.question, one.ask.quantity, value, self.looks) if is_number(one.ask, value) else (GENERAL, "", "")
        )

    @property
    def derivation(self) -> str:
        """The derivation of the answer, where there is more to tell than the answer."""
        derivation = self.hints[-1]
        return derivation if derivation.count(" = ") > 1 else ""

    def tip(self) -> str:
        """Return the next hint before any answer: the rule, the symbols, and the numbers as far as the answer."""
        assert self.exercise is not None
        assert self.looks is not None
        words, symbols, _ = self.hints
        tips = [*filter(None, dict.fromkeys([words, symbols, self.derivation.rpartition(" = ")[0]]))]
        self.exercise.tips += 1
        return page.below(tips[min(self.exercise.tips, len(tips)) - 1], self.looks)

    def telling(self, told: Told | None) -> str:
        if self.looks is None:
            return lines([records.nothing() if told is None else records.told(told)])
        return self.tip() if told is None else page.told_page(told, self.looks) + "\n"

    def score(self) -> str:
        """Return the score as the end of the session."""
        score = self.session.score
        is_complete = score.asked == self.session.count
        if self.looks is None:
            return lines([records.score(score, self.seed, is_complete=is_complete)])
        return "\n" * (not is_complete) + "\n" + page.score_page(score, self.seed, self.looks) + "\n"


def lines(documents: Iterable[Document]) -> str:
    """Write records, a line each."""
    return "".join(f"{dump(document, ascii=True)}\n" for document in documents)


def failed(error: GradcliError) -> str:
    """Write the record of an error."""
    return lines([error_document(error.facts())])
