"""Memory that several tensors share: views, writing in place, and the versions that count changes.

The nodes are those of torch: CopySlices, Fill, Copy.
"""
