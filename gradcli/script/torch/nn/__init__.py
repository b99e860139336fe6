"""`torch.nn`: modules, layers, functions, initialization."""
