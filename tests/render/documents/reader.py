"""A JSON explanation read back: the inverse of `explanation_document`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from gradcli.explanation.model import Explanation, Intermediate, Leaf, Local, Node, Note, Step
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.tree import Expression
from gradcli.render.documents.explanation import Document
from gradcli.source import Source, Span

NAMED = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

Parser = Callable[[str | None], Any]  # to an Expression, or None for None


def read_explanation(document: Document) -> Explanation:
    """The explanation that a document says; arrays get their dtype and shape back, formulas their trees."""
    parse = _parser()
    nodes = tuple(_node(facts, parse) for facts in document["nodes"])
    by_id = {node.id: node for node in nodes}
    leaf_ids = {node.name: node.id for node in nodes if node.kind == "leaf"}
    output = by_id[document["output"]]

    leaves = []
    for name, gradient in document["gradients"].items():
        node = by_id[leaf_ids[name]]
        formulas = [parse(document[form][name]) for form in ("formulas", "formulas_raw")]
        leaves.append(Leaf(name, node.id, _like(gradient, node), *formulas))
    return Explanation(
        parsed=parse_program(Source(document["program"])),
        output=output.id,
        value=_like(document["value"], output),
        upstream=_like(document["upstream"], output),
        nodes=nodes,
        steps=tuple(_step(facts, by_id, parse) for facts in document["steps"]),
        leaves=tuple(leaves),
        notes=tuple(Note(**facts) for facts in document["notes"]),
        intermediates=tuple(
            Intermediate(facts["name"], parse(facts["expression"]), facts["gradient_of"])
            for facts in document["intermediates"]
        ),
    )


def _like(value: Any, node: Node) -> Any:
    """A value of a node or a gradient of it: both have its shape and dtype."""
    return array(value, node.dtype, node.shape)


def _node(facts: Document, parse: Parser) -> Node:
    dtype, shape = facts["dtype"], tuple(facts["shape"])
    return Node(
        id=facts["id"],
        name=facts["name"],
        kind=facts["kind"],
        expression=parse(facts["expression"]),
        span=Span(*facts["span"]),
        op=facts["op"],
        grad_fn=facts["grad_fn"],
        inputs=tuple(facts["inputs"]),
        shape=shape,
        dtype=dtype,
        value=array(facts["value"], dtype, shape),
        requires_grad=facts["requires_grad"],
        is_leaf=facts["is_leaf"],
        grad=array(facts["grad"], dtype, shape),
        locals=tuple(
            Local(
                local["input"],
                parse(local["formula"]),
                array(local["value"], dtype, shape),
                parse(local["rule"]),
                tuple(local["held"]),
                local["use"],
            )
            for local in facts["locals"]
        ),
    )


def _step(facts: Document, nodes: dict[str, Node], parse: Parser) -> Step:
    node, target = nodes[facts["node"]], nodes[facts["input"]]
    return Step(
        node=node.id,
        input=target.id,
        upstream=_like(facts["upstream"], node),
        rule=parse(facts["rule"]),
        contribution=_like(facts["contribution"], target),
        summed_axes=tuple(facts["summed_axes"]),
        total=_like(facts["total"], target),
    )


def _parser() -> Parser:
    """Reads formulas, each text once."""

    @cache
    def parse(text: str | None) -> Expression | None:
        return None if text is None else parse_expression(Source(text))

    return parse


def array(value: Any, dtype: str, shape: Sequence[int]) -> Any:
    """Return the numpy value that `plain` wrote: an array, a scalar where the shape is empty, None for None."""
    if value is None:
        return None
    return np.asarray(_numbers(value), dtype).reshape(shape)[()]


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return NAMED[value] if isinstance(value, str) else value
