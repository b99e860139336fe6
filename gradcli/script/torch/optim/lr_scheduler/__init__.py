"""`torch.optim.lr_scheduler`: schedules of learning rates."""
