"""The pages on a program: the whole lesson, derivations, gradients, verification, the reference of operations."""
