"""The worked solution, the page of `gradcli eval`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from rich.cells import cell_len

from gradcli.explanation.causes.infinities import stopped
from gradcli.explanation.chain.links import Link, chain, entered
from gradcli.explanation.meaning import Meaning, meanings
from gradcli.explanation.model import Explanation, Intermediate, Leaf, Local, Node
from gradcli.explanation.second import Newton
from gradcli.guard import guarded
from gradcli.language.tree import Expression, Name, Statement, names
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.text.layout import Row, Rows, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import number
from gradcli.render.text.wrapping import HANG, lines_of
from gradcli.source import visible

WIDEST = 98  # columns of a line with the program and the point
MOST = 40  # rows of a section, unless all are asked for
FEW = 4  # rows more are shown, too: to hide them saves nothing


def heading(explanation: Explanation, terms: Terms, *, all: bool) -> list[Row]:
    """The program, and the point at which it is explained."""
    point = [f"{visible(node.name)} = {terms.grid(node.value, width=40)}" for node in explanation.variables]
    if explanation.sizes is not None:
        point = [f"{visible(name)} ({', '.join(map(str, sizes))})" for name, sizes in explanation.sizes.items()]
    if not terms.plain_seed and explanation.steps and explanation.sizes is None:
        point.append(f"upstream {terms.total(explanation.output)} = {terms.grid(explanation.upstream, width=40)}")
    at = f"{'at' if explanation.sizes is None else 'for'} {', '.join(point)}" if point else ""
    written = Rows(explanation.statements, partial(_statement, terms=terms))
    lines = shown(written, terms.looks, all=all, ending=last(written))
    if (
        at
        and "\n" not in at
        and len(lines) == 1
        and len(lines[0].cells[0]) + len(at) + 8 < min(terms.looks.width or WIDEST, WIDEST)
    ):
        return [Row((f"{lines[0].cells[0]}        {at}",), "title")]
    return [*lines, *_points(at, point, terms.looks.width)] if at else lines


def _points(at: str, point: Sequence[str], width: int | None) -> list[Row]:
    """Return the values of the variables on lines that break between variables where they can."""
    if "\n" not in at and (width is None or cell_len(at) <= width):
        return [Row((at,), "title")]
    word, indent = at.partition(" ")[0], " " * (at.index(" ") + 1)
    width = width or WIDEST
    lines = [f"{word} {point[0]}"]
    for item in point[1:]:
        if "\n" not in lines[-1] + item and cell_len(lines[-1]) + cell_len(item) + 3 <= width:  # and a comma behind it
            lines[-1] += f", {item}"
        else:
            lines[-1] += ","
            lines.append(indent + item)
    return [Row((part,), "title") for line in lines for part in _parts(line, width, len(indent) + HANG)]


def _parts(line: str, width: int, hang: int) -> list[str]:
    """Return the lines of a value: of a matrix its rows below the first, of anything else as many as it needs."""
    first, *rows = line.split("\n")
    return [first, *(" " * first.index("[[") + row for row in rows)] if rows else lines_of(line, width, hang)


def _statement(statement: Statement, terms: Terms) -> Row:
    return Row((terms.statement(statement),), "title")


def shown(rows: Sequence[Row], looks: Looks, *, all: bool, ending: range | None = None) -> list[Row]:
    """The rows that fit a screen, those of the `ending` among them, and a line that says how to see the rest."""
    ending = range(0) if ending is None else ending
    first = MOST - len(ending)
    hidden = len(rows) - MOST
    if all or hidden <= FEW:
        return list(rows)
    kind = "between" if ending else "aside"  # the rows before and after it are aligned
    rest = Row((f"{looks.ellipsis} {hidden:,} more: --all shows every row, --json has everything",), kind)
    return [*rows[:first], rest, *(rows[place] for place in ending)]


def last(rows: Sequence[Row]) -> range:
    """The place of the last row."""
    return range(len(rows))[-1:]


DIGITS = 4


def meaning_rows(explanation: Explanation) -> list[Row]:
    """Return the sentences as rows; none where a gradient is not that of a number, or cannot be computed again."""
    all_meanings: list[Meaning] = guarded("meaning", lambda: [*meanings(explanation)], [])
    return [Row((visible(sentence(meaning, explanation.output)),), "aside") for meaning in all_meanings]


def sentence(meaning: Meaning, output: str) -> str:
    """Return `x + 0.01 makes q grow by about 0.32; really 0.3224`."""
    expected, really = (f"{abs(change):.{DIGITS}g}" for change in (meaning.predicted, meaning.actual))
    moved = f"{place(meaning)} + {meaning.step:g}"
    if not meaning.predicted:
        grows = "grows" if meaning.actual > 0 else "shrinks"
        more = f"; really it {grows} by {really}" if meaning.actual else ""
        return f"{moved} leaves {output} as it is, as far as the slope tells{more}"
    sign = "-" if meaning.actual * meaning.predicted < 0 else ""
    verb = "grow" if meaning.predicted > 0 else "shrink"
    return f"{moved} makes {output} {verb} by about {expected}; really {sign}{really}"


def place(meaning: Meaning) -> str:
    """Return `x`, or `W[0,1]`."""
    return f"{meaning.leaf}[{','.join(map(str, meaning.entry))}]" if meaning.entry else meaning.leaf


FORWARD = ("node", "computed as", "in numbers", "value", "torch's node")
LOCALS = ("edge", "local derivative", "value", "Jacobian")
CHAIN = ("gradient", "chain rule", "in numbers", "value")
GRADIENTS = ("gradient", "formula", "value")


def page(explanation: Explanation, looks: Looks, *, all: bool = False, why: bool = False, means: bool = False) -> str:
    """The whole page as text; of long sections the beginning, unless `all` is asked for.

    On demand it tells why rules hold, and what each gradient `means`.
    """
    parts = sections(explanation, looks, all=all, why=why)
    if means:
        rows = meaning_rows(explanation)
        at = next((n for n, section in enumerate(parts) if section.title == "Notes"), len(parts))
        parts[at:at] = [Section("What the gradients mean", rows)] if rows else []
    return lay_out(parts, looks)


def second_pages(lessons: Sequence[Explanation], steps: Sequence[Newton], looks: Looks, *, all: bool, why: bool) -> str:
    """Return the lesson of a program, then that of each of its gradients, and Newton's step."""
    first, *seconds = lessons
    parts = sections(first, looks, all=all, why=why)
    for leaf, second in zip(steps, seconds, strict=True):
        of, *rest = sections(second, looks, all=all, why=why)
        title = f"The backward pass as a program: {second.output} is {Terms(first, looks).total(leaf.leaf)}"
        parts += [Section(title, [replace(row, kind="") for row in of.rows]), *rest]
    texts = dict.fromkeys(newton_step(step, looks, is_alone=len(steps) == 1) for step in steps)
    return lay_out([*parts, Section("Newton's step", [Row((text,)) for text in texts])], looks)


def newton_step(step: Newton, looks: Looks, *, is_alone: bool) -> str:
    """Return `x goes from 2 to 2 - 32/48 = 1.33333`; of several variables at once the value alone."""
    value, gradient, second = (number(part, looks.precision) for part in (step.value, step.gradient, step.second))
    if step.after is None:
        return "there is none: the matrix of the second derivatives has no inverse"
    after = number(step.after, looks.precision)
    if not is_alone:
        return f"{visible(step.leaf)} goes from {value} to {after}"
    extremum = "minimum" if step.second > 0 else "maximum"
    put_in = f"{value} - {factor(gradient)}/{factor(second)}"
    return f"{visible(step.leaf)} goes from {value} to {put_in} = {after}, towards a {extremum} of the parabola"


def sections(explanation: Explanation, looks: Looks, *, all: bool, why: bool) -> list[Section]:
    """Return the sections of the page that have rows."""
    terms = Terms(explanation, replace(looks, whole=all))
    notes = [Row((visible(note.message),), "note") for note in explanation.notes]
    computed, links = forward(explanation, terms), chain_rule(explanation, terms)
    parts = [
        Section("", heading(explanation, terms, all=all)),
        Section("Forward", shown(computed, looks, all=all, ending=last(computed)), FORWARD),
        Section("Local derivatives", shown(locals_(explanation, terms, why=why), looks, all=all), LOCALS),
        Section("Chain rule, newest node first", shown(links, looks, all=all, ending=last(links)), CHAIN),
        Section("Gradients", shown(gradients(explanation, terms), looks, all=all), GRADIENTS),
        Section("Notes", shown(notes, looks, all=all)),
    ]
    return [section for section in parts if section.rows]


def forward(explanation: Explanation, terms: Terms) -> Rows[Node]:
    """Every operation, and the constants that have a name in the expressions."""
    used = mentioned(explanation) | {explanation.output}
    if explanation.sizes is not None:
        used -= explanation.sizes.keys()  # their shapes stand above, and they have no values
    nodes = [node for node in explanation.nodes if node.kind == "op" or (node.kind == "constant" and node.id in used)]
    return Rows(nodes, partial(_forward, terms=terms))


def mentioned(explanation: Explanation) -> set[str]:
    """The constants that an expression or a rule calls by name; the others are written out where they are used."""
    constants = {node.id for node in explanation.nodes if node.kind == "constant"}
    users = [node for node in explanation.nodes if not constants.isdisjoint(node.inputs)]
    written = (tree for node in users for tree in (node.expression, *(local.rule for local in node.locals)))
    return {name for tree in written for name in names(tree)} & constants


def _forward(node: Node, terms: Terms) -> Row:
    value, expression = terms.grid(node.value), terms.typed(node.expression)
    if node.kind == "op":
        made_by, put_in = node.grad_fn or "constant", terms.put_in(node) or ""
    else:
        made_by, put_in = "constant", ""
    if "\n" in value:  # the name stands behind the last row
        value, made_by = f"{value}  {made_by}", ""
    made = "" if expression == visible(node.name) or is_same(expression, value) else f"= {expression}"
    return Row(
        (visible(node.name), made, "" if is_same(put_in, value) else put_in, f"= {value}" if value else "", made_by)
    )


def locals_(explanation: Explanation, terms: Terms, *, why: bool = False) -> Rows[Callable[[], Row]]:
    """The derivative on every edge, newest node first; above the first rule a line says what its `g` is.

    Below a tensor rule stands why it holds, in one line. With `why` it is told in full, and a sentence stands below the
    edges of each node.
    """
    lines: list[Callable[[], Row]] = []
    is_introduced = is_held = False
    if why:
        from gradcli.render.lesson.reasons import signs

        lines.extend(partial(Row, (text,), "between") for text in signs(explanation, terms))
    reached = [node for node in explanation.nodes if node.grad is not None]  # others have no part in any gradient
    ruled = [node for node in reached if any(local.formula is None for local in node.locals)]
    for node in reversed(reached):
        for local in node.locals:
            if local.formula is None and not is_introduced:
                lines.append(partial(_arrives, node, terms, is_alone=len(ruled) == 1))
                is_introduced = True
            if local.held and not is_held:
                lines.append(partial(_stays, node, local, terms))
                is_held = True
            lines.append(partial(_local, node, local, terms, why=why))
            if local.reason is not None:
                lines.append(partial(_reason, local, terms, why=why))
        if why and node.locals:
            lines.append(partial(_said, node, terms))
    return Rows(lines, lambda line: line())


def _arrives(node: Node, terms: Terms, *, is_alone: bool) -> Row:
    name, total = terms.upstream_name, terms.total(node.id)
    words = f"{name} is the gradient that arrives from above"
    text = f"{words}, here {total}" if is_alone else f"at each node, {words}: at {visible(node.name)} it is {total}"
    return Row((text if terms.plain_seed else f"{text}, which is given",), "between")


def _stays(node: Node, local: Local, terms: Terms) -> Row:
    stay = "is held fixed, though it depends" if len(local.held) == 1 else "are held fixed, though they depend"
    held = " and ".join(map(visible, local.held))
    text = f"in {terms.edge(node.name, local)}, {held} {stay} on {visible(local.input)} too"
    return Row((text,), "between")


def _said(node: Node, terms: Terms) -> Row:
    from gradcli.explanation.reference import sentences

    return Row((visible(sentences(node, terms.nodes, terms.upstream_name)),), "why")


def _local(node: Node, local: Local, terms: Terms, *, why: bool) -> Row:
    symbols = terms.local(local)
    value = "" if local.value is None else f"= {terms.grid(local.value)}"
    if why and local.reason is not None:
        from gradcli.render.lesson.reasons import shapes

        value = shapes(local, terms)
    matrix = "" if local.jacobian is None else f"J = {terms.grid(local.jacobian)}"
    return Row((terms.edge(node.name, local), symbols, "" if is_same(value, symbols) else value, matrix))


def _reason(local: Local, terms: Terms, *, why: bool) -> Row:
    from gradcli.render.lesson.reasons import reason  # pages of numbers alone have none

    return Row((reason(local, terms, in_full=why),), "reason")


def chain_rule(explanation: Explanation, terms: Terms) -> Rows[Link | None]:
    """Return the gradient that enters, and that of every node: in symbols, in numbers, and the result."""
    links = entered(explanation, chain(explanation))
    given = [] if terms.plain_seed else [None]
    return Rows([*given, *links] if links else [], partial(_link, terms=terms))


def _link(link: Link | None, terms: Terms) -> Row:
    if link is None:
        return given(terms)
    total = terms.total(link.input)
    return Row((total, *equations(total, [terms.symbols(link), terms.numbers(link) or "", terms.result(link)])))


def given(terms: Terms) -> Row:
    """Return the line that says what the `L` of an upstream gradient is."""
    output, later = terms.explanation.output, terms.differentiated
    text = f"{terms.total(output)} is given: {later} is a number that is computed from {visible(output)} later"
    return Row((text,), "between")


def equations(first: str, sides: Sequence[str]) -> list[str]:
    """Each side with its equals sign; one that repeats the first, or the one after it, is left out: results align."""
    pairs = zip(sides, (*sides[1:], None), strict=False)
    return [
        f"= {side}" if side and side != first and not (after and is_same(side, after)) else "" for side, after in pairs
    ]


def is_same(text: str, other: str) -> bool:
    """Whether texts say the same, one of them perhaps in rows."""
    return "".join(text.split()) == "".join(other.split())


def gradients(explanation: Explanation, terms: Terms) -> Rows[Leaf | Intermediate]:
    """The gradient of every variable: as a formula of the variables, and its value; above them what they call δ."""
    return Rows([*explanation.deltas, *explanation.leaves], partial(_gradient, terms=terms))


def deltas_of(formula: Expression | None, explanation: Explanation) -> list[Intermediate]:
    """Return what a formula calls δ, and what those call so, in the order in which it is computed."""
    needed = set[str]() if formula is None else {*names(formula)}
    for part in reversed(explanation.deltas):
        needed |= names(part.expression) if part.name in needed else set()
    return [part for part in explanation.deltas if part.name in needed]


def delta(part: Intermediate, terms: Terms) -> str:
    """Return `δ2 = ∂loss/∂v2 = (δ1 @ W2.T) ⊙ [h > 0]`."""
    return f"{terms.formula(Name(part.name))} = {terms.total(str(part.gradient_of))} = {terms.formula(part.expression)}"


def _gradient(leaf: Leaf | Intermediate, terms: Terms) -> Row:
    if isinstance(leaf, Intermediate):
        name, _, text = delta(leaf, terms).partition(" = ")
        return Row((name, f"= {text}", f"= {terms.grid(terms.nodes[str(leaf.gradient_of)].grad)}"), "result")
    total = terms.total(leaf.name)
    explanation = terms.explanation
    why = guarded("note", lambda: stopped(leaf, explanation.nodes, explanation.output, terms.formula), "")
    gradient = explanation.without_dust(leaf.node, leaf.gradient)
    value = f"= {None if gradient is None else terms.grid(gradient)}"
    if why or leaf.gradient is None:
        return Row((total, "", f"{value}, for {why}" if why else value), "result")
    formula = "" if leaf.formula is None else f"= {terms.formula(leaf.formula)}"
    return Row((total, "" if is_same(formula, value) else formula, value), "result")


def formulas(explanation: Explanation, terms: Terms) -> Rows[Leaf | Intermediate]:
    """The gradients that are more than a number, as formulas of the variables."""
    parts: list[Leaf | Intermediate] = [*explanation.deltas]
    parts += [leaf for leaf in explanation.leaves if leaf.formula is not None and names(leaf.formula)]
    return Rows(parts, partial(_gradient, terms=terms))
