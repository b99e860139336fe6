"""The numbers of a step, and its chain rule: upstream times local is the contribution, and contributions add up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gradcli.explanation.model import Value
from gradcli.explanation.reference import sentences
from gradcli.explanation.steps.walk import Accumulated, Computed, Contributed, Move, Walk
from gradcli.facts import dataclass
from gradcli.language.tree import Attribute, Binary, Call, Expression, Name, Number, names
from gradcli.render.lesson.page import deltas_of
from gradcli.render.lesson.readable import ENTRYWISE
from gradcli.render.lesson.reasons import reason
from gradcli.render.lesson.terms import Terms
from gradcli.render.page.document import Html, cut, element, joined
from gradcli.render.page.mathml import WHOLE, Paint, after, factor, in_line, mo, row, spread

# Convolutions whose window can be shown on grids: which entries of input and kernel make which of the result.


PLACES = {
    "": ("input", "kernel"),
    "_back": ("input", "out"),  # the gradient by the kernel, as a convolution
    "_weight": ("input", None, "out"),  # and where its strides leave entries out
    "_transpose": ("out", "kernel"),
}
RESULTS = {"": "out", "_back": "kernel", "_weight": "kernel", "_transpose": "input"}
SUMMED = {
    "": ("kernel", 1),
    "_back": ("out", 0),
    "_weight": ("out", 0),
    "_transpose": ("kernel", 0),
}  # the axis of channels or images
OPTIONS = {"stride": 1, "dilation": 1, "padding": 0}
TURNED = {"stride": "dilation", "dilation": "stride"}  # in the gradient by the kernel


@dataclass(frozen=True, slots=True)
class Window:
    """A convolution: the name behind each of its two factors, the part that its result has, and how it steps."""

    factors: Mapping[str, str]  # `out`, `input`, `kernel`
    result: str
    steps: str  # an axis each: stride, dilation, padding


def window(rule: Expression, values: Mapping[str, Value], result: Value, upstream: str = "") -> Window | None:
    """Return the window of a convolution of one image and channel that is small enough for grids; else None.

    Where it is a rule, one of its factors is the gradient `upstream`.
    """
    rule = unturned(rule)
    match = re.fullmatch(r"conv(_transpose)?([12])d(_weight)?", rule.function) if isinstance(rule, Call) else None
    if match is None or not isinstance(rule, Call):
        return None
    given = [unturned(argument.value) for argument in rule.arguments if argument.keyword is None]
    is_back = len(given) == 2 and given[1] == Name(upstream) and not match[1]
    kind = "_back" if is_back else match[1] or match[3] or ""
    options = {
        TURNED.get(argument.keyword, argument.keyword) if is_back else argument.keyword: argument.value
        for argument in rule.arguments
        if argument.keyword not in (None, "output_padding")
    }
    factors = {
        role: tree.id
        for role, tree in zip(PLACES[kind], given, strict=False)
        if role is not None and isinstance(tree, Name) and tree.id in values
    }
    steps = [options.get(name, Number(default)) for name, default in OPTIONS.items()]
    is_plain = len(given) == len(PLACES[kind]) and len(factors) == 2 and options.keys() <= OPTIONS.keys()
    if not is_plain or not all(isinstance(step, Number) for step in steps):
        return None
    shown: Sequence[Value] = [result, *(values[name] for name in factors.values())]
    role, axis = SUMMED[kind]
    is_small = all(max(np.shape(value)[2:]) <= WHOLE for value in shown if np.ndim(value) > 2)
    if not is_small or any(np.ndim(value) < 3 for value in shown) or np.shape(values[factors[role]])[axis] != 1:
        return None
    axes = ["1,1,0"] * (2 - int(match[2])) + [
        ",".join(str(step.value) for step in steps if isinstance(step, Number))
    ] * int(match[2])
    return Window(factors, RESULTS[kind], ";".join(axes))


def unturned(tree: Expression) -> Expression:
    """Return a tensor whose first two dimensions change places, in their usual order."""
    is_turned = isinstance(tree, Call) and tree.function == "transpose"
    return tree.arguments[0].value if isinstance(tree, Call) and is_turned else tree


MOST = 5  # terms of a sum that are written out
LONGEST = 36  # characters of a rule that is written as a formula, which a browser does not break into lines


class Equations:
    """Writes the formulas of one walk. What a reader is to predict has the class `answer`."""

    def __init__(self, walk: Walk, terms: Terms, paint: Paint) -> None:
        self.walk = walk
        self.terms = terms
        self.paint = paint
        self.has_numbers = walk.explanation.sizes is None
        self.into: dict[str, list[Contributed]] = {}
        for move in walk.moves:
            if isinstance(move, Contributed):
                self.into.setdefault(move.edge.source, []).append(move)

    def of(self, move: Move) -> Html:
        """Return everything that a step shows beside its sentence."""
        match move:
            case Computed(node):
                return joined(*self.forward(node))
            case Contributed():
                return joined(*self.backward(move))
            case Accumulated():
                return joined(*self.accumulated(move))

    def forward(self, id: str) -> Iterator[Html]:
        """Yield `v1 = a·x2 = 2·3 = 6`."""
        node, paint = self.terms.nodes[id], self.paint
        sides = [paint.name(id), paint.typed(node.expression)]
        inputs = [self.terms.nodes[name] for name in node.inputs]
        if self.has_numbers:
            if inputs and not node.shape and not any(x.shape for x in inputs):
                numbers = {x.id: factor(paint.number(x.value, self.terms.digits(node))) for x in inputs}
                sides.append(paint.typed(node.expression, numbers))
            sides.append(paint.number(node.value))
        yield equation(sides)
        if self.has_numbers:
            values = {name: self.terms.nodes[name].value for name in node.inputs}
            slid = window(node.expression, values, node.value)
            if slid is not None:
                made = box("result", in_line(paint.name(id)), in_line(paint.number(node.value)), role=slid.result)
                yield self.windowed(slid, values, made)

    def backward(self, move: Contributed) -> Iterator[Html]:
        """Yield the chain rule, the product in numbers, the sum so far, why the rule holds, and the rule in words."""
        source = move.edge.source
        several = len(self.into[source]) > 1
        yield spread(self.paint.total(source), *self.terms_of(move))
        if self.has_numbers:
            yield self.product(move)
            if several:
                yield self.sum(move)
        if move.local.reason is not None and (why := reason(move.local, self.terms, in_full=False)):
            yield element("p", why, class_="why")
        nodes, upstream = self.terms.nodes, self.terms.upstream_name
        said = sentences(nodes[move.edge.target], nodes, upstream, move.edge.source)
        yield element("p", said, class_="rule") if said else Html()

    def terms_of(self, move: Contributed) -> Iterator[Html]:
        """Yield the pieces of the sum over all edges into a node, of which this step is one."""
        moves = self.into[move.edge.source]
        place = moves.index(move)
        start = max(0, min(place - MOST // 2, len(moves) - MOST))
        sign = "="
        if start:
            yield after(sign, mo("…"))
            sign = "+"
        for term in moves[start : start + MOST]:
            for piece in self.term(term):
                now = "now" if term is move and len(moves) > 1 else None
                yield after(sign, element("mrow", piece, class_=now))
                sign = ENTRYWISE if term.local.is_entrywise else "·"
            sign = "+"
        if start + MOST < len(moves):
            yield after(sign, mo("…"))

    def term(self, move: Contributed) -> list[Html]:
        """Return the factors `∂q/∂p` and `∂p/∂s`; of a short rule that is no product, it with the upstream put in."""
        paint, target = self.paint, move.edge.target
        upstream = paint.total(target)
        if move.local.formula is None and len(self.terms.formula(move.local.rule)) <= LONGEST:
            given = {self.terms.upstream_name: upstream}
            return [paint.formula(move.local.rule, given, self.terms.arriving(move.local))]
        return [upstream, paint.local(target, move.local)]

    def product(self, move: Contributed) -> Html:
        """Return the three numbers of a contribution, each under its name."""
        fact, local, paint = move.fact, move.local, self.paint
        target = move.edge.target
        upstream = box("upstream", in_line(paint.total(target)), in_line(paint.number(fact.upstream)), "gradient")
        answer = element("div", sign("="), self.arrived(move), class_="answer")
        if local.formula is None or fact.summed_axes:
            written, given = self.terms.formula(local.rule), paint.name(self.terms.upstream_name)
            values = {name: self.terms.nodes[name].value for name in self.terms.nodes[target].inputs}
            values[self.terms.upstream_name] = fact.upstream
            slid = window(local.rule, values, fact.contribution, self.terms.upstream_name)
            if slid is not None:
                return self.windowed(slid, values, self.arrived(move, slid.result), target)
            product = factors(local.rule, self.terms.upstream_name)
            if product is not None and self.is_small(product, fact.upstream):
                return element("div", *self.worked(move, product), class_="product", data_product=True)
            if len(written) <= LONGEST:
                rule = in_line(given, mo("↦"), paint.formula(local.rule, None, self.terms.arriving(local)))
            else:
                rule = joined(in_line(given, mo("↦")), " ", element("code", cut(written, 300)))
            how = element("div", sign("→"), box("rule", None, rule), class_="next")
            return element("div", upstream, how, answer, class_="product")
        value = in_line(paint.number(local.value))
        formula = paint.formula(local.formula)
        named = in_line(paint.local(target, local), *([] if isinstance(local.formula, Number) else [mo("="), formula]))
        times = sign(ENTRYWISE if local.is_entrywise else "×")
        slope = element("div", times, box("local", named, value), class_="answer")
        return element("div", upstream, slope, answer, class_="product")

    def is_small(self, product: tuple[Expression, Expression], upstream: Value) -> bool:
        """Whether both factors of a product of matrices, and its result, are written out."""
        return all(0 < size <= WHOLE for value in self.values(product, upstream) for size in np.shape(value))

    def values(self, product: tuple[Expression, Expression], upstream: Value) -> list[Value]:
        """Return the values of the factors: of the upstream gradient, and of a node that may be transposed."""
        arrays = []
        for tree in product:
            inner = tree.value if isinstance(tree, Attribute) else tree
            assert isinstance(inner, Name)
            value = upstream if inner.id == self.terms.upstream_name else self.terms.nodes[inner.id].value
            arrays.append(np.asarray(value).T if isinstance(tree, Attribute) else np.asarray(value))
        return arrays

    def worked(self, move: Contributed, product: tuple[Expression, Expression]) -> Iterator[Html]:
        """Yield a product of matrices: an entry under the pointer lights its row and column."""
        fact, paint = move.fact, self.paint
        for tree, value, mark in zip(product, self.values(product, fact.upstream), ("", "@"), strict=True):
            is_gradient = self.terms.upstream_name in names(tree)
            label = "upstream" if is_gradient else "local"
            symbol = in_line(paint.total(move.edge.target) if is_gradient else paint.formula(tree))
            card = box(label, symbol, in_line(paint.number(value)), "gradient" if is_gradient else "")
            yield element("div", sign(mark), card, class_="next") if mark else card
        yield element("div", sign("="), self.arrived(move), class_="answer")

    def arrived(self, move: Contributed, role: str | None = None) -> Html:
        """Return the card of a contribution."""
        name = in_line(mo("→"), self.paint.name(move.edge.source))
        return box("contribution", name, in_line(self.paint.number(move.fact.contribution)), "gradient", role)

    def windowed(self, slid: Window, values: Mapping[str, Value], result: Html, target: str = "") -> Html:
        """Return a convolution on grids: an entry under the pointer lights its window; `target` has the upstream."""
        cards = []
        for role, name in slid.factors.items():
            number, is_gradient = in_line(self.paint.number(values[name])), name == self.terms.upstream_name
            symbol = in_line(self.paint.total(target) if is_gradient else self.paint.name(name))
            label = "upstream" if is_gradient else role
            cards.append(box(label, symbol, number, "gradient" if is_gradient else "", role))
        after = element("div", sign("∗"), cards[1], class_="next")
        answer = element("div", sign("="), result, class_="answer")
        return element("div", cards[0], after, answer, class_="product", data_window=slid.steps)

    def sum(self, move: Contributed) -> Html:
        """Return the running sum at the input."""
        paint = self.paint
        count = len(self.into[move.edge.source])
        place = self.into[move.edge.source].index(move) + 1
        pieces = [factor(paint.number(move.fact.contribution))]
        if move.before is not None:
            pieces = [paint.number(move.before), after("+", *pieces), after("=", paint.number(move.fact.total))]
        label = element("span", f"sum so far, {place} of {count}", class_="label")
        return element("div", label, element("div", spread(*pieces), class_="answer"), class_="sum")

    def accumulated(self, move: Accumulated) -> Iterator[Html]:
        """Yield `w.grad = 3 + 14 = 17`."""
        if not self.has_numbers:
            return
        paint = self.paint
        grad = row(paint.name(move.node), element("mtext", ".grad"))
        sides = [grad]
        if move.before is not None:
            sides.append(row(paint.number(move.before), mo("+"), factor(paint.number(move.gradient))))
        yield equation([*sides, paint.number(move.after)])
        leaf = next((leaf for leaf in self.walk.explanation.leaves if leaf.node == move.node), None)
        if leaf is not None and leaf.formula is not None and not isinstance(leaf.formula, Number):
            given = {id: paint.total(x) for id, x in self.gradients.items()}
            yield self.line(paint.total(move.node), leaf.formula, given)
            for delta in deltas_of(leaf.formula, self.walk.explanation):
                left = row(paint.name(delta.name), mo("="), paint.total(str(delta.gradient_of)))
                yield self.line(left, delta.expression, given)

    def line(self, left: Html, formula: Expression, given: Mapping[str, Html]) -> Html:
        """Return an equation that fits its line: a long formula is small, a longer one a text that can be broken."""
        written = self.terms.formula(formula)
        if len(written) > 2 * LONGEST:
            return element("p", in_line(left, mo("=")), " ", element("code", cut(written, 300)), class_="formula")
        return spread(left, after("=", self.paint.formula(formula, given)), small=len(written) > LONGEST)

    @property
    def gradients(self) -> dict[str, str]:
        """The nodes whose gradients formulas mention, by the names that they have there."""
        parts = self.walk.explanation.intermediates
        return {part.name: part.gradient_of for part in parts if part.gradient_of and not part.is_delta}


def factors(rule: Expression, upstream: str) -> tuple[Expression, Expression] | None:
    """Return the factors of a product of two matrices, each a name or transposed; None of any other rule."""
    if not isinstance(rule, Binary) or rule.operator != "@" or upstream not in names(rule):
        return None
    sides = rule.left, rule.right
    inner = [side.value if isinstance(side, Attribute) and side.name == "T" else side for side in sides]
    return sides if all(isinstance(side, Name) for side in inner) else None


def equation(sides: list[Html]) -> Html:
    """Return sides with equals signs between; one that repeats the one before is left out."""
    first, *others = dict.fromkeys(sides)
    return spread(first, *(after("=", side) for side in others))


def box(label: str, name: Html | None, number: Html, kind: str = "", role: str | None = None) -> Html:
    """Return a number, with its name in words and its symbol above it, and its role in a convolution."""
    return element(
        "div",
        element("span", label, class_="label"),
        element("span", name, class_="symbol") if name is not None else None,
        element("span", number, class_=f"number {kind}".rstrip()),
        class_="box",
        data_role=role,
    )


def sign(text: str) -> Html:
    return element("span", text, class_="sign")
