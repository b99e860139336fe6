"""`torch.utils.data`: datasets, samplers, the loader of batches."""
