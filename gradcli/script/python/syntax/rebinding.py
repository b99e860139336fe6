"""A note on `w = w - lr*w.grad`, which leaves the parameter as it is and gives its name to another tensor."""

from __future__ import annotations

import ast

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import Tensor
from gradcli.script.python.syntax.compiler import Closure, Unit, compiled
from gradcli.script.python.syntax.scopes import Env, Scope


def noted(node: ast.Assign, value: Closure, scope: Scope, unit: Unit) -> Closure:
    """Return the right side of an assignment, with a note where it takes the name from a leaf that has a gradient."""
    target, right = node.targets[0], node.value
    if not isinstance(target, ast.Name) or not isinstance(right, ast.BinOp) or isinstance(right.op, ast.MatMult):
        return value
    same = [part for part in (right.left, right.right) if isinstance(part, ast.Name) and part.id == target.id]
    if not same:
        return value
    name, old = target.id, compiled(same[0], scope, unit)

    def run(env: Env) -> object:
        before, after = old(env), value(env)
        if isinstance(before, Tensor) and isinstance(after, Tensor) and has_gradient(before):
            unit.machine.note(message(name, after))
        return after

    return run


def has_gradient(tensor: Tensor) -> bool:
    return isinstance(tensor.node, AccumulateGrad) and tensor._grad is not None


def message(name: str, after: Tensor) -> str:
    lost = "is a result of the graph" if after.requires_grad else "does not require grad"
    return (
        f"this makes a new tensor and calls it {name}: the leaf that had the gradient stays as it was, and the new "
        f"{name} {lost}, so {name}.grad is None from now on; write {name} -= ... inside torch.no_grad()"
    )
