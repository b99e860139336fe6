"""What the snippet calls its tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakKeyDictionary

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Expression, Name
from gradcli.script.python.attributes import Facade
from gradcli.script.python.scopes import OUTER

SHORT = 8  # entries of a constant that is written out
Target = Node | AccumulateGrad


class TensorNames:
    """Names of tensors and of the nodes that made them; the first name that a snippet gives stays."""

    def __init__(self) -> None:
        self.of_tensor: WeakKeyDictionary[Tensor, str] = WeakKeyDictionary()
        self.of_node: WeakKeyDictionary[Target, str] = WeakKeyDictionary()
        self.provisional: WeakKeyDictionary[Tensor, str] = WeakKeyDictionary()  # until the snippet gives a name
        self._unnamed: dict[tuple[Any, ...], str] = {}

    def look(self, env: dict[str, Any]) -> None:
        """Note the names of the tensors in these variables."""
        for name, value in list(env.items()):
            if name == OUTER or name.startswith((" ", "__")):
                continue
            if isinstance(value, Tensor):
                self.give(value, name)
            elif isinstance(value, Facade):
                for inner, tensor in owned(value):
                    if name == "self":  # what is outside the class calls it something better
                        self.provisional.setdefault(tensor, f"{name}.{inner}")
                    else:
                        self.give(tensor, f"{name}.{inner}")
            elif isinstance(value, list | tuple) and len(value) <= 20:
                for position, item in enumerate(value):
                    if isinstance(item, Tensor):
                        self.give(item, f"{name}[{position}]")

    def give(self, tensor: Tensor, name: str) -> None:
        self.of_tensor.setdefault(tensor, name)
        node = node_of(tensor)
        if node is not None:
            self.of_node.setdefault(node, name)
        if tensor._grad is not None:
            self.of_tensor.setdefault(tensor._grad, f"{name}.grad")

    def unnamed(self, tensor: Tensor, *place: Any) -> None:
        """Call an intermediate result `v1`, `v2`, ...; the same each time that its line runs."""
        if self.get(tensor) is None:
            self.give(tensor, self._unnamed.setdefault(place, f"v{len(self._unnamed) + 1}"))

    def expression(self, tensor: Tensor) -> Expression:
        """How formulas mention a tensor: by its name, or a small one without a name as it is."""
        name = self.get(tensor)
        if name is None and tensor.value.size <= SHORT:
            return literal(tensor.value)
        return Name(name or f"c{list(tensor.shape)}")

    def get(self, tensor: Tensor) -> str | None:
        """The name of a tensor, if the snippet has one for it."""
        node = node_of(tensor)
        if node is not None and node in self.of_node:
            return self.of_node[node]
        return self.of_tensor.get(tensor) or self.provisional.get(tensor)


def node_of(tensor: Tensor) -> Target | None:
    """The node of a tensor; None too for a view made in no_grad mode whose base has changed since."""
    try:
        return tensor.node
    except AutogradError:
        return None


def owned(value: Any) -> Iterator[tuple[str, Tensor]]:
    """The tensors of an object: the parameters of a module that is set up, the attributes of anything else."""
    if "_parameters" in vars(value):
        yield from value.named_parameters()
        return
    for name, inner in list(vars(value).items()):
        if isinstance(inner, Tensor):
            yield name, inner
