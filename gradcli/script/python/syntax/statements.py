"""Simple statements, and the blocks that run them."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import Tensor
from gradcli.script.python.syntax.compiler import RESULT, RETURN, Closure, Unit, compile_node, compiles
from gradcli.script.python.syntax.expressions import truth_of
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.syntax.targets import assignment, deletion, set_item
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.kinds import Defined
from gradcli.script.python.values.nesting import item
from gradcli.script.python.values.operators import augmented_operator
from gradcli.script.python.values.places import Place, note_place
from gradcli.script.python.values.reflection import set_attribute


def note_rebinding(node: ast.Assign, value: Closure, scope: Scope, unit: Unit) -> Closure:
    """Return the right side of an assignment; it gives a note where the name belonged to a leaf with a gradient."""
    target, right = node.targets[0], node.value
    if not isinstance(target, ast.Name) or not isinstance(right, ast.BinOp) or isinstance(right.op, ast.MatMult):
        return value
    same = [part for part in (right.left, right.right) if isinstance(part, ast.Name) and part.id == target.id]
    if not same:
        return value
    name, old = target.id, compile_node(same[0], scope, unit)

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


def block(body: list[ast.stmt], scope: Scope, unit: Unit) -> Closure:
    """Run statements one after the other, until one signals; an exception gets a place here at the latest."""
    statements = [(node.lineno, statement(node, scope, unit), Place(node, unit.source)) for node in body]
    steps, lines, budget = len(statements), unit.machine.lines, unit.machine.budget
    first = Place(body[0], unit.source) if body else Place(ast.Pass(lineno=1), unit.source)

    def run(env: Env) -> object:
        place = first
        try:
            budget.left -= steps
            if budget.left < 0:
                budget.look()
            for lines[0], execute, place in statements:  # noqa: B007  the handler uses it
                signal = execute(env)
                if signal is not None:
                    return signal
        except Exception as error:
            note_place(error, place)
            raise
        return None

    return run


def statement(node: ast.stmt, scope: Scope, unit: Unit) -> Closure:
    """Return the closure of a statement, recorded by the timeline where there is one."""
    closure, timeline = compile_node(node, scope, unit), unit.machine.timeline
    return closure if timeline is None else timeline.followed(node, closure, unit.source)


@compiles(ast.Expr)
def expression(node: ast.Expr, scope: Scope, unit: Unit) -> Closure:
    value = compile_node(node.value, scope, unit)

    def run(env: Env) -> None:
        value(env)

    return run


@compiles(ast.Assign)
def assign(node: ast.Assign, scope: Scope, unit: Unit) -> Closure:
    value = note_rebinding(node, compile_node(node.value, scope, unit), scope, unit)
    stores = [assignment(target, scope, unit) for target in node.targets]
    if len(stores) == 1:
        (store,) = stores
        if isinstance(node.targets[0], ast.Name) and scope.hops(node.targets[0].id) == 0:
            return _assign_here(node.targets[0].id, value)
        return lambda env: store(env, value(env))

    def run(env: Env) -> None:
        result = value(env)
        for store in stores:
            store(env, result)

    return run


def _assign_here(name: str, value: Closure) -> Closure:
    def run(env: Env) -> None:
        env[name] = value(env)

    return run


@compiles(ast.AnnAssign)
def annotated(node: ast.AnnAssign, scope: Scope, unit: Unit) -> Closure:
    """Compile an annotated name; the annotation is not evaluated, and a class keeps the name, for dataclasses."""
    if scope.kind == "class" and isinstance(node.target, ast.Name) and not _is_class_variable(node.annotation):
        scope.inside[node.target.id] = ast.unparse(node.annotation)
    if node.value is None:
        return lambda env: None
    value, store = compile_node(node.value, scope, unit), assignment(node.target, scope, unit)
    return lambda env: store(env, value(env))


def _is_class_variable(annotation: ast.expr) -> bool:
    return any("ClassVar" in (getattr(part, "id", ""), getattr(part, "attr", "")) for part in ast.walk(annotation))


@compiles(ast.AugAssign)
def augment(node: ast.AugAssign, scope: Scope, unit: Unit) -> Closure:
    """`target += value`; the owner and the key of the target are evaluated once."""
    apply, value = augmented_operator(type(node.op)), compile_node(node.value, scope, unit)
    is_sum = isinstance(node.op, ast.Add)

    def changed(old: Any, increment: Any) -> Any:
        if is_sum and type(old) in (int, float) and type(increment) in (int, float):
            return old + increment
        return apply(old, increment)

    if isinstance(node.target, ast.Name):
        read = compile_node(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), scope, unit)
        store = store_name(node.target.id, scope, unit)
        return lambda env: store(env, changed(read(env), value(env)))
    owner = compile_node(node.target.value, scope, unit)
    if isinstance(node.target, ast.Attribute):
        name = node.target.attr
        is_plain = name[0] != "_"

        def attribute_changed(env: Env) -> None:
            x = owner(env)
            if is_plain and type(type(x)) is Defined:
                setattr(x, name, changed(getattr(x, name), value(env)))
            else:
                set_attribute(x, name, changed(attribute(x, name), value(env)))

        return attribute_changed
    key = compile_node(node.target.slice, scope, unit)

    def item_changed(env: Env) -> None:
        x = owner(env)
        i = key(env)
        set_item(x, i, changed(item(x, i), value(env)))

    return item_changed


@compiles(ast.Delete)
def delete(node: ast.Delete, scope: Scope, unit: Unit) -> Closure:
    parts = [deletion(target, scope, unit) for target in node.targets]

    def run(env: Env) -> None:
        for part in parts:
            part(env)

    return run


@compiles(ast.Pass, ast.Global, ast.Nonlocal)
def nothing(node: ast.stmt, scope: Scope, unit: Unit) -> Closure:
    return lambda env: None


@compiles(ast.Return)
def compile_return(node: ast.Return, scope: Scope, unit: Unit) -> Closure:
    value = compile_node(node.value, scope, unit) if node.value else (lambda env: None)

    def run(env: Env) -> str:
        env[RESULT] = value(env)
        return RETURN

    return run


@compiles(ast.Assert)
def compile_assert(node: ast.Assert, scope: Scope, unit: Unit) -> Closure:
    test = truth_of(node.test, scope, unit)
    message = compile_node(node.msg, scope, unit) if node.msg else None

    def run(env: Env) -> None:
        if not test(env):
            raise AssertionError(*([message(env)] if message else []))

    return run
