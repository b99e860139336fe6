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
from gradcli.explanation.index.views import picks
from gradcli.explanation.wholes.cross_entropy import cross_entropy
from gradcli.language.tree import Expression


def is_layout(application: Application) -> bool:
    return "layout" in application.primitive.traits


def prepares(application: Application) -> bool:
    """Return whether it may stand in front of another one, in an operation that is named after that."""
    return is_layout(application) or "prelude" in application.primitive.traits


def ends(applications: Sequence[Application]) -> list[int]:
    """Return for each application of an operation the position of the last application of its group."""
    maker = {id(step.out): place for place, step in enumerate(applications)}
    sources = [{maker[id(x)] for x in step.inputs if id(x) in maker} for step in applications]
    uses: list[set[int]] = [set() for _ in applications]
    for place, places in enumerate(sources):
        for source in places:
            uses[source].add(place)
    group = list(range(len(applications)))
    for place, step in enumerate(applications):  # what follows a computation and is its only use
        if is_layout(step) and len(sources[place]) == 1:
            (source,) = sources[place]
            if uses[source] == {place} and not prepares(applications[group[source]]):
                group[place] = group[source]
    for place in reversed(range(len(applications))):  # what prepares one
        users = {group[user] for user in uses[place]}
        if prepares(applications[place]) and group[place] == place and len(users) == 1:
            group[place] = users.pop()
    last = {step: place for place, step in enumerate(group)}
    return [last[step] for step in group]


def together(applications: Sequence[Application], tree: Expression | None, values: Mapping[str, Any]) -> list[int]:
    """Return the result of `ends` where the operation is written as a `tree`, over names with `values`.

    Applications are one group if they are one product, one view of a tensor, or one function of each entry.
    """
    if tree is not None and (
        contraction(tree, {name: np.shape(value) for name, value in values.items()})
        or cross_entropy(tree, values)
        or is_view(applications)
        or is_pointwise(applications)
    ):
        return [len(applications) - 1] * len(applications)
    return ends(applications)


def is_view(applications: Sequence[Application]) -> bool:
    """Return whether each application is a view of the result of the one before."""
    followed = all(after.inputs[0] is x.out for x, after in pairwise(applications))
    return followed and all(picks(x.primitive) for x in applications)


def is_pointwise(applications: Sequence[Application]) -> bool:
    """Return whether together they take each entry of the result from the same entry of tensors of its shape."""
    inputs = {id(x) for step in applications for x in step.inputs}
    sizes = {x.shape for step in applications for x in (step.out, *step.inputs) if isinstance(x, Tensor) and x.shape}
    return (
        len(sizes) < 2
        and all(id(step.out) in inputs for step in applications[:-1])
        and not any(step.primitive.structured or is_layout(step) for step in applications)
    )
