"""The gradients as formulas: as the rules give them, and as a person writes them."""
