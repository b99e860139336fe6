"""`torch.autograd.gradcheck`: gradients against finite differences, and what a backward must not do."""
