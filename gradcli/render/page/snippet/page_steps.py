"""The steps of the page of a run: the statements that did something, and within a backward pass each contribution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import accumulate

from gradcli.explanation.steps.walk import Accumulated, Walk, walk
from gradcli.facts import dataclass
from gradcli.findings.examination import Ran
from gradcli.findings.finding import Finding
from gradcli.render.page.document import cut
from gradcli.render.page.parts import ended
from gradcli.render.page.snippet.sentences import few, found, told, written
from gradcli.render.text.looks import Asked
from gradcli.script.moments.model import Moment, Moments, TensorState
from gradcli.script.timeline.model import Backward, Event, Forward, Loop, Returned
from gradcli.script.timeline.passes import as_written
from gradcli.script.timeline.reasons import listed
from gradcli.source import Source

MOST = 3000  # steps of a page
LONG = 160  # characters about a later turn of a loop, of which the table has all
MORE = "The table shows the rest."
PRINTED = 200  # characters of what a line printed, in a sentence


@dataclass(frozen=True)
class Pass:
    """A backward pass on the page: its event, by number, the walk through it, and its step by those of the walk."""

    event: Backward | Returned
    number: int
    walk: Walk
    numbers: Sequence[int]


@dataclass(frozen=True)
class Stop:
    """One step of the page. In a pass it is the step `move` of its walk, and nothing is told."""

    source: Source
    line: int
    told: str
    phase: str = "forward"
    of: Pass | None = None
    move: int = 0
    turn: int = 0  # the pass of a loop
    quiet: bool = False  # of a later pass, of which values alone were kept


@dataclass
class Stops:
    """The steps of a run, and what changes at them: characters printed so far, and the moments, by step."""

    ran: Ran
    moments: Moments
    looks: Asked
    stops: list[Stop] = field(default_factory=list)
    printed: list[tuple[int, str]] = field(default_factory=list)
    changes: list[tuple[int, Moment]] = field(default_factory=list)
    passes: list[Pass] = field(default_factory=list)
    known: dict[str, TensorState] = field(default_factory=dict)  # the tensors as of the latest step
    made: dict[str, int] = field(default_factory=dict)  # the latest step at which a name was computed
    later: list[tuple[int, Pass, dict[str, TensorState]]] = field(default_factory=list)  # passes of values alone
    turn: int = 0
    is_cut: bool = False

    def __post_init__(self) -> None:
        cell = self.ran.snippet.cells[0]
        self.stops.append(Stop(cell, 0, "Nothing has run yet."))
        events = position = 0
        self.begin()
        for moment in self.moments.moments:
            if len(self.stops) > MOST:
                self.is_cut = True
                return
            text = self.ran.printed[position : moment.printed]
            self.add(moment, range(events, moment.events), text)
            events, position = max(events, moment.events), max(position, moment.printed)
        self.is_cut = self.moments.is_cut

    @property
    def last(self) -> int:
        return len(self.stops) - 1

    @property
    def loop(self) -> Loop | None:
        """The loop that trains."""
        return next(iter(self.ran.timeline.training), None)

    def begin(self) -> None:
        """Find the first line of the loop: the one that runs after a pass, above the line of the pass."""
        self.first_line, self.latest_line, passed = 0, 0, False
        loop = self.loop
        if loop is None:
            return
        for moment in self.moments.moments:
            if moment.source is loop.source:
                if passed and moment.line < loop.line:
                    self.first_line = moment.line
                    return
                passed |= moment.line == loop.line
        self.first_line = loop.line

    def count(self, moment: Moment) -> None:
        """Count the turns of the loop: one begins where the lines go back."""
        if self.first_line and moment.source is self.stops[0].source and moment.line >= self.first_line:
            self.turn += self.turn == 0 or moment.line <= self.latest_line
            self.latest_line = moment.line

    def step_of(self, one: Finding) -> int | None:
        """Return the last step at the line of a finding, when all that it tells has happened."""
        places = reversed([*enumerate((stop.source.name, stop.line) for stop in self.stops)])
        return next((number for number, place in places if place == (one.source, one.line)), None)

    def add(self, moment: Moment, numbers: range, text: str) -> None:
        """Add the steps of one statement."""
        self.count(moment)
        waiting: list[Event] = []
        before = self.last
        for number in numbers:
            event = self.ran.timeline.events[number]
            event = event if self.looks.torch_nodes else as_written(event)
            if isinstance(event, Backward | Returned):
                self.tell(waiting)
                waiting = []
                self.follow(event, number)
            elif waiting and (event.source, event.line) != (waiting[-1].source, waiting[-1].line):
                self.tell(waiting)
                waiting = [event]
            else:
                waiting.append(event)
        self.tell(waiting)
        place = moment.source, moment.line
        if self.last == before and (text.strip() or moment.changed):
            sentences = [] if text.strip() else list(found(moment.changed, self.known, self.looks))
            if self.turn > 1:  # that a gradient is None again is no news
                sentences = [one for one in sentences if not one.endswith(".grad becomes None.")]
            if text.strip() or sentences:
                self.change(Stop(*place, few(sentences), turn=self.turn, quiet=bool(self.passes and self.turn > 1)))
        self.known |= {state.name: state for state in moment.changed}
        for name in moment.gone:
            self.known.pop(name, None)
        if self.stops[-1].quiet and self.loop is not None and place == (self.loop.source, self.loop.line):
            self.later.append((self.last, self.passes[-1], dict(self.known)))
        if text:
            self.printed.append((self.last, text))
            shown = cut(" ".join(text.split()), PRINTED)
            stop = self.stops[-1]
            if stop.of is None and shown and self.last > before:
                sentence = " ".join(filter(None, [stop.told, f"It prints {shown}"]))
                self.stops[-1] = replace(stop, told=sentence)
        self.changes.append((self.last, moment))

    def change(self, stop: Stop) -> None:
        """Add a step that tells changes alone; those of a later turn of a loop are one step."""
        last = self.stops[-1]
        if not (stop.quiet and last.quiet and stop.turn == last.turn):
            self.stops.append(stop)
            return
        is_pass = self.loop is not None and stop.line == self.loop.line
        line, phase = (stop.line, "backward") if is_pass else (last.line, last.phase)
        told = " ".join(filter(None, [last.told, stop.told])) if len(last.told) < LONG else last.told
        if len(told) >= LONG and not told.endswith(MORE):
            told = f"{told} {MORE}"
        self.stops[-1] = replace(last, line=line, told=told, phase=phase)

    def tell(self, events: Sequence[Event]) -> None:
        """Add one step for events of a line."""
        if not events:
            return
        sentences = " ".join(told(events, self.looks))
        self.stops.append(Stop(events[0].source, events[0].line, sentences, turn=self.turn))
        for event in events:
            if isinstance(event, Forward):
                self.made.update(dict.fromkeys((made.name for made in event.made), self.last))

    def follow(self, event: Backward | Returned, number: int) -> None:
        """Add the steps of a backward pass: each contribution, and each gradient that arrives."""
        place = event.source, event.line
        if event.explanation is not None:
            arrivals = [*self.arrivals(event)]
            way = walk(event.explanation, arrivals)
            done = Pass(event, number, way, self.numbers(way))
            self.passes.append(done)
            self.stops.extend(
                Stop(*place, "", way.moves[move - 1].phase, done, move, self.turn)
                for move in range(way.turn, way.last + 1)
            )
        sentences = list(self.remarks(event))
        if sentences:
            self.stops.append(Stop(*place, " ".join(sentences), "accumulate", turn=self.turn))

    def arrivals(self, event: Backward | Returned) -> Iterator[Accumulated]:
        """Yield the gradients that arrive in the `.grad` of leaves."""
        for one in event.accumulated if isinstance(event, Backward) else ():
            if one.gradient is not None and one.after is not None:
                yield Accumulated(one.name, one.gradient, one.before, one.after)

    def numbers(self, way: Walk) -> list[int]:
        """Return the steps of the page at which the steps of a walk are shown, from 0 on.

        The graph is there from its first operation on. One that an earlier pass had, or whose line is shown no more,
        is there as a whole when the pass begins.
        """
        over = self.passes[-1].numbers[-1] if self.passes else 0
        names = [node.id for node in way.explanation.nodes if node.kind == "op"]
        found = [step if step > over else self.last + 1 for step in (self.made.get(name, 0) for name in names)]
        forward = list(accumulate([min(found, default=self.last + 1), *found], max))
        return [*forward, *range(self.last + 1, self.last + 2 + way.last - way.turn)]

    def remarks(self, event: Backward | Returned) -> Iterator[str]:
        """Yield what else there is to say about a pass."""
        if event.explanation is None:
            yield f"A backward pass from {event.output}: its graph is too large to be walked through."
        if isinstance(event, Backward):
            for one in event.accumulated if event.explanation is None else ():
                yield f"{one.name}.grad becomes {written(one.after, self.looks)}."
            kept = [f"{one.name}.grad = {written(one.after, self.looks)}" for one in event.retained]
            if kept:
                yield f"retain_grad() keeps {listed(kept, 8)}."
        else:
            given = [
                f"{written(value, self.looks) if value is not None else 'None'} for {name}"
                for name, value in event.gradients
            ]
            yield f"torch.autograd.grad returns {listed(given, 8)}, and leaves every .grad alone."
        yield from (ended(note.message) for note in event.notes)
