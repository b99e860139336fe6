"""The module `torch` as snippets see it, in rooms named after its submodules.

Arguments, messages and random numbers are those of torch.
"""
