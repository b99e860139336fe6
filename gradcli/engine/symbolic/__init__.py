"""The symbolic carrier: rules run over formulas as they run over arrays.

An application of a primitive is written in the notation that it declares.
"""
