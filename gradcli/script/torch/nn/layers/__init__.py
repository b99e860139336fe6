"""The layers of `torch.nn`, a kind a file, and large kinds a room."""
