"""Why the rule of an operation holds around which torch adds dimensions of size 1 and takes them away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.explanation.index.shrinking import Seen, followed
from gradcli.explanation.lines import Line
from gradcli.explanation.wholes.grouping import is_layout, prepares
from gradcli.explanation.why import ReasonFromOutside, applied_alone
from gradcli.language.tree import Name


def reason_around(lines: Sequence[Line], input: str, upstream_name: str, gradient: Any) -> ReasonFromOutside | None:
    """Return why the rule of an input holds where one line computes, and others change dimensions of size 1 alone."""
    own = {line.name: line for line in lines}
    mains = [line for line in lines if line.application and not prepares(line.application)]
    main, last = mains[0] if len(mains) == 1 else lines[-1], lines[-1]
    primitive = main.application.primitive if main.application else None
    if len(mains) != 1 or primitive is None or not primitive.index:
        return None
    result = _seen(last, main, list(range(main.tensor.value.ndim)))
    kept = None if result is None else tuple(dim for dim in result if dim >= 0)
    if kept is None or len(kept) < last.tensor.value.ndim:
        return None
    tensors = {main.name: Seen(last.name, kept), upstream_name: Seen(upstream_name, kept)}
    ends: dict[str, int] = {}
    for position, x in enumerate(main.inputs):
        outer = x
        while outer.name in own:
            outer = outer.inputs[0]
        if isinstance(outer.spelling, Name):
            found = _seen(x, outer, list(range(outer.tensor.value.ndim)))
            if found is None or sorted(dim for dim in found if dim >= 0) != list(range(outer.tensor.value.ndim)):
                return None
            tensors[x.name] = Seen(outer.name, tuple(found.index(dim) for dim in range(outer.tensor.value.ndim)))
        if outer.name in ends:
            return None
        ends[outer.name] = position
    if input not in ends:
        return None
    inside = None if gradient is None else np.reshape(gradient, main.tensor.shape)
    return ReasonFromOutside(applied_alone(main), ends[input], inside, upstream_name, tensors)


def _seen(line: Line, start: Line, dims: list[int]) -> list[int] | None:
    """Return for each dimension of a line which one of the start it is, -1 for none."""
    chain: list[Line] = []
    while line is not start:
        if line.application is None or not is_layout(line.application):
            return None
        chain.append(line)
        line = line.inputs[0]
    found: list[int] | None = dims
    for one in reversed(chain):
        assert one.application is not None
        primitive, options = one.application.primitive, one.application.options
        if found is not None:
            found = followed(found, primitive.name, options, one.inputs[0].tensor.shape, one.tensor.shape)
    return found
