"""`torch.autograd.gradcheck`: gradients against finite differences, in torch's words."""
