"""`torch.utils.checkpoint`: the saved tensors of a part of a network, computed again in the backward pass."""
