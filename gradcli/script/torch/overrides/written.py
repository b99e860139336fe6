"""The syntax of a run that overrides functions of torch: operators are written as calls that ask first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.syntax.targets import set_item
from gradcli.script.python.values.comparing import COMPARISONS
from gradcli.script.python.values.comparing import SIGNS as ORDER_SIGNS
from gradcli.script.python.values.nesting import item
from gradcli.script.python.values.operators import BINARY, OPERATORS, SIGNS, UNARY, augmented
from gradcli.script.torch.overrides.dispatch import flat, handles, overrides
from gradcli.script.torch.overrides.operators import Operators, behind, method, walk

Function = Callable[..., Any]

SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
NAMES: dict[type[ast.AST], str] = {kind: name for name, kind in OPERATORS.items()} | {
    ast.MatMult: "matmul", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Eq: "eq", ast.NotEq: "ne",
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
TABLES: tuple[Mapping[Any, Function], ...] = (BINARY, UNARY, COMPARISONS)
DIRECT = ("float", "int", "bool", "len", "abs")  # Python's functions that call one method of a tensor


def operation(name: str, apply: Function) -> Function:
    """Return an operator that asks modes, and classes that are no tensors; tensors of a class have their own."""
    is_compared = name in ("eq", "ne")

    def operate(*operands: Any) -> Any:
        first, second = operands[0], operands[-1]
        asking = operands if is_compared else [x for x in operands if not isinstance(x, Operators)]
        is_asked = bool(overrides().modes) or any(handles(type(x)) for x in asking)
        if is_compared and isinstance(second, Operators) and not isinstance(first, Operators):
            return behind(name)(second, first)  # Python asks the subclass first
        if is_asked and isinstance(first, Tensor) and (is_compared or not isinstance(first, Operators)):
            try:
                return behind(name)(*operands)
            except TypeError:
                if len(operands) == 1 or name == "getitem":
                    raise
                if not isinstance(second, Tensor | int | float):  # it may have an operator for this
                    return apply(*operands)
                raise TypeError(_unsupported(name, first, second)) from None
        if is_asked and isinstance(second, Tensor) and isinstance(first, int | float):
            return behind(SWAPPED.get(name, f"r{name}"))(second, first)
        return apply(*operands)

    return operate


def _unsupported(name: str, first: Any, second: Any) -> str:
    kind: Any = next(kind for kind, own in NAMES.items() if own in (name, name.removeprefix("i")))
    kinds = f"{type(first).__name__!r} and {type(second).__name__!r}"
    if kind in ORDER_SIGNS:
        return f"'{ORDER_SIGNS[kind]}' not supported between instances of {kinds}"
    sign = "** or pow()" if kind is ast.Pow else SIGNS[kind]
    return f"unsupported operand type(s) for {sign}{'=' * (name != NAMES[kind])}: {kinds}"


def in_mode(value: Any) -> bool:
    """Whether a mode is to be asked of a tensor."""
    return isinstance(value, Tensor) and bool(overrides().modes)


def truth(value: Any) -> Any:
    return behind("bool")(value) if in_mode(value) else value


def operand(value: Any) -> Any:
    """Return an operand of `and` or `or`, or of an assignment to a part."""
    if in_mode(value):
        raise UnsupportedError("a tensor in `and`, `or` or += to a part inside of a TorchFunctionMode is not supported")
    return value


def walked(value: Any) -> Any:
    return walk(value) if in_mode(value) else value


def assigned(value: Any, owner: Any, key: Any) -> None:
    if in_mode(owner) or in_mode(value) or (isinstance(owner, Tensor) and handles(type(value))):
        method("__setitem__")(owner, key, value)
    else:
        set_item(owner, key, value)


def python(name: str, called: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call one of Python's functions, if the name has not got another meaning."""
    is_asked = overrides().modes and running.machine.builtins.get(name) is called
    if is_asked and any(isinstance(x, Tensor) for x in flat(arguments, keywords)):
        if name in DIRECT and len(arguments) == 1:
            return behind(name)(*arguments)
        raise UnsupportedError(f"{name}() of a tensor inside of a TorchFunctionMode is not supported")
    return called(*arguments, **keywords)


def _operators() -> dict[str, Function]:
    found = {name: next(table[kind] for table in TABLES if kind in table) for kind, name in NAMES.items()}
    found |= {f"i{name}": augmented(kind) for name, kind in OPERATORS.items() if f"i{name}" != "ilshift"}
    found["getitem"] = lambda x, i: item(x, i) if type(i) is tuple else x[i]
    return {name: operation(name, apply) for name, apply in found.items() if name not in ("ilshift", "irshift")}


WRITTEN: dict[str, Function] = _operators() | {
    "truth": truth, "operand": operand, "walked": walked, "assigned": assigned, "python": python,
}  # fmt: skip
PYTHON = (
    "float int bool len abs sum max min sorted list tuple set zip enumerate map filter reversed iter "
    "all any round divmod pow range next"
)


class Written(ast.NodeTransformer):
    """Writes operators, and what else calls methods of tensors unseen, as calls."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return called(NAMES[type(node.op)], node, node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = called("truth", node, node.operand)
            return node
        return called(NAMES[type(node.op)], node, node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1 or type(node.ops[0]) not in NAMES:
            if type(node.ops[0]) not in (ast.Is, ast.IsNot):
                node.comparators[-1] = called("operand", node, node.comparators[-1])
            return node
        return called(NAMES[type(node.ops[0])], node, node.left, node.comparators[0])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return called("getitem", node, node.value, node.slice) if isinstance(node.ctx, ast.Load) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.values = [*(called("operand", value, value) for value in node.values[:-1]), node.values[-1]]
        return node

    def visit_If(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.test = called("truth", node.test, node.test)
        return node  # type: ignore[no-any-return]

    visit_While = visit_IfExp = visit_Assert = visit_If  # noqa: N815

    def visit_For(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.iter = called("walked", node.iter, node.iter)
        return node  # type: ignore[no-any-return]

    visit_comprehension = visit_For

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in PYTHON.split():
            name = ast.Constant(node.func.id)
            return ast.copy_location(ast.Call(_constant("python"), [name, node.func, *node.args], node.keywords), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        name = f"i{NAMES[type(node.op)]}"
        if not isinstance(node.target, ast.Name) or name not in WRITTEN:
            node.value = called("operand", node.value, node.value)
            return node
        value = called(name, node, ast.copy_location(ast.Name(node.target.id, ast.Load()), node), node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript):
            return ast.copy_location(ast.Expr(called("assigned", node, node.value, target.value, target.slice)), node)
        if any(isinstance(each, ast.Tuple | ast.List) for each in node.targets):
            node.value = called("walked", node.value, node.value)
        return node


def called(name: str, node: ast.AST, *operands: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(_constant(name), list(operands), []), node)


def _constant(name: str) -> ast.Constant:
    function: Any = WRITTEN[name]
    return ast.Constant(function)
