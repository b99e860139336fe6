"""Steps of a descent: none, too many, the wrong way, at another rate; another optimizer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy

from gradcli.homework.mistakes.declaration import Mistake

DESCENT = Mistake(
    "descent", "slipped in a step of the descent: none, too many, the wrong way, at another rate", order=15.7
)

RATIOS = ("momentum", "weight_decay", "dampening", "nesterov")  # options that a reader leaves out
ADAPTIVE = ("Adam", "AdamW", "RMSprop", "Adagrad")
Change = Callable[[ast.AST], ast.AST | None]  # None takes a statement away
Found = tuple[str, str, str, list[ast.AST], Change, int]  # code, rule, message, the nodes to change, how, rank


def is_gradient(node: ast.AST, named: set[str]) -> bool:
    """Whether an expression is a gradient: `w.grad`, or a name that has got one."""
    return (isinstance(node, ast.Attribute) and node.attr == "grad") or (
        isinstance(node, ast.Name) and node.id in named
    )


def gradients(places: list[ast.AST]) -> set[str]:
    """Return the names of gradients: from `torch.autograd.grad`, or read from a `.grad`."""
    found: set[str] = set()
    for node in places:
        written = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
        if "autograd.grad(" in written or written.endswith(".grad"):
            assert isinstance(node, ast.Assign)
            found |= {one.id for one in ast.walk(node.targets[0]) if isinstance(one, ast.Name)}
    return found


def has_gradient(node: ast.AST, named: set[str]) -> bool:
    return any(is_gradient(one, named) for one in ast.walk(node))


def steps(places: list[ast.AST]) -> list[ast.AST]:
    """Return the places where a weight goes by its gradient: `opt.step()`, `w -= lr*w.grad`, `w - lr*g`."""
    named = gradients(places)
    found: list[ast.AST] = []
    for node in places:
        is_step = isinstance(node, ast.Expr) and ast.unparse(node).endswith(".step()")
        is_own = isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.Sub | ast.Add)
        moved = node.value if isinstance(node, ast.AugAssign) else getattr(node, "right", None)
        if is_step or (is_own and moved is not None and has_gradient(moved, named)):
            found.append(node)
    return found


def updates(places: list[ast.AST]) -> Iterator[Found]:
    """Steps of a descent that are not taken, are taken uphill, or at another rate."""
    for node in steps(places):
        written = ast.unparse(node)
        message = f"{written} changes the weights, and you went on with the old ones"
        if isinstance(node, ast.BinOp):
            yield DESCENT.code, "no step", message, [node], lambda node: getattr(node, "left", None), 0
        else:
            yield DESCENT.code, "no step", message, [node], lambda node: ast.Pass(), 0
        if isinstance(node, ast.Expr):
            assert isinstance(node.value, ast.Call)
            assert isinstance(node.value.func, ast.Attribute)
            of = ast.unparse(node.value.func.value)
            from_zero = (
                f"for _group in {of}.param_groups:\n    for _one in _group['params']:\n        _one.data.zero_()"
            )
            message = f"this is the step of {written} alone: it is added to the weights"
            yield DESCENT.code, "the step alone", message, [node], before(ast.parse(from_zero).body), 4
            yield DESCENT.code, "twice", f"you took {written} twice", [node], after([node]), 4
        if isinstance(node, ast.AugAssign | ast.BinOp):
            yield DESCENT.code, "uphill", f"look again at the direction in which {written} goes", [node], _turned, 2
            yield from _without_rate(node, gradients(places))
    for node in places:
        if isinstance(node, ast.Call) and any(keyword.arg == "lr" for keyword in node.keywords):
            message = "look again at the direction in which a step goes"
            yield DESCENT.code, "uphill", message, [node], _with_option("maximize", ast.Constant(True)), 2
            message = f"you left out the rate of {ast.unparse(node.func)}"
            yield DESCENT.code, "no rate", message, [node], _with_option("lr", ast.Constant(1.0)), 1
            yield from _other_options(node)


def _turned(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.AugAssign):
        return ast.AugAssign(node.target, _other(node.op), node.value)
    assert isinstance(node, ast.BinOp)
    return ast.BinOp(node.left, _other(node.op), node.right)


def _other(op: ast.operator) -> ast.operator:
    return ast.Add() if isinstance(op, ast.Sub) else ast.Sub()


def _without_rate(step: ast.AugAssign | ast.BinOp, named: set[str]) -> Iterator[Found]:
    """`w - g` for `w - lr*g`, and a rate with its point slipped by one place."""
    product = step.value if isinstance(step, ast.AugAssign) else step.right
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return
    place = "right" if has_gradient(product.right, named) else "left"
    rate = product.left if place == "right" else product.right
    message = f"you left out the rate {ast.unparse(rate)} in {ast.unparse(step)}"
    yield DESCENT.code, "no rate", message, [product], lambda node: getattr(node, place), 1
    if isinstance(rate, ast.Constant) and isinstance(rate.value, float):
        message = f"you slipped the point of the rate {rate.value}"
        for factor in (0.1, 10):
            other = ast.Constant(rate.value * factor)
            yield DESCENT.code, f"{factor} times the rate", message, [rate], _given(other), 4


def _given(other: ast.expr) -> Change:
    return lambda node: other


def _with_option(name: str, value: ast.expr | None) -> Change:
    """Return the change of a call that gives an option another value, or leaves it out."""

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Call)
        others = [keyword for keyword in node.keywords if keyword.arg != name]
        return ast.Call(node.func, node.args, others + ([ast.keyword(name, value)] if value is not None else []))

    return change


def _without(name: str) -> Change:
    """Return the change that leaves out an option of an optimizer, and those that are nothing without it."""
    left_out = {"momentum": ("momentum", "nesterov", "dampening")}.get(name, (name,))

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Call)
        return ast.Call(node.func, node.args, [keyword for keyword in node.keywords if keyword.arg not in left_out])

    return change


def _other_options(node: ast.Call) -> Iterator[Found]:
    """An option of an optimizer left out, momentum after Nesterov, or plain descent for an adaptive optimizer."""
    given = {keyword.arg for keyword in node.keywords}
    for name in RATIOS:
        if name in given:
            message = f"you left out the {name.replace('_', ' ')} of {ast.unparse(node.func)}"
            yield DESCENT.code, f"no {name}", message, [node], _without(name), 1
    rate, share = (next((k.value for k in node.keywords if k.arg == name), None) for name in ("lr", "momentum"))
    if rate is not None and share is not None and "dampening" not in given:
        message = f"you took the share 1 - momentum of each gradient in {ast.unparse(node.func)}"
        less = ast.parse(f"({ast.unparse(rate)}) * (1 - ({ast.unparse(share)}))", mode="eval").body
        yield DESCENT.code, "(1 - momentum)*g", message, [node], _with_option("lr", less), 4
        yield DESCENT.code, "dampened", message, [node], _with_option("dampening", share), 4
    if "momentum" in given and "nesterov" not in given:
        change = _with_option("nesterov", ast.Constant(True))
        yield DESCENT.code, "nesterov", "you took the momentum after Nesterov", [node], change, 3
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if name in ADAPTIVE:
        message = f"you took a step of plain descent for one of {name}"
        yield DESCENT.code, "plain descent", message, [node], _plainly, 2


def turned_optimizer(places: list[ast.AST]) -> Iterator[Found]:
    """Every step the other way, that of a weight decay too."""
    for node in places:
        written = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
        if "optim." in written and isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            line = f"for _group in {node.targets[0].id}.param_groups:\n    _group['lr'] = -_group['lr']"
            message = "look again at the direction in which a step goes"
            yield DESCENT.code, "uphill", message, [node], after(ast.parse(line).body), 2


def uncorrected(places: list[ast.AST]) -> Iterator[Found]:
    """Adam without the corrections of its averages, which are divided by `1 - beta**t`; for one optimizer."""
    made = [node for node in places if isinstance(node, ast.Assign) and "optim.Adam(" in ast.unparse(node.value)]
    taken = [node for node in places if isinstance(node, ast.Expr) and ast.unparse(node).endswith(".step()")]
    if len(made) != 1 or not taken or not isinstance(made[0].targets[0], ast.Name):
        return
    name = made[0].targets[0].id
    message = "you left out the corrections of the averages in Adam"
    lines = (f"for _group in {name}.param_groups:\n    _group['t'] = _group.get('t', 0) + 1\n"
             "    _group['own'] = _group.get('own', _group['lr'])\n"
             "    _a, _b = (1 - beta**_group['t'] for beta in _group['betas'])\n"
             "    _group['lr'] = _group['own'] * _a / _b**0.5")  # fmt: skip
    change = before(ast.parse(lines).body)
    yield DESCENT.code, "no corrections", message, list(taken), change, 2


def after(last: list[ast.stmt]) -> Change:
    """Return the change that puts some statements after one."""

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.stmt)
        return ast.If(ast.Constant(True), [node, *deepcopy(last)], [])

    return change


def before(first: list[ast.stmt]) -> Change:
    """Return the change that puts some statements before one."""

    def change(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.stmt)
        return ast.If(ast.Constant(True), [*deepcopy(first), node], [])

    return change


def _plainly(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Attribute)
    rates = [keyword for keyword in node.keywords if keyword.arg == "lr"]
    return ast.Call(ast.Attribute(node.func.value, "SGD", ast.Load()), node.args, rates)
