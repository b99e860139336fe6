"""The turns of a session as texts: a process of its own computes them, and another talks with the student."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.chain.links import chain
from gradcli.explanation.folding import folded
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Local, Node
from gradcli.explanation.reference import sentence
from gradcli.facts import dataclass
from gradcli.homework.answer_file import answer
from gradcli.homework.assignment.assignments import Ask, Assignment
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.key import Key
from gradcli.homework.model import Value
from gradcli.homework.practice.drawing import is_number
from gradcli.homework.practice.session import Exercise, Session, Told
from gradcli.homework.solve.snippets import SnippetSolution, is_same
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import replaced, substitute
from gradcli.language.tree import Expression, Name, Number, Program, Statement, names, postorder
from gradcli.render.documents.explanation import Document
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.practice import page, records
from gradcli.render.text.error import error_document
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.stream.values import dump
from gradcli.workers.notes import part

Hints = tuple[str, str, str]  # the rule, the symbols, the numbers
GENERAL = "Go through it line by line: what does each line do to the value and to .grad?"
OF_SCRIPTS = {
    ".grad": "backward() adds to the .grad of each leaf what arrives there; zero_() and zero_grad() empty it.",
    ".is_leaf": "A leaf is a tensor that no operation of the graph has computed.",
    ".requires_grad": "A result requires grad where one of its inputs does, outside of no_grad().",
    ".grad_fn": "It is the node of the operation that computed the tensor; a leaf has none.",
}
LAST = "There are no more hints: answer, or give up with Enter."
PRODUCT = "Multiply what arrives from above by the local derivative."


def hints(key: Key, ask: Ask, looks: Looks) -> Hints:
    """Return what leads to an answer, from the rule in words to the whole derivation."""
    question, quantity, value = key.question, ask.quantity, key.expected[ask.quantity]
    if isinstance(key.solution, SnippetSolution):
        words = next((said for ending, said in OF_SCRIPTS.items() if quantity.of.endswith(ending)), GENERAL)
        return words, "", key.solution.reason(ask) if value is None else of_passes(key.solution, quantity, value, looks)
    if not is_number(ask, value):
        return GENERAL, "", ""
    given: Hints = (GENERAL, "", f"{quantity} = {answer(value)}")
    try:
        derivation = Derivation(folded(explain(parse_program(question.source), question.at)), looks)
    except GradcliError:
        return given
    if quantity.kind == "value" and quantity.of in derivation.lines:
        return derivation.value(quantity.of)
    if quantity.kind == "local" and quantity.by in derivation.slopes.get(quantity.of, {}):
        return derivation.local(quantity.of, quantity.by)
    if quantity.kind == "gradient" and quantity.of == derivation.explanation.output:
        return derivation.gradient(quantity.by)
    return given


def of_passes(solution: SnippetSolution, quantity: Quantity, value: Value, looks: Looks) -> str:
    """Return what each backward pass of a script added to a `.grad`, up to the value that is asked for."""
    steps: list[str] = []
    for number, arrivals in enumerate(solution.ways.passes, 1):
        for arrived in arrivals:
            before, gradient, after = arrived.before, arrived.gradient, arrived.after
            write = partial(short, precision=looks.precision, ascii=looks.ascii)
            addends = [] if before is None else [f"{write(before)} + {factor(write(gradient))}"]
            steps.append(" = ".join([f"pass {number}: {arrived.name}.grad", *addends, write(after)]))
            if is_same(after, value):
                return "; ".join(steps)
    return ""


class Slope(NamedTuple):
    """The derivative of a line that is a number by a name in it; of a tensor, what it passes back of its gradient."""

    formula: Expression | None
    value: Value


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
        return {line.target: line for line in self.explanation.parsed.statements if line.target is not None}

    @cached_property
    def point(self) -> dict[str, Node]:
        return {node.name: node for node in self.explanation.nodes}

    @cached_property
    def slopes(self) -> dict[str, dict[str, Slope]]:
        """The derivative of each line by each name in it."""
        return {target: self.slopes_of(statement) for target, statement in self.lines.items()}

    def slopes_of(self, statement: Statement) -> dict[str, Slope]:
        """Return the derivatives of a line that is a number; of a tensor, what it passes on of its gradient."""
        used = {name: self.point[name].value for name in names(statement.value) if name in self.point}
        node = self.point[str(statement.target)]
        arriving = node.grad if node.shape else None
        if node.shape and arriving is None:
            return {}
        try:
            program = Program((statement,))
            alone = simplified(explain(program, used, upstream=arriving, is_seed_named=arriving is not None))
        except GradcliError:
            return {}
        above = {alone.seed_name: self.terms.quotient(node.id)}
        formulas = {leaf.name: leaf.formula and substitute(leaf.formula, above) for leaf in alone.leaves}
        return {
            leaf.name: Slope(formulas[leaf.name], leaf.gradient) for leaf in alone.leaves if leaf.gradient is not None
        }

    def put_in(self, tree: Expression) -> str:
        """Return a formula with values in the places of names and of gradients."""
        values = {name: self.point[name].value for name in names(tree) if name in self.point}
        gradients = {
            self.terms.quotient(id): node.grad for id, node in self.terms.nodes.items() if node.grad is not None
        }
        for derivative, value in gradients.items():
            if any(node == derivative for node in postorder(tree)):
                values[self.text(value)] = value
                tree = replaced(tree, derivative, Name(self.text(value)))
        texts = {name: factor(self.text(value)) for name, value in values.items()}
        ranks = {texts[name]: np.ndim(value) for name, value in values.items()}
        return self.terms.formula(substitute(tree, {name: Name(text) for name, text in texts.items()}), ranks)

    def value(self, of: str) -> Hints:
        """Return the line of the program with the values put in."""
        tree = self.lines[of].value
        symbols = f"{of} = {self.terms.formula(tree)}"
        return (
            f"Put the values into the line of {of}.",
            symbols,
            equation([symbols, self.put_in(tree), self.text(self.point[of].value)]),
        )

    def local(self, of: str, by: str) -> Hints:
        formula, value = self.slopes[of][by]
        sides = [] if formula is None else [self.terms.formula(formula), self.put_in(formula)]
        symbols = equation([self.terms.derivative(of, by), *sides[:1]])
        words = f"Only the line of {of}: every other name in it stays as it is. {self.rule(of, '')}".rstrip()
        return words, symbols, equation([symbols, *sides[1:], self.text(value)])

    def gradient(self, by: str) -> Hints:
        """Return the chain rule: the sum over the lines that use a name, of their gradient times their derivative."""
        output, total = self.explanation.output, self.terms.total
        if by == output:
            return "The derivative of the output by itself is 1.", "", f"{total(by)} = 1"
        users = [target for target, statement in self.lines.items() if by in names(statement.value)]
        parts = [self.part(user, by) for user in users]
        if not parts or None in parts:
            return self.of_rules(by)
        symbols, formulas, numbers = (list(filter(None, side)) for side in zip(*filter(None, parts), strict=True))
        several = f"{by} is used by {' and by '.join(users)}: what comes back from each is added. "
        copied = "".join(f" {self.copied(user, by)}" for user in users if self.copied(user, by))
        words = f"{several * (len(users) > 1)}{' '.join(dict.fromkeys(map(self.rule, users)))}{copied}"
        sides = [total(by), " + ".join(symbols)]
        if symbols == [total(by)]:  # the last line alone
            sides, formulas = [total(by), *(formula.split(" = ", 1)[1] for formula in formulas)], []
        hint = "; ".join([equation(sides), *dict.fromkeys(formulas)])
        return words, hint, equation([*sides, " + ".join(numbers), self.text(self.point[by].grad)])

    def part(self, user: str, by: str) -> tuple[str, str, str] | None:
        """Return what a line passes back to a name in it: in symbols, with its derivative told apart, in numbers."""
        slope, node = self.slopes[user].get(by), self.point[user]
        if slope is None or slope.formula is None:
            return None
        if node.shape:
            return self.terms.formula(slope.formula), "", self.put_in(slope.formula)
        is_last = user == self.explanation.output
        above, arriving = ("", "") if is_last else (self.terms.total(user), factor(self.text(node.grad)))
        if self.point[by].shape:  # a number times a tensor
            formula = (self.terms.formula if is_last else self.terms.formula_factor)(slope.formula)
            return times(above, formula), "", times(arriving, self.put_in(slope.formula))
        derivative, written = self.edge(user, by), self.terms.formula(slope.formula)
        number = self.put_in(slope.formula) if is_last else factor(self.text(slope.value))
        return times(above, derivative), f"{derivative} = {written}", times(arriving, number)

    def copied(self, user: str, by: str) -> str:
        """Return why there is a sum where a line copies a name to a larger shape."""
        axes = {axis for x in self.explanation.steps if (x.node, x.input) == (user, by) for axis in x.summed_axes}
        size = self.point[user].shape
        where = (
            "along each row"
            if len(size) == 2 and axes == {1}
            else "into each row"
            if axes == {0}
            else "into each entry"
        )
        return f"{by} was copied {where}: what comes back from all its copies is added." if axes else ""

    def edge(self, of: str, by: str) -> str:
        """Write the derivative of a line by a name in it: `∂y/∂x|u` where u, which depends on x, does not move."""
        moving = {by}
        for target, statement in self.lines.items():
            moving |= {target} if moving & names(statement.value) else set()
        held = [name for name in self.point if name != by and name in moving & names(self.lines[of].value)]
        return self.terms.edge(of, Local(by, None, None, Number(0), held=tuple(held)))

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


def times(*factors: str) -> str:
    """Return a product of factors that are there."""
    return " · ".join(filter(None, factors))


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
            self.turn = self.asked() if kind == NEXT[0] else self.reply(kind, text)
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
        exercise = self.exercise
        if self.looks is None:
            new = [records.question(exercise.question)] if exercise.is_new else []
            return lines([*new, records.ask(exercise)]), "?", False, self.score()
        shown += f"{page.question_page(exercise.question, self.looks)}\n\n" if exercise.is_new else ""
        shown += page.choices_page(exercise, self.looks)
        return shown, page.prompt(exercise, self.looks), False, self.score()

    def reply(self, kind: str, text: str) -> tuple[str, str, bool, str]:
        """Answer a move about the quantity that is asked for."""
        part(JUDGING)
        assert self.exercise is not None
        exercise = self.exercise
        move = exercise.answer(text) if kind == "answer" else exercise.hint() if kind == "hint" else exercise.give_up()
        prompt = "" if exercise.is_over else "?" if self.looks is None else page.prompt(exercise, self.looks)
        shown = self.telling(move)
        if self.looks is not None and exercise.is_over and self.derivation:
            shown += page.below(self.derivation, self.looks)
        return shown, prompt, False, self.score()

    @property
    def hints(self) -> Hints:
        """What leads to the answer that is asked for; nothing where that is no number."""
        assert self.exercise is not None
        assert self.looks is not None
        return hints(self.exercise.key, self.exercise.ask, self.looks)

    @property
    def derivation(self) -> str:
        """The derivation of the answer, where there is more to tell than the answer."""
        assert self.exercise is not None
        derivation = self.hints[-1]
        return derivation if self.exercise.question.is_script or derivation.count(" = ") > 1 else ""

    def tip(self) -> str:
        """Return the next hint before any answer: the rule, the symbols, and the numbers as far as the answer."""
        assert self.exercise is not None
        assert self.looks is not None
        words, symbols, _ = self.hints
        numbers = self.derivation.rpartition(" = ")[0]
        tips = [*filter(None, dict.fromkeys([words, symbols, numbers if " = " in numbers else ""])), LAST]
        self.exercise.tips += 1
        return page.below(tips[min(self.exercise.tips, len(tips)) - 1], self.looks)

    def telling(self, shown: Told | None) -> str:
        if self.looks is None:
            return lines([records.nothing() if shown is None else records.disclosed(shown)])
        return self.tip() if shown is None else page.told_page(shown, self.looks) + "\n"

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
