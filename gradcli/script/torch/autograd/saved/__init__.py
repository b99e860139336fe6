"""The tensors that nodes save: packed by hooks, and as snippets see them."""
