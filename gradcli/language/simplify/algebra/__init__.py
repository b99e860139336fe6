"""Products and sums over the opaque parts of one formula, in one form for all that is equal by their laws."""
