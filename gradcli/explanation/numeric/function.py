"""A program as a function of its variables: its entries, its gradients, and the pieces that they are on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from gradcli.engine.recorder import Application
from gradcli.errors import GradcliError
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.lines import Evaluation
from gradcli.explanation.model import Value
from gradcli.explanation.values import Variables
from gradcli.facts import dataclass
from gradcli.language.tree import Program


@dataclass(frozen=True)
class Function:
    """A program at a point, its output weighted by the upstream gradient; double precision throughout."""

    program: Program
    of: str | None
    upstream: Value
    point: Mapping[str, Any]

    def entries(self, **changes: Any) -> Value | None:
        """Return the weighted entries with a variable changed; None where they are not finite, or of another shape.

        Of an output that is a sum or mean they are its terms: each is subtracted by itself, for beside large ones a
        small change would be rounded away.
        """
        if (evaluation := self._evaluate_or_none(changes, is_bare=True)) is None:
            return None
        output = evaluation.output
        if output is None or output.shape != np.shape(self.upstream):  # a selection took another number of entries
            return None
        value, weight = output.value, self.upstream
        for application in final_sums(evaluation):
            value = application.inputs[0].value
            weight = weight / max(1, value.size) if application.primitive.name == "mean" else weight
        with np.errstate(all="ignore"):
            entries = np.asarray(weight * value, np.float64)
        return entries if np.isfinite(entries).all() else None

    def values(self, **changes: Any) -> dict[str, Value]:
        """Return the value of each line with a variable elsewhere; of none where it cannot be evaluated."""
        evaluation = self._evaluate_or_none(changes)
        return {line.name: line.tensor.value for line in evaluation.lines} if evaluation else {}

    def output(self, **changes: Any) -> Value | None:
        """Return the output with a variable elsewhere; None where it cannot be evaluated."""
        evaluation = self._evaluate_or_none(changes, is_bare=True)
        return evaluation.output.value if evaluation and evaluation.output is not None else None

    @cached_property
    def sums(self) -> frozenset[str]:
        """The lines that are sums of the entries whose differences are taken."""
        evaluation = self._evaluate((), {})
        return frozenset(evaluation.line_of[id(application.out)].name for application in final_sums(evaluation))

    def gradients(self, wrt: tuple[str, ...], dtype: str = "float64", **changes: Any) -> dict[str, Value]:
        """Return the gradients that the engine's backward pass leaves in `.grad`."""
        evaluation = self._evaluate(wrt, changes, dtype)
        output = evaluation.output
        assert output is not None
        with np.errstate(all="ignore"):
            if output.requires_grad:
                output.backward(np.asarray(self.upstream, output.dtype)[()])
        tensors = {line.name: line.tensor.grad for line in evaluation.lines if line.is_variable}
        return {name: grad.value for name, grad in tensors.items() if grad is not None}

    def pieces(self, **changes: Any) -> list[tuple[str, Value]]:
        """Return the operations that jump, with the number of the piece that each entry is on."""
        numbers = []
        for line in self._evaluate((), changes).lines:
            if line.application is not None and (count := line.application.primitive.pieces) is not None:
                values = [x.tensor.value for x in line.inputs]
                with np.errstate(all="ignore"):
                    numbers.append((line.application.primitive.name, count(*values, **line.application.options)))
        return numbers

    def _evaluate_or_none(self, changes: Mapping[str, Any], *, is_bare: bool = False) -> Evaluation | None:
        try:
            return self._evaluate((), changes, is_bare=is_bare)
        except GradcliError:
            return None

    def _evaluate(
        self, wrt: tuple[str, ...], changes: Mapping[str, Any], dtype: str = "float64", *, is_bare: bool = False
    ) -> Evaluation:
        run = partial(evaluate, wrt=wrt, of=self.of, variables=self._variables, is_bare=is_bare)
        return run(self.program, {**self.point, **changes}, dtype=np.dtype(dtype))

    @cached_property
    def middle(self) -> Value | None:
        """The weighted entries at the point."""
        return self.entries()

    @cached_property
    def _variables(self) -> Variables:
        return Variables.of(self.program)


def final_sums(evaluation: Evaluation) -> Iterator[Application]:
    """Yield the output and what is below it for as long as each is the sum or mean of all entries of the next."""
    made_by = {id(application.out): application for application in evaluation.tape}
    application = made_by.get(id(evaluation.output))
    while application is not None and application.primitive.name in ("sum", "mean"):
        (x, *_) = application.inputs
        if x.value.dtype.kind != "f":
            return
        yield application
        application = made_by.get(id(x))
