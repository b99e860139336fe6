"""The samples that torch has of its own operators, run as snippets here and in torch.

python -m tests.sweep                        every sample, at most ten of a form, in a minute or two
python -m tests.sweep --only max_pool        the operators whose name has these words
python -m tests.sweep --edges --most 1         calls of every operation of ours that the samples leave out
python -m tests.sweep --modules --most 2       torch's samples of its modules
python -m tests.sweep --further --most 3       torch's samples with other operands, and called in other ways
python -m tests.sweep --varied --most 2        torch's samples with one more argument
python -m tests.sweep --numbers --most 2       torch's samples with other numbers, and what their gradients are asked
python -m tests.sweep --kind in_place --show 3
"""
