"""Operations of neural networks: activations, normalization, losses.

Each is finite wherever its value is.
"""
