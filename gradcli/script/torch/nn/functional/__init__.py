"""`torch.nn.functional`: operations with the arguments that torch gives them there."""
