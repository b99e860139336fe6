"""The same entries in another arrangement: reshape, permute, join, split, create."""
