"""Local Jacobians, dense where they are small: the rule of an edge, evaluated for each basis vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.model import Explanation, Local, Node, Value
from gradcli.explanation.values import value_of

MOST = 100  # entries of a Jacobian that is written out


def with_jacobians(explanation: Explanation) -> Explanation:
    """Return the explanation with the Jacobian on each edge between tensors that has few entries."""
    point = {node.id: node.value for node in explanation.nodes}
    upstream = explanation.upstream_name
    return replace(explanation, nodes=tuple(_node(node, point, upstream) for node in explanation.nodes))


def _node(node: Node, point: Mapping[str, Any], upstream: str) -> Node:
    locals = tuple(replace(x, jacobian=_jacobian(node, x, point, upstream)) for x in node.locals)
    return replace(node, locals=locals) if locals else node


def _jacobian(node: Node, local: Local, point: Mapping[str, Any], upstream: str) -> Value | None:
    rows, columns = np.size(node.value), np.size(point[local.input])
    if rows * columns > MOST or (not node.shape and not np.ndim(point[local.input])):
        return None
    matrix = np.zeros((rows, columns), node.dtype)
    for row, basis in enumerate(np.eye(rows, dtype=node.dtype)):
        try:
            flow = value_of(local.rule, {**point, upstream: basis.reshape(node.shape)[()]})
        except GradcliError:
            return None
        matrix[row] = np.broadcast_to(flow, np.shape(point[local.input])).ravel()
    return matrix
