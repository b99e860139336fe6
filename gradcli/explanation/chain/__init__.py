"""The chain rule as a reader follows it: edges told apart, sums over consumers, paths, one derivation a variable."""
