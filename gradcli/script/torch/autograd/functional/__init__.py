"""`torch.autograd.functional`: Jacobians, Hessians, and their products with vectors."""
