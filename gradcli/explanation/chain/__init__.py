"""The chain rule as a reader follows it: marked edges, sums over consumers, paths, one derivation a variable."""
