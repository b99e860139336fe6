"""An operation is known in its declaration: few tables elsewhere name three or more operations, each for a reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import gradcli
from gradcli import ops
from gradcli.engine.primitive import REGISTRY
from gradcli.ops.support.surface import OPERATIONS

ROOT = Path(gradcli.__file__).parent
# Declarations themselves, and the functions of other libraries, which have names of their own.
APART = ("ops/", "script/numpy/", "script/stdlib/", "script/python/")
LIBRARIES = ("np", "operator", "math", "ast", "tree")
TABLE = (ast.Dict, ast.Set, ast.List, ast.Tuple)
# What torch adds to namespaces of its own: how functions and layers of these are made.
NAMESPACES = """
script/torch/nn/functional/module.py: KINDS
script/torch/nn/layers/declared.py: ACTIVATIONS
script/torch/nn/layers/declared.py: LOSSES
script/torch/nn/layers/declared.py: LAYERS_OF
script/torch/operations/facade.py: LOWERED
script/torch/tensor/attributes.py: METHODS
script/torch/tensor/creation.py: CREATION
""".strip().splitlines()
REASONS = {
    "explanation/calls.py: SCHOOLBOOK": "names that are no operation, and what to type for them",
    "homework/code/operations.py: OTHERS": "names that students give to methods",
    "homework/code/operations.py: PRODUCTS": "methods by which students multiply matrices",
    "homework/code/operations.py: QUANTITIES": "what an assignment may ask of a class, with its methods",
    "homework/code/repairs.py: FUNCTIONS": "functions of numpy that students take for each other",
    "homework/solve/properties.py: PROPERTIES": "properties of values, some of which are called as operations are",
    "homework/submission/plain/names.py: UNARY": "what people write without brackets",
    "homework/submission/plain/syntax.py: COPIES": "methods of other libraries",
    "language/catalogue.py: BASICS": "the choice of a first course",
    "language/simplify/algebra/functions.py: POWERS": "the normal form of roots in the algebra",
    "language/simplify/facts/identities.py: TABLE": "identities are between operations",
    "language/simplify/facts/shapes.py: RULES": "shapes of what formulas print, where no operation is loaded",
    "live/operands.py: FIXED": "what torch's nodes save beside the options of the primitive",
    "render/latex/formulas.py: _NAMED": "looks: the commands of LaTeX",
    "render/latex/formulas.py: _SPECIAL": "looks: what LaTeX writes otherwise than as a call",
}


def operation_names() -> set[str]:
    ops.load()
    return {*OPERATIONS, *REGISTRY, *(name for x in OPERATIONS.values() for name in x.aliases)}


def named(table: ast.AST, names: set[str]) -> set[str]:
    """Return the operations that a table names: as text, in a list of words, or as a function."""
    found: set[str] = set()
    for node in ast.walk(table):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[\w\s]+", node.value):
            words = node.value.split()
            known = names.intersection(words)
            found |= known if 2 * len(known) >= len(words) else set()
        elif isinstance(node, ast.Name):
            found |= names & {node.id}
        elif isinstance(node, ast.Attribute) and not (isinstance(x := node.value, ast.Name) and x.id in LIBRARIES):
            found |= names & {node.attr}
    return found


def tables(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield the outermost displays in a statement of a module, and texts of several words."""
    stack = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, TABLE) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            yield node
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
            stack += [child for child in ast.iter_child_nodes(node) if child not in getattr(node, "targets", ())]
        elif isinstance(node, ast.expr):
            stack += ast.iter_child_nodes(node)


def tables_of_operations() -> dict[str, set[str]]:
    """Return where tables stand that name three or more operations, with these."""
    names, result = operation_names(), dict[str, set[str]]()
    for file in sorted(ROOT.rglob("*.py")):
        place = str(file.relative_to(ROOT))
        if place.startswith(APART):
            continue
        for statement in ast.parse(file.read_text()).body:
            found = max((named(table, names) for table in tables(statement)), key=len, default=set())
            if len(found) >= 3:
                targets = [*getattr(statement, "targets", []), getattr(statement, "target", None)]
                result[f"{place}: {ast.unparse(targets[0]) if targets[0] else statement.lineno}"] = found
    return result


def test_few_tables_name_operations() -> None:
    places = tables_of_operations()
    assert sorted(places) == sorted([*NAMESPACES, *REASONS]), "put the fact on the declaration, or say why it is here"
    assert len(REASONS) <= 15
