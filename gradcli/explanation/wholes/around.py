"""Why the rule of an operation holds around which torch adds dimensions of size 1 and takes them away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.explanation.index.shrinking import seen
from gradcli.explanation.lines import Line
from gradcli.explanation.wholes.grouping import prepares
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
    tensors = {
        main.name: seen(last.name, main.tensor.shape, last.tensor.shape),
        upstream_name: seen(upstream_name, main.tensor.shape, last.tensor.shape),
    }
    ends: dict[str, int] = {}
    for position, x in enumerate(main.inputs):
        outer = x
        while outer.name in own:
            outer = outer.inputs[0]
        if isinstance(outer.spelling, Name):
            tensors[x.name] = seen(outer.name, x.tensor.shape, outer.tensor.shape)
        if outer.name in ends:
            return None
        ends[outer.name] = position
    known = {name: one for name, one in tensors.items() if one is not None}
    if len(known) < len(tensors) or input not in ends:
        return None
    inside = None if gradient is None else np.reshape(gradient, main.tensor.shape)
    return ReasonFromOutside(applied_alone(main), ends[input], inside, upstream_name, known)
