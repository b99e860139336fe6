"""Programs that tests run on the engine, and what is read off a run.

Where many cases are alike, a test takes some of them, the same ones each time; `GRADCLI_ALL=1 python -m pytest` takes
every one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.explanation.build import explain
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.lines import Evaluation
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.ops.support.surface import OPERATIONS, Operation
from gradcli.source import Source
from tests.graphs import flattened

gradcli.ops.load()

PROGRAMS = Path(__file__).parent / "goldens" / "programs.txt"


@cache
def every_operation() -> dict[str, Operation]:
    """The operations by their own name; aliases are the same operations again."""
    return {name: operation for name, operation in sorted(OPERATIONS.items()) if operation.name == name}


def every_example() -> dict[str, list[str]]:
    """The examples by family."""
    found: dict[str, list[str]] = {}
    for operation in every_operation().values():
        found.setdefault(operation.family, []).extend(operation.examples)
    return found


def listed_programs(*sections: str) -> list[str]:
    """The programs of the list, or those below some of its headings (`# kinks`)."""
    found, heading = [], ""
    for line in PROGRAMS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.removeprefix("# ")
        elif line and (not sections or heading in sections):
            found.append(line)
    return found


EXAMPLES = [example for examples in every_example().values() for example in examples]
SMOOTH = [
    program
    for program in EXAMPLES + listed_programs("graphs", "layers and losses", "broadcasting", "indexing and shapes")
    if not any(
        cut in program for cut in ("detach(", "eq(", "ne(", "by_freq")
    )  # a gradient that is meant to miss something
]

FAMILY = {example: family for family, examples in every_example().items() for example in examples}
T = TypeVar("T")


def family(program: str) -> str:
    """The family of the operation that an example is of."""
    return FAMILY.get(program, "listed")


def initial(program: str) -> str:
    """The first letter of the family: where operations are alike, a group of families is one case of all."""
    return family(program)[0]


def some(cases: Iterable[T], step: int, start: int = 0) -> list[T]:
    """One case in so many of those that are alike, the first one or another to start with."""
    return list(cases) if "GRADCLI_ALL" in os.environ else list(cases)[start % step :: step]


def of_every(cases: Iterable[T], group: Callable[[T], str], step: int = 1) -> Callable[[Callable[[T], None]], Any]:
    """Make a test of one case the test of each group of cases, or of some of each group; it names all that fail.

    Thousands of tests of one line each take longer to be told of than to run.
    """
    groups: dict[str, list[T]] = {}
    for case in cases:
        groups.setdefault(group(case), []).append(case)

    def declare(check: Callable[[T], None]) -> Any:
        @pytest.mark.parametrize("name", groups)
        def test(name: str) -> None:
            failures = []
            taken = some(groups[name], step)
            for case in taken:
                try:
                    check(case)
                except Exception as failure:
                    failure.add_note(f"the case is {case!r}")
                    failures.append(failure)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(taken)} cases", failures)

        test.__doc__ = check.__doc__
        return test

    return declare


@dataclass(frozen=True)
class Run:
    """A program evaluated on the engine: the output, and the leaves that require grad by name."""

    evaluation: Evaluation
    output: Tensor
    leaves: dict[str, Tensor]

    @property
    def graph(self) -> list[str]:
        return flattened(self.output.grad_fn, self.leaves)

    @property
    def upstream(self) -> Any:
        return upstream(self.output)

    @property
    def point(self) -> dict[str, Any]:
        return {name: leaf.value for name, leaf in self.leaves.items()}


def run(text: str, values: dict[str, Any] | None = None, dtype: type[np.floating[Any]] = np.float64) -> Run:
    program = parse_program(Source(text, "example"))
    evaluation = evaluate(program, values or {}, dtype=np.dtype(dtype))
    assert evaluation.output is not None
    leaves = {line.name: line.tensor for line in evaluation.lines if isinstance(line.tensor.node, AccumulateGrad)}
    return Run(evaluation, evaluation.output, leaves)


@cache
def explained(program: str) -> Explanation:
    """An explanation of a program, with the gradient that tests send into its output."""
    return explain(parse_program(Source(program)), {}, upstream=run(program).upstream)


def upstream(output: Tensor) -> Any:
    """The gradient that tests send into an output: 1, 2, 3, ..."""
    return np.arange(1, output.value.size + 1, dtype=output.dtype).reshape(output.shape)[()]


@contextmanager
def wrong(primitive: Primitive, factor: float = 1.001, more: float = 0.0) -> Iterator[None]:
    """Make the rules of a primitive wrong by a factor, and by so much more."""
    right, _ = primitive.rules, (primitive.saved, primitive.variadic or primitive.saving(()))
    rules = tuple(
        rule and (lambda *args, rule=rule, **options: rule(*args, **options) * factor + more) for rule in right
    )
    object.__setattr__(primitive, "rules", rules)
    try:
        yield
    finally:
        object.__setattr__(primitive, "rules", right)
