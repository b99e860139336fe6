"""The graph of a live tensor as lines, oldest first, with the numbers that torch kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from gradcli.engine.broadcast import fit
from gradcli.engine.graph import AccumulateGrad, Target
from gradcli.engine.graph import Node as GraphNode
from gradcli.engine.primitive import Primitive
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.formula import Formula, literal
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import FAILURES, Evaluation, Line
from gradcli.explanation.model import Names
from gradcli.language.tree import Expression, Name
from gradcli.live.boxes import box, unknown_values
from gradcli.live.names import KnownNames
from gradcli.live.operands import Operand, Reading, readings
from gradcli.live.passes import Node, is_leaf
from gradcli.live.rounding import is_close, rounding
from gradcli.live.saved import MISSING, is_readable, numbers, results_of
from gradcli.ops.linalg.equations import triangle
from gradcli.source import Span

# What forward, rules and notation raise for operands of another operation.
LONG = 2**12  # entries of a result whose rules take long
MISFITS = (*FAILURES, TypeError, KeyError, AttributeError)
Place = tuple[Node, int]  # a node, and the number of its result


class Graph:
    """The lines of a graph whose nodes are given from the output down.

    `positions` has the input that each edge of a line leads from, `unknown` the names of lines without numbers.
    """

    def __init__(self, order: Sequence[Node], known: KnownNames, output: torch.Tensor) -> None:
        self.known = known
        self.names = Names(known.tensors)
        self.evaluation = Evaluation()
        self.line_of: dict[Place, Line] = {}
        self.positions: dict[str, Mapping[int, int]] = {}
        self.constants: dict[Any, Line] = {}
        self.unknown: set[str] = set()
        self.readings = {node: list(readings(node)) for node in order if not is_leaf(node)}
        root = order[0], output.output_nr
        self.kept = self.kept_by(order) | {root: numbers(output)}
        used = {root, *(place for node in order for place in node.next_functions)}
        for node in reversed(order):
            if is_leaf(node):
                self.leaf(node)
            for place in range(len(node._input_metadata)):
                if (node, place) in used and not is_leaf(node):
                    self.node(node, place)
        self.evaluation.output = self.line_of[root].tensor

    def kept_by(self, order: Iterable[Node]) -> dict[Place, Any]:
        """Return the results that are kept: by their node, by a node that takes them as input, or by the caller."""
        results = {place: numbers(self.known.tensors[name]) for place, name in self.known.by_node.items()}
        for node in order:
            for place, result in results_of(node):
                is_there = place < len(node._input_metadata)
                if is_there and is_readable(result) and tuple(result.shape) == shape_of(node, place):
                    results[node, place] = numbers(result)
            for reading in self.readings.get(node, ())[:1]:
                for operand in reading.operands:
                    if operand.edge is not None and isinstance(operand.saved, torch.Tensor):
                        below, place = node.next_functions[operand.edge]
                        if shape_of(below, place) == tuple(operand.saved.shape) and is_readable(operand.saved):
                            results.setdefault((below, place), numbers(operand.saved))
        return results

    def leaf(self, node: Node) -> None:
        variable = node.variable
        name = self.name(self.known.leaf(variable), "p")
        target = AccumulateGrad(None)
        value = numbers(variable) if is_readable(variable) else unknown_values(tuple(variable.shape))
        target.variable = Tensor(value, target)
        line = Line(name, target.variable, Name(name), Span(0, 0), is_variable=True)
        self.line_of[node, 0] = self.add(line)
        if not is_readable(variable):
            self.unknown.add(name)

    def name(self, given_name: str | None, stem: str) -> str:
        """Return the caller's name, or a new one."""
        return self.names.fresh(stem) if given_name is None else self.names.user_name(given_name)

    def add(self, line: Line) -> Line:
        self.evaluation.lines.append(line)
        self.evaluation.line_of[id(line.tensor)] = line
        return line

    def node(self, node: Node, place: int) -> None:
        """Add the line of a result of a node: in terms of a primitive where one fits, else as a box."""
        shape, value = shape_of(node, place), self.kept.get((node, place))
        for reading in self.readings[node]:
            if reading.number == place and self.is_known(node, reading):
                inputs = [self.operand(node, reading, position, value) for position in range(len(reading.operands))]
                result = self.result(reading, inputs, value, shape, rounding(node))
                if result is not None:
                    edges = {x.edge: position for position, x in enumerate(reading.operands) if x.edge is not None}
                    self.close((node, place), reading.primitive, inputs, reading.options, edges, result)
                    return
        below = [(edge, x) for edge, x in enumerate(node.next_functions) if x[0] is not None]
        lines = [self.line_of[x] for _, x in below]
        number = place if len(node._input_metadata) > 1 else None
        primitive = box(node.name().rpartition("::")[2], shape, [line.tensor.shape for line in lines], number)
        edges = {edge: position for position, (edge, _) in enumerate(below)}
        result = (unknown_values(shape), False) if value is None else (value, True)
        self.close((node, place), primitive, [(line, line.tensor) for line in lines], {}, edges, result)

    def is_known(self, node: Node, reading: Reading) -> bool:
        """Return whether the edges of a reading lead to lines, and numpy can have what was saved."""
        tensors = [x.saved for x in reading.operands if isinstance(x.saved, torch.Tensor)]
        edges = [x.edge for x in reading.operands if x.edge is not None]
        return all(map(is_readable, tensors)) and len(edges) == len(
            [x for x, _ in node.next_functions if x is not None]
        )

    def operand(self, node: Node, reading: Reading, position: int, result: Any) -> tuple[Line, Any]:
        """Return the line of an input and what the primitive is applied to: a tensor, or a plain number."""
        operand: Operand = reading.operands[position]
        if operand.edge is not None:
            line = self.line_of[node.next_functions[operand.edge]]
            return line, line.tensor
        if operand.saved is MISSING:
            return self.constant((node, position), *self.recovered(node, reading, position, result))
        if isinstance(operand.saved, torch.Tensor):
            name = self.known.data(operand.saved)
            value = numbers(operand.saved)
            key = name or (operand.saved.data_ptr(), tuple(operand.saved.shape), tuple(operand.saved.stride()))
            return self.constant(key if np.ndim(value) or name else (node, position), name, value)
        return self.constant((node, position), None, np.asarray(operand.saved)[()])

    def recovered(self, node: Node, reading: Reading, position: int, result: Any) -> tuple[str | None, Any]:
        """Return the operand of a sum, which torch does not keep, from the result: its name, and its value or nan.

        It is the caller's tensor, or a number of six digits, if that gives the very result; else the difference.
        """
        shape = shape_of(node, 0)
        others = [x for x in reading.operands if x.edge is not None]
        if reading.primitive.structured:
            return None, unknown_values(shape if reading.primitive is triangle else ())
        if (
            "sum" not in reading.primitive.traits
            or result is None
            or not np.size(result)
            or len(others) != 1
            or len(reading.operands) != 2
        ):
            return None, unknown_values(shape)
        line = self.line_of[node.next_functions[others[0].edge]]
        if line.name in self.unknown:
            return None, unknown_values(shape)

        def with_other(x: Any) -> Any:
            pair = [x, line.tensor.value] if position == 0 else [line.tensor.value, x]
            return reading.primitive.forward(*pair, **reading.options)

        for name, tensor in self.known.equal(shape):
            if is_readable(tensor) and np.array_equal(with_other(numbers(tensor)), result):
                return name, numbers(tensor)
        zero, unit = result.dtype.type(0), result.dtype.type(1)
        apart = (result - with_other(zero)) / (with_other(unit) - with_other(zero)).flat[0]
        number = float(f"{np.ravel(apart)[0]:.6g}")
        if np.array_equal(with_other(result.dtype.type(number)), result):
            return None, result.dtype.type(number)
        return None, apart

    def constant(self, key: Any, name: str | None, value: Any) -> tuple[Line, Any]:
        """Return the line of data; the caller's have their name, and a number stands for itself."""
        is_number = name is None and np.ndim(value) == 0 and not np.isnan(value)
        if key not in self.constants:
            if name is not None:
                line_name = self.names.user_name(name)
                line = Line(line_name, Tensor(value), Name(line_name), Span(0, 0), is_variable=True)
            else:
                line_name = self.names.fresh("c")
                tree = literal(plain(value)) if is_number else Name(line_name)
                line = Line(line_name, Tensor(value), tree, Span(0, 0), is_variable=not is_number)
            self.constants[key] = line
            if not is_number and np.size(value) and np.all(np.isnan(value)):
                self.unknown.add(line_name)
        line = self.constants[key]
        return line, plain(value) if is_number else line.tensor

    def result(
        self, reading: Reading, inputs: Sequence[tuple[Line, Any]], kept: Any, shape: tuple[int, ...], eps: float
    ) -> tuple[Any, bool] | None:
        """Return the result of a reading and whether it is known; None where it is another than torch's."""
        operands = [x.value if isinstance(x, Tensor) else x for _, x in inputs]
        is_known = not any(line.name in self.unknown for line, _ in inputs)
        try:
            with np.errstate(all="ignore"):
                self.written(reading.primitive, inputs, reading.options)
                value = reading.primitive.forward(*operands, **reading.options)  # of nan too, as formulas do later
                upstream = np.broadcast_to(np.asarray(value).dtype.type(1), shape)[()]
                rules = reading.primitive.rules_for(operands)
                is_long = is_known and reading.primitive.structured and np.size(value) > LONG  # the value is enough
                for position, operand in enumerate(reading.operands if not is_long else ()):
                    x = operands[position]
                    if operand.edge is not None and np.shape(x) != np.shape(
                        fit(rules[position](upstream, value, *operands, **reading.options), x)  # type: ignore[misc]
                    ):
                        return None
        except MISFITS:
            return None
        if np.shape(value) != shape or (is_known and kept is not None and not is_close(value, kept, eps)):
            return None
        if kept is not None:
            return kept, True
        return (value, True) if is_known else (unknown_values(shape), False)

    def written(self, primitive: Primitive, inputs: Sequence[tuple[Line, Any]], options: dict[str, Any]) -> Expression:
        operands = [Formula(line.spelling, line.tensor.value) for line, _ in inputs]
        return primitive.notation(operands, options)

    def close(
        self,
        place: Place,
        primitive: Primitive,
        inputs: Sequence[tuple[Line, Any]],
        options: dict[str, Any],
        edges: Mapping[int, int],
        result: tuple[Any, bool],
    ) -> None:
        """Add the line of an application; `edges` has the position of the input of each edge."""
        value, is_known = result
        targets: list[Target | None] = [None] * len(inputs)
        for position in edges.values():
            targets[position] = inputs[position][0].tensor.node
        operands = tuple(x for _, x in inputs)
        graph_node = GraphNode(primitive, operands, options, targets, value)
        out = Tensor(value, graph_node)
        name = self.name(self.known.by_node.get(place), "v")
        application = Application(primitive, operands, options, out)
        lines = tuple(line for line, _ in inputs)
        tree = self.written(primitive, inputs, options)
        for line in lines:
            if id(line.tensor) not in self.evaluation.line_of:
                self.add(line)
        self.positions[name] = edges
        self.line_of[place] = self.add(Line(name, out, tree, Span(0, 0), application, lines))
        if not is_known:
            self.unknown.add(name)


def shape_of(node: Node, place: int) -> tuple[int, ...]:
    return tuple(node._input_metadata[place].shape)


def plain(value: Any) -> Any:
    """Return a number as a person writes it: 2 for 2.0."""
    number = value.item() if hasattr(value, "item") else value
    return int(number) if isinstance(number, float) and number.is_integer() and abs(number) < 2**53 else number
