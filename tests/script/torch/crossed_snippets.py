"""Snippets that cross features: hooks, changes in place, views, modes, copies, functions, forward passes, transforms.

A snippet is run in torch while it is written; each statement prints what can be asked of the tensor that it makes.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from random import Random
from typing import Any

HEAD = """import torch, copy
import torch.autograd.forward_ad as fwAD
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y
    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return g * y + h, g * x + h
def short(g):
    return None if g is None else [round(v, 3) + 0.0 for v in g.detach().flatten().tolist()]
def name(x):
    return x.grad_fn and x.grad_fn.name()
def strides(x):
    return [step for step, size in zip(x.stride(), x.shape) if size > 1]
def fact(n, x):
    if not isinstance(x, torch.Tensor):
        print(n, type(x).__name__)
        return
    try:
        print(n, short(x), list(x.shape), x.requires_grad, x.is_leaf, name(x), x.is_inference() or x._version)
        print(strides(x), x.output_nr, x.retains_grad)
    except Exception as e:
        print(n, type(e).__name__, str(e))
def grad(n, x):
    g = x.grad if x.is_leaf or x.retains_grad else None
    print(n, "grad", g is not None and (short(g), g.requires_grad, name(g), strides(g), g.is_leaf))
"""
LEAF = "[[{}, {}], [{}, {}]]"
ATTEMPT = "try:\n    {}\nexcept Exception as e:\n    print(type(e).__name__, str(e))\n"
MADE = """
{x}.exp()|{x}.sin()|{x}.abs()|{x}.relu()|{x}.clone()|{x}.detach()|{x}.square()|{x}.view(-1)|{x}.T|{x}[0]|{x}[:1]
{x}[..., 0]|{x}.unsqueeze(0)|{x}.transpose(0, 1)|{x}.expand(2, 2, 2)|{x}.reshape(4)|{x}.diagonal()|{x}.data
{x}.squeeze()
{x}.unbind()[0]|{x}.chunk(2)[1]|{x}.narrow(0, 0, 1)|{x}.permute(1, 0)|{x}[None]|{x}.sum()|{x}.mean()|{x}.max()|{x}.var()
{x}.amax(0)|{x}.cumsum(0)|{x}.softmax(0)|{x}.sort(0)[0]|{x} + {y}|{x} * {y}|{x} / {y}|{x} @ {y}|2 - {x}|{x} ** 2|{x} * 2
torch.where({x} > 0, {x}, {y})|torch.stack([{x}, {y}])|torch.addcmul({x}, {x}, {y})|Twice.apply({x})|{x}[[0, 1]]
Two.apply({x}, {y})[0]|Two.apply({x}, {y})[1]|torch.func.grad(lambda a: (a * {y}).sum())({x})|torch.zeros_like({x})
torch.func.vjp(torch.sin, {x})[1]({y})[0]|{x}.clone().requires_grad_()|{x}.detach().requires_grad_()|{x}.double()
torch.nn.Parameter({x})|copy.deepcopy({x})|copy.copy({x})|copy.deepcopy([{x}, {y}, {x}])[2]|torch.maximum({x}, {y})
"""
CHANGED = """
{x}.mul_(2)|{x}.add_(1)|{x}.zero_()|{x}.exp_()|{x}.relu_()|{x}.copy_({y})|{x}.mul_({y})|{x}.sub_({y}, alpha=2)|{x}.t_()
{x}.unsqueeze_(0)|{x}.requires_grad_()|{x}.requires_grad_(False)|{x}.lerp_({y}, 0.5)|{x}.detach_()|{x}[0] = {y}[0]
{x}[:1] *= 2|{x} += {y}|{x}[0] = 5.|{x}.data.mul_(2)|{x}.grad = {y}|{x}.grad = None|{x}.pow_(2)|{x}.clamp_(0, 1)
"""
HOOKED = """
{x}.register_hook(lambda g: print('hook', short(g), g.requires_grad))|{x}.register_hook(lambda g: g * 2)
{x}.retain_grad()
{x}.register_post_accumulate_grad_hook(lambda p: print('post', short(p.grad)))|{x}.register_hook(lambda g: g.mul_(2))
{x}.grad_fn.register_prehook(lambda go: print('pre', [short(g) for g in go]))|{x}.register_hook(lambda g: g[0])
print([(n and n.name(), k) for n, k in {x}.grad_fn.next_functions])|print({x}, {x}.data_ptr() == {y}.data_ptr())
"""
PASSED = """
{x}.sum().backward()|{x}.sum().backward(retain_graph=True)|{x}.sum().backward(create_graph=True)|{x}.backward({y})
{x}.backward()|print([short(g) for g in torch.autograd.grad({x}.sum(), {y})])
fact('g', torch.autograd.grad({x}.sum(), {y}, create_graph=True)[0])|torch.autograd.backward([{x}.sum()], inputs=[{y}])
"""
MODES = ("torch.no_grad()", "torch.inference_mode()", "torch.enable_grad()")
DUAL = (
    "with fwAD.dual_level(): print(fwAD.unpack_dual(torch.sin(fwAD.make_dual({x}.detach(), {y}.detach())) * "
    "{y}.detach()))"
)


class Writer:
    """A snippet as it grows; `variables` are what torch has after what was written."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.text = HEAD
        self.variables: dict[str, Any] = {}
        self.count = 0
        self.run(HEAD)

    def run(self, text: str) -> None:
        self.variables["torch"].set_grad_enabled(True) if "torch" in self.variables else None
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(text, self.variables)

    def add(self, *lines: str) -> None:
        text = ATTEMPT.format("\n    ".join(lines))
        self.run(text)
        self.text += text

    def tensors(self) -> list[str]:
        names = (f"v{number}" for number in range(self.count))
        return [name for name in names if 0 < getattr(self.variables.get(name), "numel", int)() < 65]

    def filled(self, statements: str) -> str:
        """Choose one of the statements, about a tensor and another, mostly of its shape."""
        names = self.tensors()
        x = self.random.choice(names[-5:] if self.random.random() < 0.6 else names)
        fitting = [name for name in names if self.variables[name].shape == self.variables[x].shape]
        y = self.random.choice(fitting if self.random.random() < 0.9 else names)
        line = self.random.choice([part for row in statements.strip().split("\n") for part in row.split("|")])
        return line.replace("{x}", x).replace("{y}", y)

    def step(self) -> None:
        random = self.random
        chance = random.random()
        within = f"with {random.choice(MODES)}: " if random.random() < 0.2 else ""
        if chance < 0.55:
            name = f"v{self.count}"
            self.count += 1
            self.add(f"{within}{name} = {self.filled(MADE)}", f"fact('{name}', {name})")
        elif chance < 0.72:
            line = self.filled(CHANGED)
            name = line[: 2 + line[2:3].isdigit()]
            self.add(within + line, f"fact('{name}', {name})")
        elif chance < 0.8:
            self.add(self.filled(HOOKED))
        elif chance < 0.97:
            self.add(self.filled(PASSED), *(f"grad('{name}', {name})" for name in self.tensors()[:4]))
        else:
            self.add(self.filled(DUAL))


def crossed_snippet(seed: int, steps: int = 12) -> str:
    """The text of a snippet; the same seed gives the same."""
    writer = Writer(seed)
    for grad in (True, True, False):
        data = LEAF.format(*(writer.random.choice([1.0, 2.0, 0.5, -2.0, 3.0, -0.25]) for _ in range(4)))
        writer.add(f"v{writer.count} = torch.tensor({data}, requires_grad={grad})")
        writer.count += 1
    for _ in range(steps):
        writer.step()
    for name in writer.tensors():
        writer.add(f"grad('{name}', {name})", f"fact('{name}', {name})")
    return writer.text
