"""Operations: the names that users write, and the reading of their arguments.

An operation is a plain function with torch's name and torch's parameters; it lowers to primitives as torch lowers it.
Its annotations say how arguments are taken: see `READERS`. Its examples are programs that the tests run, that
`gradcli ops` shows, and that between them use every primitive.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.errors import EvaluationError
from gradcli.facts import dataclass
from gradcli.language.catalogue import FAMILY_OF
from gradcli.ops.support.arguments import READERS, as_tensor, check_size, describe_value, promote_integers
from gradcli.ops.support.calling import ops
from gradcli.source import did_you_mean, docstring

# Sentences about rules that several families share; every other one stands with its operation.


ADDED_AT = "What was there keeps the whole gradient, and each added entry gets that of its place."
BETWEEN = "The gradient comes through between the bounds, and is 0 beyond them."
BOUND = "The gradient goes to the input where it stands, and to the bound where that takes its place."
CHOSEN = "The entry that was chosen gets the gradient, and the others get 0."
DOT = "A dot product gives each vector the gradient times the other vector."
EXTREME = "The entry that was chosen gets the gradient, shared equally among ties; the others get 0."
FLAT = "The result is flat between its jumps, so no gradient comes through."
LENGTH = "Each entry gets the gradient times its share of the length; in the 2-norm that is entry over length."
MATRIX = "Each matrix gets the gradient multiplied by the other one transposed, on its own side."
MATRIX_SUM = "The added part gets the gradient, and each factor the gradient times the other one transposed."
MEAN = "A mean shares the gradient out equally among the n entries."
MOVED = "The entries change places, so each gradient goes back to the place that its entry came from."
NORMAL = "The input's gradient loses its mean and its part along the result; weight and bias sum it over their copies."
OWN_PART = "Each input gets the part of the gradient that stands where it was put."
PICKED = "Entries that are picked get their gradients, added where one is picked twice; the rest get 0."
PLACED = "The entries are put among zeros, so each gets the gradient that arrives at its place."
REMAINDER = "The remainder moves along with the input, so the gradient goes back unchanged."
REMAINDER_BY = "The input gets the gradient, and the divisor minus the gradient times the whole quotient."
REPLACED = "What is written over gets 0, and the new entries get the gradient of the places they fill."
SAME = "The values stay as they are, so the gradient goes back unchanged."
SHAPE = "The entries stay as they are in another shape, so the gradient takes the old shape again."
SLID = "Input and kernel each get the gradient slid over the other; the bias gets the gradient summed up."
SOFTMAX = "Scores compete: each gets its share times its own gradient less the average, weighted by the shares."
SOLVED = "The right side gets the solution of the transposed system; the matrix gets minus that times the solution."
WINDOW_LARGEST = "The largest entry of each window gets the gradient of that window, and the others get 0."
WINDOW_MEAN = "The mean of each window shares its gradient out equally; overlapping windows add up."
WINDOW_SHARES = "Each window's number was shared out, so it gets the mean of the gradients in its window."


Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Operation:
    """A name that users write, declared once with its facts.

    method: whether `x.name()` exists too.
    soft: what has a derivative and is written in its place, which has none: `torch.tanh({x})`.
    symbol: how an expression writes it: `+`.
    torch: further names in modules of torch, with the module: `special.gammaln`.
    only: the one module of torch that has it, where the others mean something else by its name.
    in_place: `x.name_()` writes the result over `x` ("write"), or is not there ("").
    integers_stay: torch takes tensors of integers as they are, to keep or refuse them, for parameters that are `Real`.
    numbers: whether torch takes a plain number for an `Operand` "first" too, only "after" it, or "never".
    kernel: what torch calls the function that computes it, where that takes floating point numbers alone; or what torch
        says where it refuses others, with `{}` for their kind.
    alike: what torch says of floating point tensors of two dtypes, where it promotes none.
    computes_integers: torch computes it with whole numbers where it is given nothing else.
    traits: words of `TRAITS` that hold of it.
    contracts: it sums over dimensions that would else broadcast, and checks the size of its result itself; of whole
        numbers and others torch computes none, and in an expression the whole ones are converted.
    """

    name: str
    function: Callable[..., Any]
    examples: tuple[str, ...]
    aliases: Sequence[str] = ()
    method: bool = True
    torch: Sequence[str] = ()
    only: str = ""
    in_place: str = "write"
    integers_stay: bool = False
    numbers: str = "after"
    kernel: str = ""
    alike: str = ""
    computes_integers: bool = False
    contracts: bool = False
    traits: tuple[str, ...] = ()
    soft: str = ""
    symbol: str = ""

    @cached_property
    def called(self) -> Callable[..., Any]:
        """The function, which tells a tape what was called: torch takes several applications for some operations."""
        function = self.function

        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if mode.tape is None or mode.call is not None:
                return function(*arguments, **keywords)
            mode.call = Called(self, arguments, keywords)
            try:
                return function(*arguments, **keywords)
            finally:
                mode.call = None

        return call

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.function)

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        return self._signature.parameters

    @property
    def signature(self) -> str:
        """Return the call as users read it: `sum(input, dim=None, keepdim=False)`; needed keywords follow `*`."""
        parts = [
            ("*" if p.kind is p.VAR_POSITIONAL else "") + p.name + ("" if p.default is p.empty else f"={p.default!r}")
            for p in self.parameters.values()
        ]
        needed = [p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in self.parameters.values()]
        if any(needed) and not any(part.startswith("*") for part in parts):
            parts.insert(needed.index(True), "*")
        return f"{self.name}({', '.join(parts)})"

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return docstring(self.function).strip().partition("\n")[0]

    @property
    def family(self) -> str:
        """The module that declares it: `reductions`, `losses`."""
        return self.function.__module__.rpartition(".")[2]

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Call with arguments read by annotation; EvaluationError, with the signature, where they do not fit."""
        bound = self._bind(arguments, keywords)
        values: list[Any] = []
        named: dict[str, Any] = {}
        for name, value in bound.items():
            parameter = self.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                values.extend(self._read(parameter, item) for item in value)
            elif parameter.kind is parameter.KEYWORD_ONLY:
                named[name] = self._read(parameter, value)
            else:
                values.append(self._read(parameter, value))
        if self.contracts:
            values = promote_integers(values)
        return self.function(*values, **named)

    def _bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        for keyword in keywords:
            if keyword not in self.parameters:
                close = did_you_mean(keyword, self.parameters)
                hint = f"did you mean {close}=? " if close else ""
                raise EvaluationError(
                    "E203", f"{self.name}() has no argument {keyword!r}", help=f"{hint}{self.signature}"
                )
            if self.parameters[keyword].kind is inspect.Parameter.VAR_POSITIONAL:  # reshape(x, shape=(3, 2))
                rest = {k: v for k, v in keywords.items() if k != keyword}
                return self._bind((*arguments, keywords[keyword]), rest)
        try:
            bound = self._signature.bind(*arguments, **keywords)
        except TypeError as error:
            raise EvaluationError("E203", f"{self.name}(): {error}", help=self.signature) from None
        bound.apply_defaults()
        return bound.arguments

    def _read(self, parameter: inspect.Parameter, value: Any) -> Any:
        if value is None and parameter.default is None:
            return None
        read, kind = READERS[str(parameter.annotation).removesuffix(" | None")]
        try:
            return read(value)
        except (TypeError, ValueError):
            raise EvaluationError(
                "E204",
                f"{self.name}() takes {kind} for {parameter.name!r}, not {describe_value(value)}",
                help=self.signature,
            ) from None


class Operations(Mapping[str, Operation]):
    """All operations by name, aliases included; a family is imported when one of its names is asked for."""

    def __init__(self) -> None:
        self._declared: dict[str, Operation] = {}

    def __getitem__(self, name: str) -> Operation:
        if name not in self._declared:
            if name not in FAMILY_OF:
                raise KeyError(name)
            getattr(ops, name)
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in FAMILY_OF if "." not in name)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in FAMILY_OF

    def declare(self, operation: Operation) -> None:
        for name in (operation.name, *operation.aliases, *operation.torch):
            assert name not in self._declared, name
            self._declared[name] = operation
            vars(ops)[name] = operation.called


class Called(NamedTuple):
    """An operation that was called, with its arguments."""

    operation: Operation
    values: tuple[Any, ...]
    named: dict[str, Any]

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by parameter, the defaults among them."""
        bound = self.operation._signature.bind(*self.values, **self.named)
        bound.apply_defaults()
        return bound.arguments


OPERATIONS = Operations()


def operation(*examples: str, **facts: Any) -> Callable[[Function], Function]:
    """Declare an operation: `apply_sum`, beside the primitive `sum`, declares `sum`; other names are as they are."""

    def declare(function: Function) -> Function:
        register(function.__name__.removeprefix("apply_"), function, examples, **facts)
        return function

    return declare


def with_parameters_of(others: Callable[..., Any], **first: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a function of positional arguments the parameters `first`, each with its annotation, and those of `others`.

    Operations of one family take the same arguments: `others` has them once, with their defaults.
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    leading = [inspect.Parameter(name, kind, annotation=annotation) for name, annotation in first.items()]
    signature = inspect.Signature([*leading, *inspect.signature(others).parameters.values()])

    def give(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            bound = signature.bind(*arguments, **keywords)
            bound.apply_defaults()
            return function(*bound.args, **bound.kwargs)

        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    return give


def register(name: str, function: Callable[..., Any], examples: Sequence[str], **facts: Any) -> None:
    """Declare an operation with facts of `Operation`."""
    OPERATIONS.declare(Operation(name, function, tuple(examples), **facts))


# Operations for primitives that formulas print: adjoints, and the indices that rules refer to.


WRONG = (TypeError, ValueError, IndexError, ZeroDivisionError, OverflowError)  # numpy's errors for wrong shapes


def register_printed(declared: Primitive, *examples: str) -> None:
    """Register a primitive that formulas print as an operation.

    The annotations of its forward say how arguments are read; its docstring is the summary. Raises EvaluationError
    where the arguments do not fit together, for its forward or for its rules; in a formula they always do.
    """

    @wraps(declared.forward)
    def function(*inputs: Any, **options: Any) -> Any:
        for value in options.values():
            check_size(value if isinstance(value, tuple) else (value,) if isinstance(value, int) else ())
        try:
            tensors = [
                as_tensor(x) for x in inputs
            ]  # a forward without annotations takes numbers and lists as they are
            with np.errstate(all="ignore"):
                check_rules(declared, [x.value for x in tensors], options)
            return declared(*tensors, **options)
        except WRONG:
            raise EvaluationError(
                "E204",
                f"{declared.name}() takes what a formula gives it, and these do not go together",
                help=OPERATIONS[declared.name].signature,
            ) from None

    register(declared.name, function, examples, method=False, traits=declared.traits)


def check_rules(declared: Primitive, values: Sequence[Any], options: dict[str, Any]) -> None:
    """Raise one of `WRONG` if a rule gives no gradient in the shape of its input."""
    out = declared.forward(*values, **options)
    for x, rule in zip(values, declared.rules, strict=False):
        if rule is not None and declared.structured:
            fit(rule(np.ones_like(out), out, *values, **options), x)
