"""One line of what to do about an error that a snippet did not catch."""

from __future__ import annotations

import re

# What the message says, and what to do about it; the first that fits is given.
ADVICE = [
    (
        r"implicitly created only for scalar",
        "reduce the output first, loss.sum().backward(), or give backward(gradient)",
    ),
    (
        r"backward through the graph a second time",
        "write backward(retain_graph=True) in the first call, or compute the output again before the second",
    ),
    (
        r"element \d+ of tensors does not require grad",
        "no leaf below it has requires_grad=True, or it was made inside no_grad() or after detach()",
    ),
    (r"a view of a leaf Variable", "change it inside torch.no_grad(), or change a clone() of the leaf"),
    (
        r"a leaf Variable that requires grad",
        "change it inside torch.no_grad(), or write the out-of-place form x = x + 1",
    ),
    (
        r"modified by an inplace operation",
        "change a clone() instead, or write the out-of-place form of the operation",
    ),
    (r"Can't call numpy\(\)", "write x.detach().numpy()"),
    (r"appears to not have been used in the graph", "pass allow_unused=True to get None for it"),
    (r"One of the differentiated Tensors", "make it with requires_grad=True before it is used"),
    (
        r"Only Tensors of floating point|only Tensors of floating point",
        "write the data with a point, 1.0, or give dtype=torch.float32",
    ),
    (r"only change requires_grad flags of leaf", "write y = x.detach() for a tensor outside the graph"),
    (
        r"can't retain_grad|cannot register a hook",
        "the tensor needs requires_grad=True, or a leaf below it does",
    ),
    (r"Mismatch in shape: grad_output", "the gradient given to backward must have the shape of the output"),
    (
        r"shapes cannot be multiplied",
        "the columns of the first must be the rows of the second: print both .shape, transpose one with .T",
    ),
    (
        r"size of tensor a .* must match the size of tensor b",
        "print both .shape; unsqueeze(dim) or reshape() makes them fit",
    ),
    (
        r"shape '.*' is invalid for input of size",
        "the product of the sizes must stay the same; -1 stands for the one that follows",
    ),
    (
        r"converted to Scalar|only one element tensors",
        "pick an entry, x[0].item(), or reduce it, x.sum().item(); tolist() gives all",
    ),
    (
        r"must have the same dtype|expected scalar type|expected m1 and m2",
        "make the dtypes equal: x.float(), y.float() or y.long()",
    ),
    (
        r"Boolean value of Tensor",
        "write (x > 0).all() or (x > 0).any(), or torch.where(condition, a, b) entry by entry",
    ),
    (r"Dimension out of range", "a tensor of n dimensions has dim 0 to n-1, or -n to -1"),
    (r"out of bounds for dimension|out of range", "indices count from 0 to size - 1; print x.shape"),
    (r"not compiled with CUDA", "leave the device out, or choose it with torch.cuda.is_available()"),
    (r"could not infer output dtype", "convert it first: x.float().mean()"),
    (
        r"optimizer got an empty parameter list",
        "pass the parameters: torch.optim.SGD(model.parameters(), lr=0.1)",
    ),
    (r"can't optimize a non-leaf", "optimise the leaf itself; detach().requires_grad_() makes a new one"),
    (r"has no attribute", "print type(x).__name__ to see what it is"),
    (r"is not callable", "take the brackets away, or see whether its name was assigned to something else"),
    (r"is not subscriptable|not iterable", "print its type: it has no items"),
    (r"maximum recursion depth", "the function calls itself without end: check where it stops"),
    (r"before .*Module.__init__", "call super().__init__() first in __init__"),
    (r"unsupported operand type", "print the types on both sides: one may be None or text"),
    (
        r"missing \d+ required .*argument|positional argument.* but|unexpected keyword",
        "compare the call with the definition",
    ),
]

BY_KIND = {
    "NameError": "assign it first, or import it; names are told apart by capitals",
    "UnboundLocalError": "a function that assigns a name makes it local: assign it first, or write global or nonlocal",
    "KeyError": "print the keys: list(d) shows what there is",
    "IndexError": "print the length: indices count from 0 to len(x) - 1",
    "ZeroDivisionError": "guard the division, or divide tensors, which gives inf",
    "AssertionError": "print both sides of the assertion",
    "TypeError": "print the types of what is passed",
    "ValueError": "print what is passed",
    "AttributeError": "print type(x).__name__ to see what it is",
}


def advice(kind: str, message: str) -> str:
    """What to do about an error of this kind; empty where nothing is known."""
    for pattern, words in ADVICE:
        if re.search(pattern, message):
            return words
    return BY_KIND.get(kind, "")


SYNTAX = [
    (r"never closed", "add the closing bracket"),
    (r"unmatched|does not match", "one bracket too many, or of the wrong kind"),
    (r"expected ':'", "end the line with a colon"),
    (r"indent", "indent each line of a block by the same four spaces"),
    (r"unterminated", "close the quotes"),
    (r"forgot a comma", "put a comma between the values"),
    (r"Missing parentheses in call", "write print(...)"),
    (r"meant '=='", "= assigns, == compares"),
    (r"nested", "split it into several statements"),
    (r"cannot assign", "only names, attributes and items can be assigned to"),
]


def syntax_advice(message: str) -> str:
    """What to do about text that Python cannot read."""
    found = (words for pattern, words in SYNTAX if re.search(pattern, message))
    return next(found, "Python cannot read this: look at the line above it, too")
