"""The names of tensors in a snippet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.symbolic.formula import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.explanation.model import lettered
from gradcli.language.tree import Expression, Name
from gradcli.script.python.syntax.scopes import OUTER
from gradcli.script.python.values.attributes import Facade
from gradcli.source import Source

FEW = 100  # items of a list or dict whose tensors have names
DEPTH = 2  # of lists in lists
SHORT = 3  # entries of a constant that is written out
Target = Node | AccumulateGrad
Looked = tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]  # a tensor, its node and its gradient


class TensorNames:
    """Names of tensors and of the nodes that made them; the first name that a snippet gives stays.

    A result without a name is called `v1`, `v2`, ..., a leaf `leaf`, data `c1`, ...: until the snippet gives a name.
    """

    def __init__(self) -> None:
        self.of_tensor: WeakKeyDictionary[Tensor, str] = WeakKeyDictionary()
        self.of_node: WeakKeyDictionary[Target, str] = WeakKeyDictionary()
        self.provisional: WeakKeyDictionary[Tensor, str] = WeakKeyDictionary()  # until the snippet gives a name
        self.renamed: WeakKeyDictionary[Tensor, tuple[str, int]] = WeakKeyDictionary()  # with the name of a former leaf
        self.former: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # leaves that lost their name, and where
        self.derived: list[tuple[Tensor, Tensor, str]] = []  # detached tensors, their sources, and how
        self._bound: dict[str, ref[Tensor]] = {}  # the tensors that attributes of global objects name
        self._looked: dict[str, Looked] = {}  # at which tensors, by the names of variables
        self._generated: dict[tuple[Any, ...], str] = {}
        self._counts = {"v": 0, "c": 0, "leaf": 0}
        self._taken: set[str] = set()
        self.given: set[str] = set()  # names that were generated
        self._depths: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # of calls, where a name was given

    def reads(self, source: Source) -> None:
        """Keep clear of the names that the text of a snippet uses."""
        self._taken.update(re.findall(r"\b(?:[vc]|leaf)\d*(?:_[a-z])?\b|\b\w+_[a-z]\b", source.text))

    def look(self, env: dict[str, Any], depth: int = 0, *, deep: bool = True) -> Iterator[tuple[Tensor, str, str]]:
        """Yield the tensors in these variables, each with its name and the name that it loses.

        The name at a caller replaces one that a function, so many calls deep, gave for itself.

        A tensor that was looked at under its name, and is as it was then, is left out: most are, at every statement.
        What is not `deep` looks at variables alone, not at the tensors in objects and lists.
        """
        for name, value in list(env.items()):
            if isinstance(value, Tensor):
                before, node, gradient = self._looked.get(name, NEVER)
                now = node_of(value)
                if before() is value and is_still(node, now) and is_still(gradient, value._grad):
                    continue
                self._looked[name] = reference_to(value), reference_to(now), reference_to(value._grad)
            elif not deep:
                continue
            if name == OUTER or name.startswith((" ", "__")):
                continue
            for tensor, full in parts(name, value):
                if name == "self" and full != name:  # the caller outside the class has a better name for it
                    self.provisional.setdefault(tensor, full)
                else:
                    yield tensor, full, self.at_caller(tensor, full, depth) or self.give(tensor, full)
                    if depth:
                        self._depths.setdefault(tensor, depth)

    def at_caller(self, tensor: Tensor, name: str, depth: int) -> str:
        """Give a result the name of its caller, and return that of the function inside; "" if it has no such one."""
        before = self.get(tensor)
        if not isinstance(node_of(tensor), Node) or before in (None, name) or depth >= self._depths.get(tensor, 0):
            return ""
        self.forget(tensor)
        del self._depths[tensor]
        self.give(tensor, name)
        return before or ""

    def give(self, tensor: Tensor, name: str) -> str:
        """Note the snippet's name of a tensor; return the generated name that it replaces, or ""."""
        before = self.get(tensor) if self.is_generated(tensor) else ""
        if before:
            self.forget(tensor)
        self.of_tensor.setdefault(tensor, name)
        node = node_of(tensor)
        if node is not None:
            self.of_node.setdefault(node, name)
        if tensor._grad is not None:
            self.of_tensor.setdefault(tensor._grad, f"{name}.grad")
        return before or ""

    def rename(self, env: dict[str, Any], line: int, olds: Sequence[tuple[str, Tensor]]) -> None:
        """Note the names that mean another tensor now, though they were that of a leaf."""
        for name, old in olds:
            new = env.get(name)
            if new is not old:
                if isinstance(node_of(old), AccumulateGrad) and self.get(old) == name:
                    self.former.setdefault(old, line)
                    if isinstance(new, Tensor):
                        self.renamed[new] = (name, line)
                elif old in self.renamed and isinstance(new, Tensor):
                    self.renamed[new] = self.renamed[old]

    def replace(self, tensor: Tensor, name: str, line: int) -> None:
        """Note that `model.weight` means another leaf now."""
        bound = self._bound.get(name)
        old = bound() if bound else None
        if old is not tensor:
            self._bound[name] = ref(tensor)
            if old is not None:
                self.former.setdefault(old, line)

    def settle(self) -> None:
        """Name detached tensors after their sources, where these have a name now."""
        for result, source, how in self.derived:
            name = self.get(source)
            if name:
                self.provisional[result] = name + how
        self.derived.clear()

    def forget(self, tensor: Tensor) -> None:
        self.of_tensor.pop(tensor, None)
        node = node_of(tensor)
        if node is not None:
            self.of_node.pop(node, None)

    def is_generated(self, tensor: Tensor) -> bool:
        """Whether the name of a tensor was generated."""
        return isinstance(self.get(tensor), Generated)

    def name_result(self, tensor: Tensor, *place: Any) -> None:
        """Call an intermediate result `v1`, `v2`, ...; the same each time that its line runs."""
        if self.get(tensor) is None:
            self.give(tensor, self._generate("v", *place))

    def name_part(self, part: Tensor, result: Tensor, number: int) -> None:
        """Call a result on the way to another one `v1_a`, as an explanation of a program does."""
        if self.get(part) is None:
            name = Generated(lettered(self.get(result) or "", number, self._taken))
            self.given.add(name)
            self.give(part, name)

    def _generate(self, stem: str, *place: Any) -> str:
        """Return the next name of this kind that the snippet does not use, or the name of the place."""
        earlier = self._generated.get((stem, *place)) if place else None
        if earlier is not None:
            return earlier
        while True:
            self._counts[stem] += 1
            name = Generated(stem if stem == "leaf" and self._counts[stem] == 1 else f"{stem}{self._counts[stem]}")
            if name not in self._taken:
                break
        if place:
            self._generated[stem, *place] = name
        self.given.add(name)
        return name

    def expression(self, tensor: Tensor, *place: Any) -> Expression:
        """Return the expression of a tensor in formulas: its name, or its numbers where it is small and has none."""
        name = self.get(tensor)
        if name is None and tensor.node is None and tensor.value.size <= SHORT:
            return literal(tensor.value)
        return Name(self.of_input(tensor, *place))

    def of_input(self, tensor: Tensor, *place: Any) -> str:
        """Return the name of an operand."""
        name = self.get(tensor)
        if name is None:
            name = self._generate("leaf" if isinstance(node_of(tensor), AccumulateGrad) else "c", *place)
            self.of_tensor[tensor] = name
        return name

    def of(self, node: Node) -> str:
        """Return the name of the result of a node."""
        return self.of_node.get(node) or self.of_node.setdefault(node, self._generate("v"))

    def get(self, tensor: Tensor) -> str | None:
        """The name of a tensor, if the snippet has one for it."""
        node = node_of(tensor)
        if node is not None and node in self.of_node:
            return self.of_node[node]
        return self.of_tensor.get(tensor) or self.provisional.get(tensor)


def reference_to(value: Any) -> Callable[[], Any]:
    """Return a reference that keeps nothing alive."""
    return no_reference if value is None else ref(value)


def is_still(before: Callable[[], Any], now: Any) -> bool:
    """Return whether a reference is to this value; a dead reference is to no value, not to None."""
    return before is no_reference if now is None else before() is now


def no_reference() -> None:
    """Return None: a reference to nothing."""


NEVER: Looked = (no_reference, no_reference, no_reference)


class Generated(str):
    """A name that the snippet did not give."""


def node_of(tensor: Tensor) -> Target | None:
    """The node of a tensor; None too for a view made in no_grad mode whose base has changed since."""
    try:
        return tensor.node
    except AutogradError:
        return None


def parts(name: str, value: Any, depth: int = DEPTH) -> Iterator[tuple[Tensor, str]]:
    """Yield the tensors in a variable, each with its name: `w`, `model.weight`, `layers[0].bias`."""
    if isinstance(value, Tensor):
        yield value, name
    elif isinstance(value, Facade):
        for inner, tensor in tensors_of_object(value):
            yield tensor, f"{name}.{inner}"
    elif isinstance(value, list | tuple | dict) and len(value) <= FEW and depth:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in list(items):
            if isinstance(item, Tensor | Facade | list | tuple | dict) and isinstance(key, int | str):
                yield from parts(f"{name}[{key!r}]", item, depth - 1)


def tensors_of_object(value: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of an object: the parameters of a module, and the attributes of any."""
    attributes = getattr(value, "__dict__", {})  # objects with __slots__ have none
    if "_parameters" in attributes:
        yield from parameters(value)
    for name, inner in list(attributes.items()):
        if isinstance(inner, Tensor):
            yield name, inner


def parameters(module: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield the parameters of a module and of those below it, each once, and call nothing that the snippet defines."""
    waiting, seen = [("", module)], set()
    while waiting:
        path, submodule = waiting.pop()
        seen.add(id(submodule))
        tables = (getattr(submodule, "__dict__", {}).get(table) for table in ("_parameters", "_modules"))
        parameters, below = (list(table.items()) if isinstance(table, dict) else [] for table in tables)
        for name, tensor in parameters:
            if isinstance(tensor, Tensor) and id(tensor) not in seen:
                seen.add(id(tensor))
                yield f"{path}{name}", tensor
        waiting.extend((f"{path}{name}.", child) for name, child in reversed(below) if id(child) not in seen)
