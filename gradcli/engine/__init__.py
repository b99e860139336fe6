"""The autograd engine, which behaves as torch does: tensors, graph nodes, primitives, the backward pass.

Operations are declared in `gradcli.ops`, which registers those behind operators (`operators.FUNCTIONS`).
"""
