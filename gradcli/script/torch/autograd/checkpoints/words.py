"""The words in which `torch.utils.checkpoint` refuses and warns."""

from __future__ import annotations

NO_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"
NOT_FOR_SOME = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
NO_OUTPUT = "none of output has requires_grad=True, this checkpoint() is not necessary"
REENTRANT = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the "
    "differences between the two variants."
)
REENTRANT_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
TIP = """

Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint‑debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""
SECOND = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
UNEXPECTED = (
    "Something went unexpectedly wrong in activation checkpoint. Please report this bug by filing an issue to PyTorch."
)
DEBUGGED = "the message of a checkpoint with debug=True is not supported here"
MORE = (
    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass."
    + TIP
)
