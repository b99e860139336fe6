"""Index formulas that depend on shapes and options, for declarations."""
