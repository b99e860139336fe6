"""Homework that is code: engines and backward passes of layers, run behind the walls and compared with gradcli's own.

`cases` has the graphs and the texts that run them, `repairs` the changes that undo a mistake, `marking` the verdicts.
"""
