"""Marks on edges: the inputs that a local derivative holds fixed, and the first and second of two equal edges.

A local derivative of y by x holds the other inputs of y. That matters where x changes one of them: only there
the local derivative is not the derivative of y by x.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from gradcli.explanation.model import Local

Locals = Mapping[int, Local]  # the edges of a node, by the position of the input

CHUNK = 2**13  # nodes whose dependents are marked in one pass


def mark_repeated_edges(edges: Mapping[str, Locals]) -> dict[str, dict[int, Local]]:
    """Return the edges of each node, in the order of evaluation, with `held` and `use`."""
    fixed = dependent_inputs({name: tuple(x.input for x in locals.values()) for name, locals in edges.items()})
    marked: dict[str, dict[int, Local]] = {}
    for name, locals in edges.items():
        inputs = [local.input for local in locals.values()]
        is_repeated = len(set(inputs)) < len(inputs)
        counts, uses = Counter(inputs if is_repeated else ()), Counter[str]()
        marked[name] = {}
        for position, local in locals.items():
            uses[local.input] += is_repeated
            use = uses[local.input] if counts[local.input] > 1 else 0
            held = fixed.get((name, local.input), ())
            marked[name][position] = replace(local, held=held, use=use) if use or held else local
    return marked


def dependent_inputs(inputs: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return by node and input the node's other inputs that depend on that input, where there are any."""
    consumers = Counter(x for names in inputs.values() for x in set(names))
    targets = list(
        dict.fromkeys(x for names in inputs.values() if len(set(names)) > 1 for x in names if consumers[x] > 1)
    )
    dependent: dict[tuple[str, str], tuple[str, ...]] = {}
    for start in range(0, len(targets), CHUNK):
        bits = {name: 1 << number for number, name in enumerate(targets[start : start + CHUNK])}
        below: dict[str, int] = {}  # the targets that a node depends on, itself included
        for node, names in inputs.items():
            mask = bits.get(node, 0)
            for x in names:
                mask |= below.get(x, 0)
            below[node] = mask
            for x in dict.fromkeys(names):
                held = tuple(o for o in dict.fromkeys(names) if o != x and below.get(o, 0) & bits.get(x, 0))
                if held:
                    dependent[node, x] = held
    return dependent
