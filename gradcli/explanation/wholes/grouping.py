"""Groups of applications of primitives that are one operation to the user.

`x @ w` of a vector x is unsqueeze, mm and squeeze. Applications that change the layout alone belong to the one whose
entries they arrange.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.explanation.index.contractions import contraction
from gradcli.explanation.index.picking import picks
from gradcli.explanation.index.taught.declared import declared
from gradcli.language.tree import Expression


def is_layout(application: Application) -> bool:
    return "layout" in application.primitive.traits


def prepares(application: Application) -> bool:
    """Return whether it may stand in front of another one, in an operation that is named after that."""
    return is_layout(application) or "prelude" in application.primitive.traits


def ends(applications: Sequence[Application]) -> list[int]:
    """Return for each application of one operation the position of the last one that it belongs with."""
    made = {id(one.out): place for place, one in enumerate(applications)}
    sources = [{made[id(x)] for x in one.inputs if id(x) in made} for one in applications]
    uses: list[set[int]] = [set() for _ in applications]
    for place, found in enumerate(sources):
        for source in found:
            uses[source].add(place)
    group = list(range(len(applications)))
    for place, one in enumerate(applications):  # what follows a computation and is its only use
        if is_layout(one) and len(sources[place]) == 1:
            (source,) = sources[place]
            if uses[source] == {place} and not prepares(applications[group[source]]):
                group[place] = group[source]
    for place in reversed(range(len(applications))):  # what prepares one
        users = {group[user] for user in uses[place]}
        if prepares(applications[place]) and group[place] == place and len(users) == 1:
            group[place] = users.pop()
    last = {one: place for place, one in enumerate(group)}
    return [last[one] for one in group]


def together(applications: Sequence[Application], written: Expression | None, values: Mapping[str, Any]) -> list[int]:
    """Return the same where it is known how the operation is written, over names with `values`.

    All belong together that are one product, one view of a tensor, or one function of each entry.
    """
    if written is not None and (
        contraction(written, {name: np.shape(value) for name, value in values.items()})
        or declared(written, values)
        or is_view(applications)
        or is_pointwise(applications)
    ):
        return [len(applications) - 1] * len(applications)
    return ends(applications)


def is_view(applications: Sequence[Application]) -> bool:
    """Return whether each application is a view of the result of the one before."""
    followed = all(after.inputs[0] is one.out for one, after in pairwise(applications))
    return followed and all(picks(one.primitive) for one in applications)


def is_pointwise(applications: Sequence[Application]) -> bool:
    """Return whether together they take each entry of the result from the same entry of tensors of its shape."""
    used = {id(x) for one in applications for x in one.inputs}
    sizes = {x.shape for one in applications for x in (one.out, *one.inputs) if isinstance(x, Tensor) and x.shape}
    return (
        len(sizes) < 2
        and all(id(one.out) in used for one in applications[:-1])
        and not any(one.primitive.structured or is_layout(one) for one in applications)
    )
