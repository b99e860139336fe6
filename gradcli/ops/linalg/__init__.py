"""Linear algebra: matrix products, determinants, decompositions, systems of equations."""
