"""`torch.nn.utils.prune`: weights that a mask sets to 0 before each call of their module."""
