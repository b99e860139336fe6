"""The symbolic carrier: rules run over formulas as they run over arrays.

Each primitive declares its notation.
"""
