"""What torch says of a tensor of a batch that it cannot use inside of `vmap`."""

from __future__ import annotations

from collections.abc import Sequence

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


SAME = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
UNBATCHED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "If this is necessary for your usage, please file an issue with functorch."
)
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
CONTROL = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
EITHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we "
    "don't support data-dependent control flow in vmap yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)
SAME_WORDS = ("Dimension out of range", "Got wrong shapes", "Shape mismatch", "Batch norm got", "chunk expects")
INSIDE = {"item": EITHER, "bool": EITHER, "data": ""}  # in a function that is differentiated under vmap
DYNAMIC = "vmap: We do not support batching operators that can "
MESSAGES = {
    "item": ITEM,
    "bool": CONTROL,
    "mask": DYNAMIC + "support dynamic shape. Attempting to batch over indexing with a boolean mask.",
    "nonzero": DYNAMIC + "output dynamic shape. Attempted to vmap over aten::nonzero. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "unique": DYNAMIC + "output dynamic shape. Attempted to vmap over aten::_unique2. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "unique_consecutive": DYNAMIC + "output dynamic shape. Attempted to vmap over aten::unique_consecutive. Please "
    "file an issue at https://github.com/pytorch/pytorch/issues if you need this feature.",
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this "
    "because for each batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "equal": "Batching rule not implemented for aten::equal. We could not generate a fallback.",
    "dual": "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or view ops.",
    "data": "accessing `data` under vmap transform is not allowed",
    "allclose": "vmap over torch.allclose isn't supported yet. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
    "memory": "Cannot access data pointer of Tensor that doesn't have storage",
}

WRITTEN = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {1}. "
    "Please try to use out-of-place operators instead of {0}. If said operator is being called inside the PyTorch "
    "framework, please file a bug report instead."
)
# How torch finds out, in place, that the result has more entries than the tensor: of most operations in one way.
BROADCAST = """
add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign gcd lcm
"""
ARITHMETIC = """
clamp_max clamp_min copy div divide logical_and logical_or logical_xor mul multiply sub true_divide
"""
RULED = ("fill", "index_add", "index_fill", "index_put", "scatter_add")


def written(name: str, level: int, *, several: bool, shapes: tuple[Sequence[int], Sequence[int]]) -> str:
    """Return the error of an operation in place over a tensor that is not of the batch; empty where it is not known.

    `shapes` are those of the tensor and of the result for the batch; `several` tells whether other transforms run.
    """
    if name in BROADCAST.split():
        target, result = map(list, shapes)
        return "" if several else f"output with shape {target} doesn't match the broadcast shape {result}"
    if not name.isidentifier() or name == "masked_fill":  # which has different words for a mask and a value
        return ""
    if name in RULED:
        return WRITTEN.format(f"{name}_", "in a vmap")
    if name in ARITHMETIC.split():
        return WRITTEN.format("inplace arithmetic", "in a vmap")
    return WRITTEN.format(f"aten::{name}_", f"at level {level}")
