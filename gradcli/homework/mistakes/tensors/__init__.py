"""Mistakes in the derivatives of tensors: layout, broadcasting, products of matrices, means, softmax."""
