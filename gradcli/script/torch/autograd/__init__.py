"""`torch.autograd`: backward passes, hooks, modes, custom functions."""
