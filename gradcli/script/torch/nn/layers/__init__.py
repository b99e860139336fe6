"""The layers of `torch.nn`, a kind a file."""
