"""Columns: the plan of a program as a function of numpy arrays and Arrow batches, and files of columns."""
