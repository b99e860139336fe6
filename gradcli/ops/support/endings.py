"""Torch's names of the last nodes of gradients, by ours, where it computes them in another way; see `Primitive`."""

from __future__ import annotations

Endings = tuple[dict[str, str], ...]

FILLED: Endings = ({"WhereBackward0": "MaskedFillBackward0"},)
SHARED: Endings = ({"WhereBackward0": "MaskedFillBackward1"},)
PLACED: Endings = ({"WhereBackward0": "ScatterBackward0", "ScatterAddBackward0": "ScatterBackward0"},)
MASKED: Endings = ({"WhereBackward0": "MulBackward0"},)
COUNTED: Endings = ({"DivBackward0": "MulBackward0"},)
BY_NUMBER: Endings = ({"MulBackward0": "MulBackward1"},)
OVER_NUMBER: Endings = ({"DivBackward0": "DivBackward1"},)
COPIED: Endings = ({}, {}, {"IndexSelectBackward0": "ExpandBackward0"})  # to the size of the source
UNSQUEEZED: Endings = ({"ViewBackward0": "UnsqueezeBackward0"},)
JOINED: Endings = ({"SliceBackwardBackward0": "CatBackward0"},)
STACKED: Endings = ({"SelectBackwardBackward0": "StackBackward0"},)
