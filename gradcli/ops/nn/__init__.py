"""Operations of neural networks: activations, normalization, losses.

Each gives a finite result wherever its mathematical value is finite.
"""
