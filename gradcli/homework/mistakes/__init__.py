"""The catalogue of mistakes, a family a file.

A generator makes the wrong numbers; a title and a sentence say what went wrong.
"""
