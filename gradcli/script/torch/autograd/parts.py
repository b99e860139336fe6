"""The outputs of a snippet's own function as parts of one flat tensor, each with a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradcli.engine.graph import Node
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.language import tree
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.windows.padding import pad_constant


@dataclass(frozen=True, eq=False)
class Opaque(Primitive):
    """A primitive whose rules are not read for the tensors they save."""

    @property
    def saved(self) -> tuple[frozenset[int], ...]:
        return tuple(frozenset() for _ in self.rules)


class PartNode(Node):
    """The node of one of several outputs; snippets see that of the whole function, which runs the hooks of all."""

    __slots__ = ()
    waits = True

    @property
    def whole(self) -> Node:
        node = self.edges[0]
        assert isinstance(node, Node)
        return node

    @property
    def number(self) -> int:
        return int(self.options["place"])


def part_of(packed: Any, *, pad: tuple[int, int], shape: tuple[int, ...], place: int = 0) -> Any:
    return reshape(pad_constant(packed, pad=pad, value=0), shape=shape)


def written_part(name: str, operands: Sequence[Formula], options: dict[str, Any]) -> tree.Expression:
    return tree.Call(name, (tree.Argument(operands[0].tree),))
