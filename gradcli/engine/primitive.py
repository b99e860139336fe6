"""The declaration of an operation, and the registry of primitives.

    sin = primitive("sin", np.sin, lambda g, out, x: g * cos(x))

A rule gives the gradient of one input from the upstream gradient `g`, the result `out` and the inputs. It is written
with other primitives, so the same rule reads three ways: over numpy values it is the backward pass, over Tensors it is
the backward pass recorded again (`create_graph=True`), over Formulas it is the text that users see. The types of
the arguments decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from gradcli.engine.operators import FUNCTIONS, Arithmetic
from gradcli.engine.symbolic.formula import Formula, Notation, as_formula, call
from gradcli.facts import dataclass


def _always(*inputs: Any, **options: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Domain:
    """The points at which an operation is finite and smooth.

    `text` writes the condition over its inputs, `{0}` and `{1}`, and is empty if there is none; `holds` tells of values
    of the inputs which entries fulfil it. `low` and `high` bound the first input, where the condition is an interval.
    """

    text: str = ""
    holds: Callable[..., Any] = _always
    low: float = -math.inf
    high: float = math.inf


EVERYWHERE = Domain()


def between(low: float, high: float) -> Domain:
    """Return the open interval of the first input."""
    return Domain(f"{low:g} < {{0}} < {high:g}", lambda x, *_, **options: (x > low) & (x < high), low, high)


def above(low: float, input: int = 0) -> Domain:
    """Return the half-line of one input."""
    text, bound = f"{low:g} < {{{input}}}", low if input == 0 else -math.inf
    return Domain(text, lambda *inputs, **options: np.greater(inputs[input], low), bound)


def other_than_0(input: int = 0) -> Domain:
    """Return all numbers but 0, of one input."""
    return Domain(f"{{{input}}} != 0", lambda *inputs, **options: np.not_equal(inputs[input], 0))


POSITIVE = above(0)


TORCH = "torch 2.13"  # has the conventions declared; later ones change the gradients of clamp, min and max at ties
OUT = -1  # the position of the result among the values that a rule may mention; inputs count from 0
TRAITS = {
    "adjoint": "a part of the gradient of another operation, which formulas print",
    "angle": "the input is an angle, in radians",
    "arc": "the result is an angle, in radians",
    "average": "divides by a number of entries, unless `reduction` says otherwise",
    "bounded": "constant where the input is beyond bounds",
    "cancelling": "adds 1 on the way, as torch does, beside which a small result is rounded away",
    "choice": "each entry is that of one of the inputs",
    "counting": "how many entries the result has depends on those of booleans, or of the only input",
    "difference": "subtracts, which torch refuses of booleans",
    "kept": "in place, its node saves the result, from which torch computes the gradient then",
    "layout": "the same entries in another shape, order, number or dtype",
    "raising": "numpy raises an array to a single number in another way than to an array of it",
    "prelude": "a first part of an operation: `2/x` is reciprocal, then mul",
    "gate": "lets the gradient through by the sign or the bounds of the input",
    "part": "one of several results, none of which may be changed in place",
    "linear": "a number comes out of the first input as a factor",
    "masking": "leaves entries out, or others in their place",
    "minus": "a minus sign is in a rule, perhaps that of the input",
    "nonnegative": "no entry is below 0",
    "passing": "of nan it is nan",
    "product": "the derivative by an input is another input, or what it was multiplied by",
    "lenient": "takes, where `kinks` says so, another gradient than its slope",
    "matrix": "a product with matrices, behind an addend if there are three inputs",
    "ranked": "the result has as many dimensions as the first input",
    "rearranging": "the same entries in other places, of one input",
    "reducing": "one number, or one for each place along `dim`; it passes nan on",
    "saturating": "nearly constant where the input is large",
    "sum": "the inputs are added, perhaps with signs and factors",
    "turning": "the entries of a matrix in another order or shape",
    "writing": "writes over memory, which shows as a change in place, with the version that it leads to",
}
VARARGS = 4  # Python's flag of a function that takes `*rest`

Rule = Callable[..., Any]  # (g, out, *inputs, **options) -> gradient of one input


@dataclass(frozen=True, eq=False)
class Primitive:
    """An operation, declared once.

    forward: numpy values (and plain numbers) to a numpy value; options are keyword-only.
    rules: one per input; None where no gradient flows (a condition, indices, an exponent that is a number). Inputs
        beyond the last rule have none, unless `variadic`: then the one rule serves every input and also gets
        `position=`.
    node: torch's name of the graph node.
    says: the rules in one sentence of plain words, for a reader who has never seen them.
    structured: not elementwise, so that a local derivative is no array of numbers; its rule is shown instead.
    view: the result looks into the memory of the first input.
    keeps_dtype: the result has the dtype of the first input, whatever the others have.
    kinks: points where the derivative jumps, or a function from the inputs to a mask of such entries.
    convention: the derivative that torch takes there, as a phrase (`relu'(0) = 0`).
    pieces: of an operation with steps or teeth, a function from the inputs to the number of the one that each entry
        is on.
    domain: where the operation is finite and smooth, or a function from the options to that.
    edge: what happens at the edge of its domain, and what to write in place of it: `({x} + 1e-12).sqrt()`.
    fold: shortens a formula, or returns None.
    traits: words of `TRAITS` that hold of it.
    inputs: torch's names of the inputs, in what a node saved.
    saves: positions that torch's node saves though the rules do not read them; None if it saves nothing whatever they
        read, as with places that are computed here.
    copies: the node keeps a copy of its inputs, so `saves` alone are watched for changes: where torch's rule reads
        other results than these rules do, as the factors that LAPACK found in a copy.
    number: which of the results of torch's node this one is.
    node_in_place: torch's name of the node where `x.name_()` has one of its own.
    index: why the rules of a structured operation hold: `out[i,k] = Σj A[i,j]·B[j,k]`, with the inputs as the rules
        call them and options in braces, or a function (out, *inputs, **options) that returns it where shapes matter.
        Gradients are derived from it; `∂x[i] = ...` behind a semicolon is one that is written. The function may
        also return tensors that the formula mentions, by name: (what it is, its value).
    stacked: of a structured operation, how it computes many points at once, whose values have one more dimension in
        front: the options that count dimensions, or are sizes (`stacked.py`), for the same forward; or another forward.
        Without it the points are computed one by one.
    differential: the change of the result, of an operation that has no such formula: `-out @ dA @ out`, perhaps with
        assignments before it, or a function that returns it.
    """

    name: str
    forward: Callable[..., Any]
    rules: tuple[Rule | None, ...]
    node: str
    notation: Notation
    says: str = ""
    structured: bool = False
    variadic: bool = False
    view: bool = False
    keeps_dtype: bool = False
    kinks: tuple[float, ...] | Callable[..., Any] = ()
    convention: str = ""
    pieces: Callable[..., Any] | None = None
    domain: Domain | Callable[..., Domain] = EVERYWHERE
    edge: tuple[str, str] | None = None
    fold: Callable[..., Formula | None] | None = None
    traits: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ("self", "other")
    saves: tuple[int, ...] | None = ()
    copies: bool = False
    number: int = 0
    node_in_place: str = ""
    index: str | Callable[..., Any] = ""
    differential: str | Callable[..., Any] = ""
    stacked: tuple[str, ...] | Callable[..., Any] | None = None
    shares: ClassVar[bool] = False  # whether others may hold the gradients that the rules give
    full: int = field(init=False)  # the number of inputs with which each has a rule; -1 where one has none
    combines: bool = field(init=False)  # its operands; a structured operation takes indices and the like
    promotes: bool = field(init=False)  # the dtypes of its operands to one

    def __post_init__(self) -> None:
        assert TRAITS.keys() >= set(self.traits), self.traits
        object.__setattr__(self, "full", -1 if None in self.rules else len(self.rules))
        object.__setattr__(self, "combines", self.variadic or not self.structured)
        object.__setattr__(self, "promotes", self.combines and not self.keeps_dtype)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def number_for(self, options: dict[str, Any]) -> int:
        """Return which of the results of torch's node the one with these options is."""
        is_part = "part" in self.traits or self.name.startswith("unsafe_")
        return int(options.get("index", 0)) if is_part else self.number

    def domain_for(self, options: dict[str, Any]) -> Domain:
        """Return where the operation is finite and smooth with these options."""
        return self.domain if isinstance(self.domain, Domain) else self.domain(**options)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        for x in inputs:
            if isinstance(x, Arithmetic):
                if isinstance(x, Formula):
                    return self.formula(inputs, options)
                return FUNCTIONS["apply"](self, inputs, options)
        return self.forward(*inputs, **options)

    def formula(self, inputs: tuple[Any, ...], options: dict[str, Any], value: Any = None) -> Formula:
        """Write the operation over Formulas, folded lightly, with its value, which is computed if it is not known."""
        operands = [x if isinstance(x, Formula) else as_formula(x) for x in inputs]
        if value is None:
            value = self.forward(*[x.value for x in operands], **options)
        if self.structured or [x.inner for x in operands].count(None) == len(operands):
            return self._write(tuple(operands), options, value)
        for position, x in enumerate(operands):  # one after the other: not all of them may be left small
            operands[position] = x.unexpanded(operands, value)
        text_tree = self._write(tuple(operands), options, value)
        if any(x.inner for x in operands):
            inner = self.formula(tuple(x.inner or x for x in operands), options)
            text_tree.inner = inner if inner.shape != text_tree.shape else None
        return text_tree

    def _write(self, operands: tuple[Formula, ...], options: dict[str, Any], value: Any) -> Formula:
        if self.fold is not None:
            folded = self.fold(*operands, value=value, **options)
            if folded is not None:  # its own value may be a plain number: 1*2 is float64 where g is
                return Formula(folded.tree, value, folded.size, folded.inner)
        size = 1 + sum([x.size for x in operands])
        return Formula(self.notation(operands, options), value, size)

    def from_nothing(self, node: Any, recorded: bool) -> Any:
        """Return the upstream gradient where none came; None where the node has then nothing to give."""
        return None

    def rules_for(self, inputs: Sequence[Any]) -> Sequence[Rule | None]:
        """Return the rules by position; inputs beyond the last have none."""
        if not self.variadic:
            return self.rules
        (rule,) = self.rules
        assert rule is not None
        return [partial(rule, position=position) for position in range(len(inputs))]

    def saved_for(self, inputs: Sequence[Any]) -> Sequence[frozenset[int]]:
        """Return for each rule the positions of the tensors that it mentions, and so saves; `OUT` is the result."""
        return self.saved * len(inputs) if self.variadic else self.saved

    def saving(self, inputs: Sequence[Any]) -> Sequence[int]:
        """Return the positions of the rules that save a tensor."""
        if self.variadic:
            return range(len(inputs)) if self.saved[0] else ()
        return self._saving

    @cached_property
    def in_place(self) -> Primitive:
        """Return the primitive under the name that torch gives the node of a change in place."""
        if not self.node_in_place:
            return self
        saves = (*self.saves, OUT) if self.saves is not None and "kept" in self.traits else self.saves
        return replace(self, node=self.node_in_place, saves=saves)

    @cached_property
    def _saving(self) -> tuple[int, ...]:
        return tuple(position for position, saved in enumerate(self.saved) if saved)

    @cached_property
    def saved(self) -> tuple[frozenset[int], ...]:
        if self.saves is None:
            return (frozenset(),) * len(self.rules)
        return tuple(frozenset() if rule is None else self._read_by(rule).union(self.saves) for rule in self.rules)

    def _read_by(self, rule: Rule) -> frozenset[int]:
        return frozenset() if self.copies else positions_read(rule, not self.variadic)

    @cached_property
    def saves_out(self) -> bool:
        return any(OUT in positions for positions in self.saved)


def positions_read(rule: Rule, with_rest: bool = False) -> frozenset[int]:
    """Return the positions of the values that a rule reads; `x.shape` alone saves nothing, as in torch.

    `*indices` count as the first of them, if `with_rest`.
    """
    import dis

    code = rule.__code__
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :][: with_rest and bool(code.co_flags & VARARGS)]
    parameters = code.co_varnames[1 : code.co_argcount] + rest  # after g: out and the inputs
    instructions = list(dis.get_instructions(rule))
    read: set[str] = set(code.co_cellvars)  # of an inner function nothing is known
    for this, following in zip(instructions, [*instructions[1:], None], strict=True):
        if "LOAD_FAST" in this.opname:  # of one variable or, from Python 3.13 on, of two
            names = this.argval if isinstance(this.argval, tuple) else (this.argval,)
            loaded = names[this.opname.startswith("STORE") :]  # STORE_FAST_LOAD_FAST: the first is written
            only_shape = following is not None and following.opname == "LOAD_ATTR" and following.argval == "shape"
            read.update(loaded[:-1] if only_shape else loaded)
    return frozenset(position + OUT for position, name in enumerate(parameters) if name in read)


REGISTRY: dict[str, Primitive] = {}


def primitive(
    name: str,
    forward: Callable[..., Any],
    *rules: Rule | None,
    node: str = "",
    notation: Notation | None = None,
    **facts: Any,
) -> Primitive:
    """Declare a primitive.

    `node` defaults to the name in torch's capitals (`log_softmax`: `LogSoftmaxBackward0`), `notation` to a call.
    """
    if not node:
        node = "".join(part.capitalize() for part in name.split("_")) + "Backward0"
    assert name not in REGISTRY, name
    declared = REGISTRY[name] = Primitive(name, forward, rules, node, notation or call(name, forward), **facts)
    return declared


def structured(name: str, forward: Callable[..., Any], *rules: Rule | None, **facts: Any) -> Primitive:
    """Declare a primitive that is not elementwise."""
    return primitive(name, forward, *rules, structured=True, **facts)


def adjoint(
    name: str, forward: Callable[..., Any], *rules: Rule | None, traits: tuple[str, ...] = (), **facts: Any
) -> Primitive:
    """Declare a part of the gradient of another operation, which formulas print."""
    return structured(name, forward, *rules, traits=("adjoint", *traits), **facts)
