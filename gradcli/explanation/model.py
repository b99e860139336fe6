"""The explanation: facts without looks. Arrays are numpy values, formulas are trees of the expression language."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gradcli.facts import dataclass
from gradcli.guard import Missing, guarded
from gradcli.language.tree import Call, Expression, Name, Number, Program, Statement
from gradcli.source import Span

# Names for the values of a program: the user's own; v1, v2, ... for the rest (a Wengert list); c1, ... constants.


NAMELESS = re.compile(r"v\d+(_\w+)?")  # names of results that the user gave none
DUST = 2e-15  # beside the largest entry of a gradient in which terms cancel: what rounding leaves
ORDINALS = {1: "1st", 2: "2nd", 3: "3rd"}


def unused(stem: str, names_in_use: Container[str]) -> str:
    """The stem, or `stem_2`, `stem_3`, ... where the user has a name for something else."""
    name, number = stem, 2
    while name in names_in_use:
        name, number = f"{stem}_{number}", number + 1
    return name


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, ...: the name of one of several edges between the same nodes."""
    return ORDINALS.get(number, f"{number}th")


def lettered(name: str, number: int, names_in_use: Container[str]) -> str:
    """Return the name of a part: `v1_a`, `v1_b`."""
    return unused(f"{name}_{chr(ord('a') + number) if number < 26 else number}", names_in_use)


class Names:
    """Hands out names; each is unique and none is a name that the user wrote."""

    def __init__(self, names_in_use: Iterable[str]) -> None:
        self._known = set(names_in_use)  # the user's names, and those that are given
        self._given: set[str] = set()
        self._numbered: dict[str, Iterator[str]] = {}

    def _next(self, stem: str, first: int) -> str:
        """Return the first name of a stem and a number that is not known; each stem goes on where it was."""
        if stem not in self._numbered:
            self._numbered[stem] = (f"{stem}{number}" for number in count(first))
        return self._give(next(name for name in self._numbered[stem] if name not in self._known))

    def _give(self, name: str) -> str:
        self._given.add(name)
        self._known.add(name)
        return name

    def fresh(self, stem: str = "v") -> str:
        """The next name for something that the user did not name: `v1`, or `c1` for a constant."""
        return self._next(stem, 1)

    def part_name(self, name: str, number: int) -> str:
        """Return a name for a part of an operation that has a name: `v1_a`, `v1_b`."""
        return self._give(lettered(name, number, self._known))

    def user_name(self, name: str) -> str:
        """The user's name; assigned again, it becomes `name_2`, `name_3`, ..."""
        return self._next(f"{name}_", 2) if name in self._given else self._give(name)


# Values of which the shape is known and nothing else: torch did not keep them, or they are too large to be shown.


class Unkept(np.ndarray[Any, np.dtype[Any]]):
    """An array without numbers; whoever computes with it has nan."""


def unkept(shape: tuple[int, ...]) -> Unkept:
    """Return the value that stands for an array of this shape; it takes no memory."""
    return np.broadcast_to(np.nan, shape).view(Unkept)


if TYPE_CHECKING:
    from gradcli.explanation.index.formulas import Worked
    from gradcli.explanation.index.tree import Equation

Value = Any  # a numpy array or scalar
MISSING = Name("?")  # a rule that could not be computed


@dataclass(frozen=True, slots=True)
class Why:
    """The reason why the rule of a structured edge holds, entry by entry.

    `forward` gives the entries of the node; `gradient` gives the part that the edge adds to the entries of the input's
    gradient, from the upstream gradient. `shapes` are of the tensors in both. `given` explains names that are no nodes.
    The gradient may name entries that the tensors `outside` do not have: these count as 0. If it `is_sparse`, it names
    some entries of the gradient, and the others are 0. `entry` is one entry in numbers. Operations on whole matrices
    have a `differential` instead: the change of the node.
    """

    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    forward: tuple[Equation, ...] = ()
    gradient: Equation | None = None
    given: tuple[tuple[str, str], ...] = ()
    outside: tuple[str, ...] = ()
    is_sparse: bool = False
    entry: Worked | None = None
    differential: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Local:
    """One edge, from a node to one of its inputs.

    Elementwise: `formula` is the local derivative (the rule at g = 1) and `value` its numbers, in the shape of the
    node. Structured, or with an input that is copied to the shape of the node: there is no such array; `rule` is the
    contribution for an upstream gradient `g`. `held` are the other inputs that depend on this one, and that do not
    move; `use` counts from 1 the edges between the same two nodes, 0 is the only one. The `jacobian` has a row for each
    entry of the node and a column for each of the input, where it was asked for and is small.
    `reason` finds why the rule holds.
    """

    input: str
    formula: Expression | None
    value: Value | None
    rule: Expression
    held: tuple[str, ...] = ()
    use: int = 0
    jacobian: Value | None = None
    reason: Callable[[], Why | None] | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def is_entrywise(self) -> bool:
        """Whether the local derivative is a tensor, by which the upstream gradient is multiplied entry by entry."""
        return self.value is not None and np.ndim(self.value) > 0

    @property
    def why(self) -> Why | None:
        """Return why the rule holds, entry by entry; None for an elementwise operation over one shape."""
        return None if self.reason is None else guarded("reason", self.reason, None)


@dataclass(frozen=True, slots=True)
class Whole:
    """An operation for which torch takes several nodes, as the user wrote it, in terms of the inputs of all of them.

    `op` and `grad_fn` are of the node that computes; the others arrange its entries. `says` is a sentence about its
    rules, where that about the node would not be true of them.
    """

    expression: Expression
    op: str
    grad_fn: str | None
    inputs: tuple[str, ...]
    locals: tuple[Local, ...]
    says: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A leaf, a constant, or an operation with its result.

    `expression` is how it is computed, in terms of the names of its inputs; `grad` is the gradient of the output with
    respect to it, None where none flows. A node that torch `inserted` is there for the operation of the node `part_of`,
    which has the operation as the user wrote it as its `whole`.
    """

    id: str
    name: str
    kind: Literal["leaf", "constant", "op"]
    expression: Expression
    span: Span
    op: str | None
    grad_fn: str | None
    inputs: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: str
    value: Value
    requires_grad: bool
    is_leaf: bool
    grad: Value | None
    locals: tuple[Local, ...]
    inserted: bool = False
    part_of: str | None = None
    whole: Whole | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the node stands for its whole operation, as it does where operations are folded."""
        return self.whole is not None and self.expression == self.whole.expression


@dataclass(frozen=True, slots=True)
class Step:
    """One contribution, in the order in which it ran: `total` is the gradient of `input` so far.

    `summed_axes` are the axes over which the input was broadcast, so over which the contribution was summed.
    """

    node: str
    input: str
    upstream: Value
    rule: Expression
    contribution: Value
    summed_axes: tuple[int, ...]
    total: Value


@dataclass(frozen=True, slots=True)
class Leaf:
    """A variable with its gradient; `gradient` is None when the output does not depend on it.

    `formula_raw` is the gradient as the rules give it, over the variables; `formula` as a person writes it, perhaps
    over intermediates. Each is None where it would be too long.
    """

    name: str
    node: str
    gradient: Value | None
    formula: Expression | None
    formula_raw: Expression | None

    @property
    def is_dust(self) -> bool:
        """Whether the gradient is 0 at every point, and its numbers are what rounding leaves of terms that cancel."""
        tree = self.formula
        is_zero = tree == Number(0) or (isinstance(tree, Call) and tree.function == "zeros")
        return is_zero and self.gradient is not None and bool(np.any(self.gradient))


@dataclass(frozen=True, slots=True)
class Gradients:
    """The value of a program and its gradient by each variable, None when the output does not depend on it."""

    value: Value
    by: Mapping[str, Value | None]


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A name in a formula that is no variable: a node, or the gradient of the node `gradient_of`."""

    name: str
    expression: Expression
    gradient_of: str | None

    @property
    def is_delta(self) -> bool:
        """Whether it is written by its name, as in textbooks, and not as a derivative."""
        return self.gradient_of is not None and self.name.startswith("δ")


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on this point: `code` is one of `NOTES`, `node` the place."""

    code: str
    node: str
    message: str


NOTES = {
    "differs": "torch gave another contribution than the rule",
    "hooks": "a tensor of torch has hooks, which were not fired",
    "kink": "the function has a kink here; torch's convention was used",
    "tie": "several entries tie; torch's convention was used",
    "not-finite": "the first value that is nan or infinite",
    "gradient-not-finite": "the first gradient that is nan or infinite",
    "unused": "the output does not depend on this variable",
    "flat": "the derivative of this operation is zero everywhere",
    "unstable": "the formula loses digits at this point; another form keeps them",
    "vanished": "the gradient became small along a chain of operations",
    "exploded": "the gradient became large along a chain of operations",
    "cancelled": "the terms of a gradient cancel, and rounding leaves a number that means 0",
    "rest": "two numbers are equal but for their last digits, and what is left may mean 0",
    "saturated": "units whose derivative is nearly zero",
    "dead": "rectified units that are zero, so that no gradient flows through them",
    "long": "the gradient by this variable is too long to be written as a formula",
    "raw": "the gradient by this variable stands as the rules give it",
    "target": "the entries of this variable add up to 1, and the formulas leave their sum out",
    "number": "this variable was taken for a number, for it has no value and no shape",
    "internal": "a part of the explanation is missing, for it could not be computed; the numbers are there",
}


SYMBOLIC = frozenset({"flat", "internal", "long", "number", "raw", "target", "unused"})  # that hold at any point


def missing_notes(missing: Iterable[Missing]) -> tuple[Note, ...]:
    """Return notes on what is missing of an explanation or its document."""
    return tuple(Note("internal", fact.node, fact.message) for fact in missing)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The facts about one program at one point; `output` is a node's id, `upstream` the gradient that enters there.

    `intermediates` are what formulas of leaves mention beside variables, in the order in which they are computed.
    Where `is_seed_named`, formulas have an upstream gradient that is no number by its name. Where variables have
    `sizes` without numbers, the formulas hold for all of these, and the values are made up.
    """

    parsed: Program
    output: str
    value: Value
    upstream: Value
    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    leaves: tuple[Leaf, ...]
    notes: tuple[Note, ...]
    intermediates: tuple[Intermediate, ...] = ()
    is_seed_named: bool = False
    sizes: Mapping[str, tuple[str | int, ...]] | None = None

    @property
    def program(self) -> str:
        """The text of the program."""
        return self.parsed.source.text

    @property
    def upstream_name(self) -> str:
        """The name of the upstream gradient in rules: `g`, unless the program has a `g` of its own."""
        return unused("g", {node.name for node in self.nodes})

    @property
    def seed_name(self) -> str:
        """The name in formulas of an upstream gradient that is too large to be written out."""
        return unused("upstream", {node.name for node in self.nodes})

    @property
    def is_seed_one(self) -> bool:
        """Whether the upstream gradient is the 1 that enters where none is given, and is not written."""
        return np.ndim(self.upstream) == 0 and bool(self.upstream == 1)

    @property
    def variables(self) -> list[Node]:
        """The nodes of variables, names that are assigned a plain number among them."""
        return [node for node in self.nodes if node.kind != "op" and node.expression == Name(node.name)]

    @property
    def statements(self) -> list[Statement]:
        """The statements of the program, but for the first of each variable: that says its value, as its node does."""
        unassigned = {node.name for node in self.variables}
        statements = []
        for statement in self.parsed.statements:
            if statement.target in unassigned:
                unassigned.remove(statement.target)
            else:
                statements.append(statement)
        return statements

    @property
    def point(self) -> dict[str, Value]:
        """The values by all names that formulas mention."""
        nodes = {node.id: node.value for node in self.nodes}
        gradients = {x.name: self.node(x.gradient_of).grad for x in self.intermediates if x.gradient_of is not None}
        return {**nodes, self.seed_name: self.upstream, **gradients}

    @property
    def rests(self) -> frozenset[str]:
        """The nodes whose gradients are, in some entry, what rounding leaves of terms that cancel."""
        return frozenset(note.node for note in self.notes if note.code == "cancelled")

    def without_dust(self, node: str, gradient: Value | None) -> Value | None:
        """Return a gradient as pages show it: 0 in place of what rounding leaves."""
        if node not in self.rests or gradient is None:
            return gradient
        is_dust = any(leaf.node == node and leaf.is_dust for leaf in self.leaves) or not np.ndim(gradient)
        largest = np.inf if is_dust else np.max(np.abs(gradient), initial=0.0)
        return np.where(np.abs(gradient) <= DUST * largest, 0, gradient).astype(np.asarray(gradient).dtype)[()]

    @property
    def deltas(self) -> list[Intermediate]:
        """The gradients that formulas call δ."""
        return [x for x in self.intermediates if x.is_delta]

    def node(self, id: str) -> Node:
        """Return the node with this id; KeyError when there is none."""
        for node in self.nodes:
            if node.id == id:
                return node
        raise KeyError(id)
