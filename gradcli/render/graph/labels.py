"""The labels of nodes and edges in pictures of a graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from gradcli.explanation.model import Local, Node, Value
from gradcli.language.tree import Expression, Number
from gradcli.language.unparser import unparse
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.source import visible

LONGEST = 60  # characters of a formula; a list of numbers can be longer than a picture is wide


def edges(node: Node) -> Iterator[tuple[str, Local | None]]:
    """The inputs of a node, each with its local derivative, or None where no gradient flows."""
    waiting = deque(node.locals)
    for source in node.inputs:
        flows = waiting and waiting[0].input == source
        yield source, waiting.popleft() if flows else None


def formula(tree: Expression, looks: Looks) -> str:
    """A formula on a line, cut where it is too long."""
    from gradcli.render.text.wrapping import beginning

    return beginning(visible(unparse(tree, multiply=looks.times)), LONGEST, looks.ellipsis)


def value(node_value: Value, looks: Looks) -> str:
    return short(node_value, looks.precision, ascii=looks.ascii)


def definition(node: Node, looks: Looks) -> str:
    """`v1 = a·x2`, `c1 = 1/3`, or the name alone of a variable."""
    name, text = visible(node.name), formula(node.expression, looks)
    return name if text == name else f"{name} = {text}"


def equation(node: Node, looks: Looks) -> str:
    """`v1 = a·x2 = 6`; a number is not said twice."""
    text, result = definition(node, looks), value(node.value, looks)
    return text if text.endswith(f"= {result}") else f"{text} = {result}"


def local_label(local: Local, looks: Looks) -> str:
    """`2·x = 4`, or a number alone, such as `-1`; for a structured operation, which has none, the rule: `g @ B.T`."""
    if local.formula is None:
        return formula(local.rule, looks)
    text, result = formula(local.formula, looks), value(local.value, looks)
    return text if isinstance(local.formula, Number) or text == result else f"{text} = {result}"
