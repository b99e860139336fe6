"""The catalogue of mistakes, a family a file.

A mistake has a title, and generators of the wrong numbers that it gives.
"""
