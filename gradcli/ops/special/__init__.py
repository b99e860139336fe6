"""Special functions of each entry: Bessel and gamma functions, areas under the bell curve."""
