"""The steps of the page of a run: the statements that did something, and within a backward pass each contribution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate

import numpy as np

from gradcli.explanation.model import Value
from gradcli.explanation.steps.walk import Accumulated, Walk, walk
from gradcli.facts import dataclass
from gradcli.findings.examination import Ran
from gradcli.findings.finding import Finding
from gradcli.language.unparser import unparse
from gradcli.render.page.document import cut
from gradcli.render.page.picture import ended
from gradcli.render.text.looks import Asked, Looks
from gradcli.render.text.numbers import short
from gradcli.script.moments.model import Moment, Moments, TensorState
from gradcli.script.timeline.model import Backward, Changed, Event, Forward, Loop, Made, Reset, Returned, Updated
from gradcli.script.timeline.passes import as_written
from gradcli.script.timeline.reasons import list_names
from gradcli.source import Source

# The sentences about what a line of a snippet did.


FORMULA = 80
FEW = 3  # entries of a tensor whose new numbers are told
FEW_SAID = 4  # operations of a line that are told one by one


def written(value: Value | None, looks: Looks, width: int = 44) -> str:
    """Return a value on a line; dots for one that is too large to be kept."""
    return "…" if value is None else short(value, looks.precision, width=width)


def sentences_of(events: Sequence[Event], looks: Looks) -> Iterator[str]:
    """Yield the sentences about the events of a line."""
    for event in events:
        yield from of_event(event, looks)
    times = max(event.times for event in events)
    if times > 1:
        yield f"The line runs {times:,} times like this; the numbers are those of the first."


def of_event(event: Event, looks: Looks) -> Iterator[str]:
    """Yield the sentences about one event."""
    match event:
        case Forward():
            yield from (computed(made, looks) for made in event.made[:FEW_SAID])
            if len(event.made) > FEW_SAID:
                yield f"{more(len(event.made), 'operation')} on this line."
        case Changed():
            how = (
                "behind the back of autograd" if event.through_data else f"in place: it is now version {event.version}"
            )
            yield f"{event.name} becomes {written(event.value, looks)}, {how}."
        case Reset():
            becomes = "become" if len(event.names) > 1 else "becomes"
            names = list_names([f"{name}.grad" for name in event.names], FEW_SAID)
            yield f"{names} {becomes} {'None' if event.to_none else 0}."
        case Updated():
            yield from updated(event, looks)
        case _:
            from gradcli.render.run.timeline import event_rows  # the lines of `run --explain`

            for row in event_rows(event, looks, all=False, why=False):
                yield ended(" ".join(filter(None, row.cells)))


def updated(event: Updated, looks: Looks) -> Iterator[str]:
    """Yield what the step of an optimizer changes: numbers from where to where, tensors by how much."""
    changes = []
    for name, before, after in event.parameters:
        how = f"from {written(before, looks)} to {written(after, looks)}"
        if before is not None and after is not None and np.size(after) > FEW:
            how = f"by {short(np.max(np.abs(np.subtract(after, before))), 3)} at most"
        changes.append(f"{name} {how}")
    yield f"{event.optimizer} changes {list_names(changes, FEW_SAID)}."
    yield from (ended(note.message) for note in event.notes)


def worked(events: Sequence[Event], looks: Looks) -> Iterator[str]:
    """Yield how the first parameters of an optimizer come about, which stands below the sentence."""
    from gradcli.render.run import timeline  # the lines of `run --explain`

    for event in events:
        for update in event.updates[: timeline.WORKED] if isinstance(event, Updated) else ():
            yield f"This is {timeline.how_changed(update, looks)}:"
            yield from (" ".join(timeline.line(row, update, looks).cells) for row in update.lines)


def few(sentences: Sequence[str]) -> str:
    """Return the first of many sentences, and how many there are."""
    text = " ".join(sentences[:FEW_SAID])
    return text if len(sentences) <= FEW_SAID else f"{text} The table shows {len(sentences) - FEW_SAID:,} more changes."


def more(count: int, noun: str) -> str:
    """Return `2 more operations follow`, of which the first ones were told."""
    rest = count - FEW_SAID
    return f"1 more {noun} follows" if rest == 1 else f"{rest:,} more {noun}s follow"


def computed(made: Made, looks: Looks) -> str:
    """Return what an operation computed."""
    sides = [made.name, cut(unparse(made.expression, multiply="·"), FORMULA), written(made.value, looks)]
    equation = " = ".join(dict.fromkeys(filter(None, sides)))
    if made.grad_fn is None:
        return f"{equation}, outside the graph: it has no grad_fn."
    return f"{equation}, and its grad_fn is {made.grad_fn}."


def new_facts(states: Iterable[TensorState], known: Mapping[str, TensorState], looks: Looks) -> Iterator[str]:
    """Yield what is new about tensors, where no event tells it; `known` is how they stood before.

    Of large ones a sentence has the names alone.
    """
    large = []
    for state in states:
        if state.name not in known:
            yield from new(state, looks)
        elif state.value is None or np.size(state.value) <= FEW:
            yield from changes(known[state.name], state, looks)
        elif texts := list(changes(known[state.name], state, looks)):
            large += [
                text.partition(" becomes ")[0] for text in texts if " becomes " in text and not text.endswith("None.")
            ]
            yield from (text for text in texts if " becomes " not in text or text.endswith("None."))
    if large:
        yield f"{list_names(large, FEW_SAID)} {'has' if len(large) == 1 else 'have'} new numbers."


def new(state: TensorState, looks: Looks) -> Iterator[str]:
    """Yield what a tensor is that a line has made without an operation."""
    kind = "a leaf that requires grad" if state.requires_grad else "a plain tensor, without a gradient"
    if state.grad_fn is not None:
        kind = f"the result of {state.grad_fn}"
    yield f"{state.name} = {written(state.value, looks)} is {kind}."


def changes(before: TensorState, state: TensorState, looks: Looks) -> Iterator[str]:
    """Yield how a tensor differs from the one that had its name, as far as its table shows."""
    if state.version != before.version or not same(state.value, before.value):
        yield f"{state.name} becomes {written(state.value, looks)}."
    if state.requires_grad != before.requires_grad:
        yield f"{state.name} {'requires' if state.requires_grad else 'does not require'} grad from here on."
    if state.has_grad != before.has_grad or not same(state.grad, before.grad):
        yield f"{state.name}.grad becomes {written(state.grad, looks) if state.has_grad else 'None'}."


def same(value: Value | None, other: Value | None) -> bool:
    """Whether two values that were kept are the same."""
    if value is None or other is None:
        return value is other
    return np.shape(value) == np.shape(other) and bool(np.array_equal(value, other, equal_nan=True))


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
    """One step of the page. In a pass it is the step `move` of its walk, and has no sentence."""

    source: Source
    line: int
    says: str
    phase: str = "forward"
    of: Pass | None = None
    move: int = 0
    turn: int = 0  # the pass of a loop
    worked: tuple[str, ...] = ()  # how what is told comes about
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

    def step_of(self, finding: Finding) -> int | None:
        """Return the last step at the line of a finding, when all that it tells has happened."""
        places = reversed([*enumerate((stop.source.name, stop.line) for stop in self.stops)])
        return next((number for number, place in places if place == (finding.source, finding.line)), None)

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
            sentences = [] if text.strip() else list(new_facts(moment.changed, self.known, self.looks))
            if self.turn > 1:  # that a gradient is None again is no news
                sentences = [text for text in sentences if not text.endswith(".grad becomes None.")]
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
                sentence = " ".join(filter(None, [stop.says, f"It prints {shown}"]))
                self.stops[-1] = replace(stop, says=sentence)
        self.changes.append((self.last, moment))

    def change(self, stop: Stop) -> None:
        """Add a step that tells changes alone; those of a later turn of a loop are one step."""
        last = self.stops[-1]
        if not (stop.quiet and last.quiet and stop.turn == last.turn):
            self.stops.append(stop)
            return
        is_pass = self.loop is not None and stop.line == self.loop.line
        line, phase = (stop.line, "backward") if is_pass else (last.line, last.phase)
        says = " ".join(filter(None, [last.says, stop.says])) if len(last.says) < LONG else last.says
        if len(says) >= LONG and not says.endswith(MORE):
            says = f"{says} {MORE}"
        self.stops[-1] = replace(last, line=line, says=says, phase=phase)

    def tell(self, events: Sequence[Event]) -> None:
        """Add one step for events of a line."""
        if not events:
            return
        sentences = " ".join(sentences_of(events, self.looks))
        below = tuple(worked(events, self.looks))
        self.stops.append(Stop(events[0].source, events[0].line, sentences, turn=self.turn, worked=below))
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
        for leaf in event.accumulated if isinstance(event, Backward) else ():
            if leaf.gradient is not None and leaf.after is not None:
                yield Accumulated(leaf.name, leaf.gradient, leaf.before, leaf.after)

    def numbers(self, way: Walk) -> list[int]:
        """Return the steps of the page at which the steps of a walk are shown, from 0 on.

        The graph is there from its first operation on. One that an earlier pass had, or whose line is shown no more,
        is there as a whole when the pass begins.
        """
        over = self.passes[-1].numbers[-1] if self.passes else 0
        names = [node.id for node in way.explanation.nodes if node.kind == "op"]
        starts = [step if step > over else self.last + 1 for step in (self.made.get(name, 0) for name in names)]
        forward = list(accumulate([min(starts, default=self.last + 1), *starts], max))
        return [*forward, *range(self.last + 1, self.last + 2 + way.last - way.turn)]

    def remarks(self, event: Backward | Returned) -> Iterator[str]:
        """Yield what else there is to say about a pass."""
        if event.explanation is None:
            yield f"A backward pass from {event.output}: its graph is too large to be walked through."
        if isinstance(event, Backward):
            for leaf in event.accumulated if event.explanation is None else ():
                yield f"{leaf.name}.grad becomes {written(leaf.after, self.looks)}."
            kept = [f"{leaf.name}.grad = {written(leaf.after, self.looks)}" for leaf in event.retained]
            if kept:
                yield f"retain_grad() keeps {list_names(kept, 8)}."
        else:
            given = [
                f"{written(value, self.looks) if value is not None else 'None'} for {name}"
                for name, value in event.gradients
            ]
            yield f"torch.autograd.grad returns {list_names(given, 8)}, and leaves every .grad alone."
        yield from (ended(note.message) for note in event.notes)
