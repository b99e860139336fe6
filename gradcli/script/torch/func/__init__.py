"""`torch.func`: functions that make functions of derivatives."""
