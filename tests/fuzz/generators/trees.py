"""Snippets of the samples and tests with parts of their syntax trees changed; loops in them are short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from random import Random

from tests.fuzz import words
from tests.fuzz.generators.mutation import mutated
from tests.fuzz.generators.values import decimal

LARGEST = 16  # numbers in a snippet: those above come down to it
CONSTANTS = [
    0,
    1,
    -1,
    2,
    3,
    0.5,
    True,
    None,
    "",
    "a",
    10**18,
    2**63,
    1e308,
    float("inf"),
    -0.0,
    b"a",
    ...,
    1j,
    (),
    "\x1b[31m",
]


@cache
def corpus() -> tuple[tuple[str, ...], tuple[tuple[ast.expr, ...], ...]]:
    """The texts of the snippets, with numbers that make them cheap, and the expressions of each."""
    texts, expressions = [], []
    for path in words.snippets():
        tree = _Smaller().visit(ast.parse(path.read_text(encoding="utf-8")))
        texts.append(ast.unparse(tree))
        expressions.append(tuple(node for node in walk(tree) if isinstance(node, ast.expr) and is_part(node)))
    return tuple(texts), tuple(expressions)


class _Smaller(ast.NodeTransformer):
    """Makes whole numbers small, equal ones equal."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if type(node.value) is int and node.value > LARGEST:
            node.value = 2 + node.value % (LARGEST - 1)
        return node


def walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may be changed: those of an f-string cannot stand elsewhere, nor others there."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.JoinedStr):
            yield node
            waiting.extend(ast.iter_child_nodes(node))


def is_part(node: ast.AST) -> bool:
    """Whether an expression can stand in the place of another."""
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(
        node, ast.Slice | ast.Starred | ast.JoinedStr | ast.FormattedValue
    )


def snippet(random: Random) -> str:
    """One of the snippets, or a part of it, with some of its nodes changed."""
    texts, expressions = corpus()
    place = random.randrange(len(texts))
    text = texts[place]
    if random.random() < 0.2:
        return mutated(random, text, texts)
    tree = ast.parse(text)
    if len(tree.body) > 6:  # a window, with the imports before it
        start = random.randint(0, len(tree.body) - 6)
        imports = [one for one in tree.body[:start] if isinstance(one, ast.Import | ast.ImportFrom)]
        tree.body = imports + tree.body[start if random.random() < 0.5 else 0 : start + 6]
    donors = expressions[place] if random.random() < 0.6 else random.choice(expressions)
    for _ in range(random.randint(0, 4)):
        change(random, tree, donors)
    return ast.unparse(ast.fix_missing_locations(tree))


def change(random: Random, tree: ast.Module, donors: tuple[ast.expr, ...]) -> None:
    if random.random() < 0.3:
        change_block(random, tree)
        return
    nodes = [
        node for node in walk(tree) if isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.BinOp | ast.Call)
    ]
    if not nodes:
        return
    node = random.choice(nodes)
    if random.random() < 0.4 and donors:
        replace(random, tree, deepcopy(random.choice(donors)))
    elif isinstance(node, ast.Constant):
        node.value = random.choice([*CONSTANTS, float(decimal(random)), float(decimal(random))])
    elif isinstance(node, ast.Name):
        node.id = random.choice([other.id for other in nodes if isinstance(other, ast.Name)])
    elif isinstance(node, ast.Attribute):
        node.attr = random.choice([*words.methods(), *words.modules()["torch"], *words.modules()["torch.nn"]])
    elif isinstance(node, ast.BinOp):
        node.op = random.choice(
            [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult, ast.Mod, ast.FloorDiv, ast.BitAnd, ast.LShift]
        )()
    elif node.args or node.keywords:
        arguments = node.args if node.args else node.keywords
        if random.random() < 0.5:
            del arguments[random.randrange(len(arguments))]
        else:
            arguments.append(deepcopy(random.choice(arguments)))  # type: ignore[arg-type]


def replace(random: Random, tree: ast.Module, donor: ast.expr) -> None:
    """Put another expression in the place of one."""
    places = [
        (node, name, at)
        for node in walk(tree)
        for name, value in ast.iter_fields(node)
        for at, part in enumerate(value if isinstance(value, list) else [value])
        if isinstance(part, ast.expr) and is_part(part)
    ]
    if not places:
        return
    node, name, at = random.choice(places)
    value = getattr(node, name)
    if isinstance(value, list):
        value[at] = donor
    else:
        setattr(node, name, donor)


def change_block(random: Random, tree: ast.Module) -> None:
    """Take a statement out, double it, or put it in another place."""
    blocks = [node.body for node in walk(tree) if isinstance(getattr(node, "body", None), list) and node.body]  # type: ignore[attr-defined]
    block = random.choice(blocks) if blocks else []
    if not block:
        return
    statement = block[random.randrange(len(block))]
    kind = random.randrange(3)
    if kind == 0 and len(block) > 1:
        block.remove(statement)
    elif kind == 1:
        block.insert(random.randrange(len(block) + 1), deepcopy(statement))
    else:
        other = random.choice(blocks)
        other.insert(random.randrange(len(other) + 1), deepcopy(statement))
