"""Explanations and causes of live graphs of torch, which this room alone imports, and only where one is given to it."""
