"""`__torch_function__`: classes and modes of a snippet that stand in for torch's functions."""
