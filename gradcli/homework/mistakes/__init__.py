"""The catalogue of mistakes, a family a file, and related families a room.

A mistake has a title, and generators of the wrong numbers that it gives.
"""
