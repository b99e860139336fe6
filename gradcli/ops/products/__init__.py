"""Products of vectors, matrices and tensors: sums of products, lowered as torch lowers them."""
