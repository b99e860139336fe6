"""`torch.optim`: the optimizers, each step rounded as torch rounds it."""
