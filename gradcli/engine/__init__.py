"""The autograd engine, which behaves as torch does: tensors, graph nodes, primitives, the backward walk.

It knows no operation by name; `gradcli.ops` declares them.
"""
