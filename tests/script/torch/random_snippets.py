"""Random snippets: leaves, operations, views, changes in place, passes, and everything that can be printed of them.

A snippet is run in torch while it is written, so that most of what it does makes sense; what does not prints its error.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from random import Random
from typing import Any

from tests.script.torch.vocabulary import ATTEMPT, BINARY, DTYPES, IN_PLACE, REDUCTIONS, UNARY, VIEWS


class Writer:
    """A snippet as it grows; `variables` are what torch has after what was written."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.text = "import torch\n"
        self.variables: dict[str, Any] = {}
        self.run(self.text)

    def run(self, text: str) -> None:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(text, self.variables)

    def add(self, *statements: str) -> None:
        text = ATTEMPT.format("\n    ".join(statements))
        self.run(text)
        self.text += text

    def tensors(self) -> list[str]:
        return [name for name, value in self.variables.items() if type(value).__name__ == "Tensor"]

    def pick(self) -> str:
        """Mostly a tensor of fractions, hardly one of booleans, for which torch has refusals of their own."""
        found = self.tensors()
        kinds = {name: str(self.variables[name].dtype) for name in found}
        fractions = [name for name in found if "float" in kinds[name]]
        numbers = [name for name in found if "bool" not in kinds[name]]
        return self.random.choice(fractions if fractions and self.random.random() < 0.93 else numbers or found)

    def leaves(self) -> list[str]:
        found = self.tensors()
        return [name for name in found if self.is_leaf(name)] or found

    def is_leaf(self, name: str) -> bool:
        try:
            return bool(self.variables[name].is_leaf and self.variables[name].requires_grad)
        except RuntimeError:  # a view that was made under no_grad and changed since refuses to answer
            return False

    def fresh(self) -> str:
        return f"v{len(self.tensors())}"

    def number(self) -> str:
        return self.random.choice(["2", "3", "0.5", "-1.5", "1", "0", "-2", "0.25", "10."])

    def shape(self) -> tuple[int, ...]:
        return tuple(self.random.choice([1, 2, 3]) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3])))

    def fitting(self, name: str) -> str:
        """Another tensor that may broadcast with it, or a number."""
        random = self.random
        shape = self.variables[name].shape
        close = [other for other in self.tensors() if self.variables[other].shape in (shape, shape[1:], ())]
        close = [other for other in close if self.variables[other].dtype == self.variables[name].dtype]
        return random.choice([self.number(), *close, *close] if random.random() < 0.95 else [self.pick()])

    def partner(self, name: str) -> str:
        """A tensor of the same dtype."""
        dtype = self.variables[name].dtype
        return self.random.choice([other for other in self.tensors() if self.variables[other].dtype == dtype])

    def data(self, shape: tuple[int, ...]) -> str:
        if shape:
            return f"[{', '.join(self.data(shape[1:]) for _ in range(shape[0]))}]"
        return str(self.random.choice([1.0, 2.0, -1.0, 0.5, -0.25, 3.0, 1.5, 0.0, -2.0, 4.0]))

    def dim(self, name: str) -> int:
        count = self.variables[name].ndim
        if not count:
            return 0
        return self.random.randrange(-count, count) if self.random.random() < 0.93 else count

    def leaf(self) -> None:
        random, name = self.random, self.fresh()
        if random.random() < 0.75:
            grad = random.random() < 0.8
            dtype = random.choice(["", "", "", ", dtype=torch.float64"])
            self.add(f"{name} = torch.tensor({self.data(self.shape())}{dtype}, requires_grad={grad})", f"print({name})")
        else:
            dtype = random.choice(DTYPES)
            self.add(f"{name} = torch.tensor({self.data(self.shape())}, dtype={dtype})", f"print({name})")

    def expression(self) -> str:
        random, x = self.random, self.pick()
        kind = random.randrange(12)
        if kind < 3:
            operands = [x, self.fitting(x)]
            random.shuffle(operands)
            operator = random.choice(BINARY[:5] if random.random() < 0.8 or operands[0] != x else BINARY)
            return f"{operands[0]} {operator} {operands[1]}"
        if kind < 5:
            name = random.choice(UNARY)
            return f"torch.{name}({x})" if random.random() < 0.5 else f"{x}.{name}()"
        if kind == 5:
            return self.reduction(x)
        if kind == 6:
            return f"{x}[{self.items(x)}]"
        if kind == 7:
            return self.reshaped(x)
        if kind == 8:
            return random.choice([f"{x}.detach()", f"{x}.clone()", f"{x}.data", f"{x}.double()", f"{x}.float()"])
        if kind == 9:
            return f"torch.where({x} > {self.number()}, {x}, {self.fitting(x)})"
        if kind == 10:
            return random.choice([f"torch.cat([{x}, {self.fitting(x)}])", f"torch.stack([{x}, {self.fitting(x)}])"])
        return random.choice(
            [f"{x} @ {self.partner(x)}", f"{x}.clamp(-1, 1)", f"torch.maximum({x}, {self.fitting(x)})"]
        )

    def reduction(self, x: str) -> str:
        name = self.random.choice(REDUCTIONS)
        if self.random.random() < 0.4 and name not in ("logsumexp", "cumsum"):
            return f"{x}.{name}()"
        keep = self.random.choice(["", ", keepdim=True"]) if name != "cumsum" else ""
        value = f"{x}.{name}({self.random.choice(['', 'dim='])}{self.dim(x)}{keep})"
        return f"{value}[0]" if name in ("max", "min") else value

    def reshaped(self, x: str) -> str:
        a, b = self.dim(x), self.dim(x)
        plain = [".reshape(-1)", ".view(-1)", ".squeeze()", ".t()", ".flatten()", ".T", ".view(1, -1)", ".contiguous()"]
        dims = [f".unsqueeze({a})", f".squeeze({a})", f".transpose({a}, {b})", f".flip({a})", f".select({a}, 0)"]
        parts = [f".unbind({a})[0]", f".expand(3, *{x}.shape)", f".narrow({a}, 0, 1)", ".chunk(2)[0]"]
        return x + self.random.choice([*plain, *dims, *parts])

    def items(self, x: str) -> str:
        random = self.random
        shape = self.variables[x].shape
        if not shape:
            return random.choice(["...", "None", "()", "0"])
        last = str(shape[0] - 1)
        first = random.choice(["0", "-1", ":", "1:", ":1", "None", "...", "[0, 0]", "::2", f"{x} > 0", last])
        if len(shape) > 1 and random.random() < 0.5 and ">" not in first:
            return f"{first}, {random.choice(['0', '-1', ':', '1:', '[0]', 'None'])}"
        return first

    def places(self, x: str) -> str:
        """What an assignment may name: torch checks a list of indices in another order than we do."""
        found = self.items(x)
        return ":" if "[" in found or ">" in found or not self.variables[x].ndim else found

    def change(self) -> None:
        """Values are clones: torch refuses to write a tensor over memory that it shares in part."""
        random, x = self.random, self.pick()
        value = self.fitting(x)
        value = f"{value}.clone()" if value in self.variables else value
        kind = random.random()
        if kind < 0.35:
            statement = f"{x}[{self.places(x)}] = {value}"
        elif kind < 0.6:
            statement = f"{x} {random.choice(['+=', '-=', '*=', '/='])} {value}"
        else:
            statement = f"{x}.{random.choice(IN_PLACE).format(value)}"
        shown = f"print({x}, {x}._version, {x}.requires_grad)"
        if random.random() < 0.3:
            self.add("with torch.no_grad():", f"    {statement}", shown)
        else:
            self.add(statement, shown)

    def backward(self) -> None:
        random, x = self.random, self.pick()
        retain = random.choice(["", "retain_graph=True", "retain_graph=True"])
        kind = random.random()
        if kind < 0.55:
            self.add(f"{x}.sum().backward({retain})")
        elif kind < 0.7:
            self.add(f"{x}.backward({retain})")
        elif kind < 0.8:
            self.add(f"{x}.backward(torch.ones_like({x}){', ' if retain else ''}{retain})")
        else:
            leaf = random.choice(self.leaves())
            options = f"{', ' if retain else ''}{retain}{random.choice(['', ', allow_unused=True'])}"
            self.add(f"print(torch.autograd.grad({x}.sum(), {leaf}{options}))")
        for leaf in self.leaves()[:4]:
            self.add(f"print({leaf}.grad)")

    def look(self) -> None:
        x = self.pick()
        self.add(
            self.random.choice(
                [
                    f"print({x}, {x}.requires_grad, {x}.is_leaf, {x}.dtype, {x}.shape)",
                    f"print({x}.grad_fn.name() if {x}.grad_fn else None, {x}._version)",
                    f"print([fn[0] and fn[0].name() for fn in {x}.grad_fn.next_functions])",
                    f"print(f'{{{x}.sum().item():.3f}}', {x}.tolist())",
                    f"print({x}.numel(), {x}._base is None)",
                    f"print({x}.item(), float({x}), bool({x}))",
                    f"{x}.retain_grad()",
                    f"{x}.register_hook(lambda g: print('hook', g))",
                    f"{x}.requires_grad_()",
                    f"{x}.grad = None",
                    f"print(len({x}), [row for row in {x}])",
                    f"print({x} in [{x}], ({x} == {x}).all(), torch.equal({x}, {x}), torch.allclose({x}, {x}))",
                ]
            )
        )

    def step(self) -> None:
        chance = self.random.random()
        if chance < 0.1:
            self.leaf()
        elif chance < 0.62:
            name, value = self.fresh(), self.expression()
            if self.random.random() < 0.07 and not any(word in value for word in VIEWS):
                self.add("with torch.no_grad():", f"    {name} = {value}", f"print({name})")
            else:
                self.add(f"{name} = {value}", f"print({name})")
        elif chance < 0.76:
            self.change()
        elif chance < 0.88:
            self.look()
        else:
            self.backward()


def random_snippet(seed: int, steps: int = 14) -> str:
    """The text of a snippet; the same seed gives the same."""
    writer = Writer(seed)
    for _ in range(2):
        writer.leaf()
    while not writer.tensors():
        writer.leaf()
    for _ in range(steps):
        writer.step()
    writer.backward()
    return writer.text
