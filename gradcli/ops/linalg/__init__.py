"""Linear algebra: determinants, decompositions, systems of equations, norms of matrices."""
