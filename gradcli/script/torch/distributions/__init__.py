"""`torch.distributions`: parameters, samples, log-probabilities."""
