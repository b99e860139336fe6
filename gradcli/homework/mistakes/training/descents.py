"""Steps of a descent: none, too many, the wrong way, at another rate; another optimizer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from operator import attrgetter
from typing import cast

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
    names: set[str] = set()
    for node in places:
        written = ast.unparse(node.value) if isinstance(node, ast.Assign) else ""
        if "autograd.grad(" in written or written.endswith(".grad"):
            assert isinstance(node, ast.Assign)
            names |= {name.id for name in ast.walk(node.targets[0]) if isinstance(name, ast.Name)}
    return names


def has_gradient(node: ast.AST, named: set[str]) -> bool:
    return any(is_gradient(part, named) for part in ast.walk(node))


def steps(places: list[ast.AST]) -> list[ast.AST]:
    """Return the places where a weight goes by its gradient: `opt.step()`, `w -= lr*w.grad`, `w - lr*g`."""
    named = gradients(places)
    step_places: list[ast.AST] = []
    for node in places:
        is_step = isinstance(node, ast.Expr) and ast.unparse(node).endswith(".step()")
        is_own = isinstance(node, ast.AugAssign | ast.BinOp) and isinstance(node.op, ast.Sub | ast.Add)
        moved = node.value if isinstance(node, ast.AugAssign) else getattr(node, "right", None)
        if is_step or (is_own and moved is not None and has_gradient(moved, named)):
            step_places.append(node)
    return step_places


def put(text: str) -> Change:
    """Return the change that puts another expression in place of one."""
    return lambda node: ast.parse(text, mode="eval").body


def updates(places: list[ast.AST]) -> Iterator[Found]:
    """Steps of a descent that are not taken, are taken uphill, or at another rate."""
    for node in steps(places):
        written = ast.unparse(node)
        message = f"{written} changes the weights, and you went on with the old ones"
        without = attrgetter("left") if isinstance(node, ast.BinOp) else left_out
        yield DESCENT.code, "no step", message, [node], without, 0
        if isinstance(node, ast.Expr):
            yield DESCENT.code, "twice", f"you took {written} twice", [node], after([node]), 4
        if isinstance(node, ast.AugAssign | ast.BinOp):
            yield DESCENT.code, "uphill", f"look again at the direction in which {written} goes", [node], _turned, 2
            yield from _without_rate(node, gradients(places))
    for node in places:
        if isinstance(node, ast.Call) and any(keyword.arg == "lr" for keyword in node.keywords):
            message = "look again at the direction in which a step goes"
            yield DESCENT.code, "uphill", message, [node], with_options(node, maximize="True"), 2
            message = f"you left out the rate of {ast.unparse(node.func)}"
            yield DESCENT.code, "no rate", message, [node], with_options(node, lr="1.0"), 1
            yield from _other_options(node)


def left_out(node: ast.AST) -> ast.AST:
    """Put nothing in place of a statement."""
    return ast.Pass()


def _turned(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.AugAssign | ast.BinOp)
    node.op = ast.Add() if isinstance(node.op, ast.Sub) else ast.Sub()
    return node


def _without_rate(step: ast.AugAssign | ast.BinOp, named: set[str]) -> Iterator[Found]:
    """`w - g` for `w - lr*g`, and a rate with its point slipped by one place."""
    product = step.value if isinstance(step, ast.AugAssign) else step.right
    if not isinstance(product, ast.BinOp) or not isinstance(product.op, ast.Mult):
        return
    place = "right" if has_gradient(product.right, named) else "left"
    rate = product.left if place == "right" else product.right
    message = f"you left out the rate {ast.unparse(rate)} in {ast.unparse(step)}"
    yield DESCENT.code, "no rate", message, [product], attrgetter(place), 1
    if isinstance(rate, ast.Constant) and isinstance(rate.value, float):
        message = f"you slipped the point of the rate {rate.value}"
        for factor in (0.1, 10):
            yield DESCENT.code, f"{factor} times the rate", message, [rate], put(repr(rate.value * factor)), 4


def with_options(call: ast.Call, *but: str, **options: str) -> Change:
    """Return the change of a call that has other options, and some no more."""
    kept = {str(keyword.arg): ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg not in but}
    arguments = [*map(ast.unparse, call.args), *(f"{name}={value}" for name, value in {**kept, **options}.items())]
    return put(f"{ast.unparse(call.func)}({', '.join(arguments)})")


def _other_options(node: ast.Call) -> Iterator[Found]:
    """An option of an optimizer left out, or plain descent for an adaptive optimizer."""
    given = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
    function = ast.unparse(node.func)
    for name in RATIOS:
        if name in given:
            message = f"you left out the {name.replace('_', ' ')} of {function}"
            nothing_without = ("momentum", "nesterov", "dampening") if name == "momentum" else (name,)
            yield DESCENT.code, f"no {name}", message, [node], with_options(node, *nothing_without), 1
    of, _, name = function.rpartition(".")
    if of and name in ADAPTIVE:
        message, rate = f"you took a step of plain descent for one of {name}", f"lr={given.get('lr')}"
        plain = f"{of}.SGD({', '.join([*map(ast.unparse, node.args), rate])})"
        yield DESCENT.code, "plain descent", message, [node], put(plain), 2


def after(last: list[ast.stmt]) -> Change:
    """Return the change that puts some statements after one."""
    return lambda node: ast.If(ast.Constant(True), [cast(ast.stmt, node), *deepcopy(last)], [])


def before(first: list[ast.stmt]) -> Change:
    """Return the change that puts some statements before one."""
    return lambda node: ast.If(ast.Constant(True), [*deepcopy(first), cast(ast.stmt, node)], [])
