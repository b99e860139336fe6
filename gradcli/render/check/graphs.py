"""The graphs of a question, with the mistakes of a student marked where they were made.

Below the level `value` a graph has nothing but the question in it: no number that was computed, and of a snippet, where
the graph itself may be asked for, no picture unless all its answers are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Literal

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.facts import dataclass
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.key import Key
from gradcli.homework.model import CREDITED, Diagnosis, Marked
from gradcli.homework.solve.graph import UNNAMED, Edge, Graph, reached
from gradcli.homework.solve.problem import Problem
from gradcli.render.graph.sketch.sketch import WIDEST, Arc, Line, Sketch, Vertex, cut, tensor
from gradcli.render.graph.svg import written
from gradcli.render.text.looks import Asked
from gradcli.source import visible

MOST = 60  # steps of a graph that is drawn
WIDE = 1200.0  # pixels of a picture that is read on a page
TOO_LARGE = "The graph is too large for a picture."


@dataclass(frozen=True, slots=True)
class Told:
    """The most likely diagnosis of an answer, with the number by which the picture refers to it."""

    number: int
    answer: Marked
    diagnosis: Diagnosis

    @property
    def mark(self) -> str:
        return f"{'✗' if self.diagnosis.certain else '?'}{self.number}"


def numbered(answers: Sequence[Marked]) -> list[Told]:
    """Number the answers to a question whose mistake is known."""
    diagnosed = [answer for answer in answers if answer.verdict not in CREDITED and answer.diagnoses]
    return [Told(number, answer, answer.diagnoses[0]) for number, answer in enumerate(diagnosed, 1)]


def placed(key: Key | None, answers: Sequence[Marked], asked: Asked) -> tuple[list[Sketch | None], list[Told]]:
    """Return the graphs of a question, None for one that is too large, and the marks, if they stand in a graph."""
    marks = numbered(answers)
    graphs = [] if key is None else list(sketches(key, answers, marks, asked))
    return graphs, marks if any(graphs) else []


def sketches(key: Key, answers: Sequence[Marked], marks: Sequence[Told], asked: Asked) -> Iterator[Sketch | None]:
    """Yield the graphs of a question, None for one that is too large."""
    is_open = any(answer.expected is not WITHHELD for answer in answers)
    if key.question.is_script and not is_open and any(map(is_word, key.expected.values())):
        return
    problems = {ask.written: key.problems[ask.quantity] for ask in key.question.asks}
    graphs = {id(problem.graph): problem.graph for problem in problems.values() if problem}
    for graph in graphs.values():
        inside = {quantity: problem for quantity, problem in problems.items() if problem and problem.graph is graph}
        drawing = Marking(graph, inside, is_open, asked)
        for mark in marks:
            if mark.answer.quantity in inside:
                drawing.mark(mark)
        yield drawing.sketch() if len(drawing.drawn) <= MOST else None


def is_word(expected: object) -> bool:
    """Return whether an answer is none of numbers."""
    return expected is None or isinstance(expected, bool | np.bool_ | str)


@lru_cache(maxsize=512)  # students with the same mistakes have the same picture
def drawn(picture: Sketch, asked: Asked) -> str:
    """Draw a sketch; nothing where it is too large."""
    try:
        return written(picture, asked)
    except EvaluationError:
        return ""


@dataclass
class Marking:
    """The graph behind some quantities, and the marks in it; with numbers only if it `is_open`."""

    graph: Graph
    problems: Mapping[str, Problem]
    is_open: bool
    asked: Asked
    vertices: dict[int, list[str]] = field(default_factory=dict)
    edges: dict[Edge, list[str]] = field(default_factory=dict)

    def mark(self, mark: Told) -> None:
        """Mark the edges of a mistake, or else its node."""
        for edge in mark.diagnosis.edges:
            self.edges.setdefault(Edge(*edge), []).append(mark.mark)
        if not mark.diagnosis.edges and mark.diagnosis.vertex is not None:
            self.vertices.setdefault(mark.diagnosis.vertex, []).append(mark.mark)

    @property
    def drawn(self) -> list[int]:
        """The steps that lead to an output, in the order of evaluation."""
        ends = [vertex for problem in self.problems.values() for vertex in (problem.of, problem.by)]
        return sorted(reached(ends, lambda vertex: self.graph.vertices[vertex].sources))

    def sketch(self) -> Sketch:
        title = f"The graph of {self.name(self.graph.output)}"
        arcs = (arc for index in self.drawn for arc in self.arcs(index))
        return Sketch(title, tuple(map(self.vertex, self.drawn)), tuple(arcs))

    def vertex(self, index: int) -> Vertex:
        marks = self.vertices.get(index, [])
        lines = [Line(self.definition(index), "name"), *self.numbers(index)]
        if marks:
            lines.append(Line(f"{', '.join(marks)} here", "mark"))
        look: Literal["leaf", "data", "op"]
        look = "op" if self.graph.vertices[index].op else "leaf" if self.is_leaf(index) else "data"
        sentence = ", ".join(line.text for line in lines)
        return Vertex(str(index), look, tuple(lines), sentence, index == self.graph.output, bool(marks))

    def is_leaf(self, index: int) -> bool:
        line = self.graph.vertices[index].line
        return line.tensor.requires_grad if self.is_open else line.is_variable or index in self.graph.named

    def arcs(self, index: int) -> Iterator[Arc]:
        """Yield the edges into a step, with their marks."""
        vertex = self.graph.vertices[index]
        for position, source in enumerate(vertex.sources):
            if source < 0:
                continue
            edge = Edge(index, position)
            marks = ", ".join(self.edges.get(edge, []))
            flows = position in vertex.rules or not self.is_open
            local = self.local(edge) if self.is_open and position in vertex.rules else ""
            sentence = f"{self.name(source)} enters {self.name(index)}"
            sentence += f", local derivative {local}" * bool(local) + f", marked {marks}" * bool(marks)
            label = "  ".join(filter(None, (marks, local and f"×{local}")))
            yield Arc(str(source), str(index), label, sentence, flows=flows, is_marked=bool(marks))

    def local(self, edge: Edge) -> str:
        """Return the local derivative of an elementwise edge."""
        if self.graph.vertices[edge.vertex].structured:
            return ""
        with np.errstate(all="ignore"):
            return tensor(self.graph.local(edge), self.asked)

    def numbers(self, index: int) -> Iterator[Line]:
        """Yield the value of a step and the gradient of the output."""
        if self.is_open:
            yield Line(tensor(self.graph.vertices[index].value, self.asked), "value")
            of_output = [p for p in self.problems.values() if p.kind == "gradient" and p.of == self.graph.output]
            with np.errstate(all="ignore"):
                total = of_output[0].totals.get(index) if of_output and not of_output[0].stop else None
            if total is not None:
                yield Line(f"grad {tensor(total, self.asked)}", "grad")

    def definition(self, index: int) -> str:
        """`s = x**2`, as the program has it; of a snippet, whose formulas may hold computed numbers, the name alone."""
        name, line = self.name(index), self.graph.vertices[index].line
        start, end = line.span
        if index in self.graph.named and line.application is not None and self.graph.text and end > start:
            name = f"{name} = {visible(' '.join(self.graph.text[start:end].split()))}"
        return cut(name, WIDEST, self.asked)

    def name(self, index: int) -> str:
        """Return the name of a step, the text it is written as, or of a snippet its operation."""
        vertex = self.graph.vertices[index]
        is_unnamed = UNNAMED.fullmatch(vertex.line.name) is not None
        if not self.graph.text and is_unnamed and not self.is_open:
            return vertex.op or "a constant"
        return cut(visible(self.graph.label(index)), WIDEST, self.asked)
