"""Programs at a point, for every renderer to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gradcli.ops  # noqa: F401 - declares the operations
from gradcli.explanation.build import explain
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.source import Source

EXPLAINED: dict[str, Explanation] = {}  # of cases
DIAMOND = "q=(x**2+1)*(x**2-1)"


def explained(program: str, values: dict[str, Any], **options: Any) -> Explanation:
    return simplified(explain(parse_program(Source(program)), values, **options))


@dataclass(frozen=True)
class Case:
    program: str
    values: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)

    def explain(self, **options: Any) -> Explanation:
        key = repr((self, options))
        if key not in EXPLAINED:
            EXPLAINED[key] = explained(self.program, self.values, **self.options, **options)
        return EXPLAINED[key]


CASES = {
    "square": Case("z=(x1+a*x2)**2", {"x1": 1, "a": 2, "x2": 3}),
    "diamond": Case(DIAMOND, {"x": 2}),
    "twice": Case("y = x*x + x", {"x": 3}),
    "constants": Case("z = 1/3*x - 2", {"x": 0.1}),
    "unused": Case("y = x + 0*2; z = x*2", {"x": 1}, {"of": "z"}),
    "no gradient": Case("x*2", {"x": 1}, {"wrt": []}),
    "not finite": Case("log(x)*y + 1/x", {"x": 0.0, "y": float("inf")}),
    "negative": Case("(x - 5)*-3 - y", {"x": -2, "y": -1e-300}),
    "broadcast": Case("A*v + b", {"A": [[1, 2], [3, 4]], "v": [5, 6], "b": 7}, {"upstream": [[1, -1], [0.5, 2]]}),
    "matrix product": Case("sum((A @ B)**2)", {"A": [[1, 2, 3]], "B": [[1, 2], [3, 4], [5, 6]]}),
    "infinite entries": Case("sum(log(x)/y)", {"x": [0.0, 1.0, -1.0], "y": [1.0, 0.0, 2.0]}),
    "kink": Case("relu(x) + abs(x)", {"x": 0.0}),
    "tie": Case("max(x)", {"x": [2.0, 2.0]}),
    "empty": Case("sum(x*2)", {"x": [[], []]}),
    "unicode": Case("梯 = θ²·2 # ° \u202e\n梯 + 1", {"θ": 3}),
    "text": Case("mse_loss(x, y, reduction='sum') # \"[red]\" \\ <b>", {"x": [1.0, 2.0], "y": [0.0, 5.0]}),
    "reused name": Case("y = x + 1; y = y*y", {"x": 2}),
    "comparison": Case("sum(where(x > 0, x, 0))", {"x": [1.0, -2.0]}),
    "long": Case(
        "; ".join(f"s{n + 1} = tanh(W @ s{n} + U @ x)" for n in range(5)) + "; sum(s5)",
        {"s0": [0.5], "W": [[0.5]], "U": [[1.5]], "x": [0.25]},
    ),
    "large": Case("sum(x*2)", {"x": [[float(i * 20 + j) / 7 for j in range(20)] for i in range(20)]}),
}
