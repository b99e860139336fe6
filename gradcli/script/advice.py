"""One line of advice on an error that a snippet did not catch."""

from __future__ import annotations

import re

# Patterns of messages, each with its advice; the first that fits is used, and `{1}` is the pattern's first group.
ADVICE = [
    # backward
    (
        r"implicitly created only for scalar",
        "reduce the output first, loss.sum().backward() or .mean(), or give a gradient of its shape to backward()",
    ),
    (
        r"backward through the graph a second time",
        "compute the output again before each backward(), or write backward(retain_graph=True) in the first call",
    ),
    (
        r"element \d+ of tensors does not require grad",
        "no leaf with requires_grad=True is left below it: look for one that is missing, for no_grad(), .detach(), "
        ".item() or torch.tensor(...) on the way (--explain says where)",
    ),
    (r"a view of a leaf Variable", "change it inside torch.no_grad(), or change a clone() of the leaf"),
    (
        r"a leaf Variable that requires grad",
        "change it inside torch.no_grad(), or write the out-of-place form x = x + 1",
    ),
    (
        r"modified by an inplace operation",
        "write the out-of-place form, x = x + 1 for x += 1, or change a clone() (--explain says which line changed it)",
    ),
    (r"Can't call numpy\(\)", "write x.detach().numpy()"),
    (r"appears to not have been used in the graph", "pass allow_unused=True to get None for it"),
    (r"One of the differentiated Tensors", "make it with requires_grad=True before it is used"),
    (
        r"[Oo]nly Tensors of floating point",
        "only floats have gradients: write the data with a point, 1.0, or give dtype=torch.float32",
    ),
    (r"only change requires_grad flags of leaf", "write y = x.detach() for a tensor outside the graph"),
    (r"can't retain_grad|cannot register a hook", "the tensor needs requires_grad=True, or a leaf below it does"),
    (r"Mismatch in shape: grad_output", "the gradient given to backward must have the shape of the output"),
    (
        r"returned nan values",
        "0 times infinity, or infinity less infinity: keep the input away from there (--explain says from where)",
    ),
    (r"Inference tensors", "use no_grad() in place of inference_mode(), or clone() the tensor outside of it"),
    (
        r"all elements of input should be between 0 and 1",
        "binary_cross_entropy wants probabilities: torch.sigmoid(x), or raw scores into BCEWithLogitsLoss",
    ),
    # custom functions
    (r"implement either the backward", "write a static method backward(ctx, gradient) into the class"),
    (
        r"incorrect number of gradients",
        "backward returns one gradient for each argument of forward, and None for those that have none",
    ),
    (r"returned an invalid gradient", "a gradient that backward returns has the shape of its argument of forward"),
    (r"Legacy autograd function", "call apply of the class, without making an object: y = Name.apply(x)"),
    # shapes
    (
        r"shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)",
        "{1} columns meet {2} rows: a layer needs in_features={1}; of two matrices transpose one with .T",
    ),
    (
        r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)",
        "{1} and {2} go together only where one of them is 1: print both .shape; unsqueeze(dim) or reshape() may fit",
    ),
    (
        r"shape '.*' is invalid for input of size (\d+)",
        "the sizes must have the product {1}; -1 stands for the one that follows from the others",
    ),
    (r"view size is not compatible", "write reshape() in place of view(), or .contiguous().view()"),
    (
        r"expanded size of the tensor",
        "only dimensions of size 1 can be expanded: print .shape, unsqueeze(dim) adds one",
    ),
    (r"stack expects each tensor to be equal size", "torch.cat joins along a dimension that may differ; or pad them"),
    (r"Sizes of tensors must match except", "cat joins along dim: all other sizes must be equal, print each .shape"),
    (
        r"inconsistent tensor size|1D tensors expected",
        "dot() takes two vectors of the same length; @ takes matrices too",
    ),
    (
        r"expected input\[.*\] to have (\d+) channels, but got (\d+)",
        "the layer takes {1} channels and the input has {2}: in_channels={2}, and the shape is (batch, channels, ...)",
    ),
    (r"Expected 3D .* or 4D|Expected 4D|Expected 2D .* or 3D", "images are (batch, channels, height, width)"),
    (r"Dimension out of range .*\[(-?\d+), (-?\d+)\]", "dim is {1} to {2} here: print x.shape"),
    (r"normalized_shape", "LayerNorm takes the last sizes of its input: print x.shape"),
    (r"running_mean should contain (\d+) elements not (\d+)", "the input has {1} channels: num_features={1}"),
    (r"must be equal to input_size. Expected \d+, got (\d+)", "the last size of the input is {1}: input_size={1}"),
    (
        r"t\(\) expects a tensor with",
        "name the two dimensions that change places: x.transpose(1, 2)",
    ),
    (r"desired ordering of dimensions", "permute names every dimension once: print x.shape"),
    (r"must be a matrix", "mm() takes two matrices; @ takes vectors too"),
    (r"assign a gradient of size", "a .grad has the shape of its tensor: print both .shape"),
    (r"shape of the mask", "a mask has the shape of what it picks from: print both .shape"),
    (r"Size mismatch between tensors", "all tensors need the same number of rows: print each len()"),
    (
        r"more than 1 value per channel",
        "batch norm needs more than one example in training: model.eval(), or more rows",
    ),
    # losses and dtypes
    (
        r"expected target dtype|expected scalar type Long|dtype .*Long but",
        "class labels are whole numbers: target.long()",
    ),
    (
        r"0D or 1D target tensor expected",
        "one label an example: target.squeeze(1), or target.argmax(dim=1) of one-hot rows",
    ),
    (
        r"(?:Using a (?:target|input)|^Target) size",
        "make the shapes equal: target.unsqueeze(1) adds a dimension, output.squeeze(1) drops it",
    ),
    (r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)", "{1} rows of scores need {1} labels, not {2}"),
    (r"can't be cast to the desired output type", "make the whole numbers floats before: y.float()"),
    (
        r"must have the same dtype|expected scalar type|expected m1 and m2|Found dtype (?:Double|Float)",
        "make the dtypes equal, x.float(): data from numpy are float64, layers are float32",
    ),
    (r"not implemented for '(Long|Int|Bool|Byte)'|[Cc]ould not infer output dtype|must be floating", "x.float() first"),
    (r"smaller than num_classes", "the labels count from 0 to num_classes - 1"),
    # values and indices
    (
        r"converted to Scalar|only one element tensors",
        "pick an entry, x[0].item(), or reduce it, x.sum().item(); tolist() gives all",
    ),
    (
        r"Boolean value of Tensor",
        "write (x > 0).all() or (x > 0).any(), or torch.where(condition, a, b) entry by entry",
    ),
    (r"index out of range in self", "an Embedding takes indices from 0 to num_embeddings - 1"),
    (r"tensors used as indices", "indices are whole numbers or masks: index.long()"),
    (r"only integers, slices", "indices are whole numbers: x[1] for x[1.0], i // 2 for i / 2"),
    (r"invalid index of a 0-dim tensor|iteration over a 0-d|len\(\) of a 0-d", "it is a single number: x.item()"),
    (r"too many indices", "it has fewer dimensions than that: print x.shape"),
    (r"out of bounds for dimension|out of range for tensor", "indices count from 0 to size - 1; print x.shape"),
    (r"not compiled with CUDA", "leave the device out, or choose it with torch.cuda.is_available()"),
    # modules and optimizers
    (
        r"optimizer got an empty parameter list",
        "it found no parameters: layers belong into attributes or nn.ModuleList, not into a plain list",
    ),
    (r"can't optimize a non-leaf", "optimise the leaf itself; detach().requires_grad_() makes a new one"),
    (r"params argument given to the optimizer", "give it a list, [w], or model.parameters()"),
    (r"'method' object is not iterable", "call it, with brackets: model.parameters()"),
    (r"'Sequential' object has no attribute", "print the model: layers of a Sequential have numbers, net[0]"),
    (r"before .*Module.__init__", "call super().__init__() first in __init__"),
    (r"cannot assign .* as parameter", "assign nn.Parameter(...), or change it inside no_grad(): weight.copy_(...)"),
    (r"missing the required \"forward\"", "define forward(self, x), spelt like this, in the class"),
    (r"Error\(s\) in loading state_dict", "build the model with the same layers and names as the one that was saved"),
    # Python
    (
        r"'NoneType' object (?:is|has)",
        "it is None: a function without return, or a .grad that no backward() has filled",
    ),
    (r"'float' object has no attribute '(backward|item|grad)'", "it is a plain number: leave .item() or float() out"),
    (r"'list' object has no attribute '(shape|size|dim|view|float|sum|mean)'", "make a tensor of it: torch.tensor(x)"),
    (r"'tuple' object has no attribute", "several values came back: take them apart, out, hidden = f(x)"),
    (r"'Tensor' object is not callable", "write square brackets for an entry, x[0], and * for a product"),
    (r"is not callable", "take the brackets away, or see whether its name was assigned to something else"),
    (r"does not support item assignment", "tuples and texts cannot be changed: use a list, or clone() of a tensor"),
    (r"is not subscriptable|not iterable|has no len\(\)", "print its type: it has no items"),
    (
        r"too many values to unpack|not enough values to unpack",
        "count the names on the left: print what is on the right",
    ),
    (r"can only concatenate|must be str, not", "put it into an f-string: f'{{x}}'"),
    (r"expected sequence of length", "every row needs the same number of entries"),
    (r"expected np.ndarray \(got", "torch.tensor(x) takes lists and numbers"),
    (r"infer dtype of NoneType", "None is no number: print what should have returned one"),
    (r"unhashable type", "keys are numbers, texts and tuples: tuple(x)"),
    (r"invalid literal for int|could not convert string", "only digits can be read as a number: print the text"),
    (r"maximum recursion depth", "the function calls itself without end: check where it stops"),
    (r"missing \d+ required positional argument: 'self'", "make an object of the class first: model = Net()"),
    (r"\w\.\w+\(\) takes 0 positional", "a method takes the object first: def name(self)"),
    (
        r"missing \d+ required .*argument|positional argument.* but|unexpected keyword",
        "compare the call with the definition",
    ),
    (r"'NoneType'", "it is None: a function without return, or a .grad that no backward() has filled"),
    (r"unsupported operand type", "print the types on both sides: one may be text or a list"),
    (r"has no attribute", "print type(x).__name__ to see what it is"),
]

BY_KIND = {
    "NameError": "assign it first, or import it; names are told apart by capitals",
    "UnboundLocalError": "a function that assigns a name makes it local: assign it first, or write global or nonlocal",
    "KeyError": "print the keys: list(d) shows what there is",
    "IndexError": "print the length: indices count from 0 to len(x) - 1",
    "ModuleNotFoundError": "snippets have torch, a small numpy, math, random, collections and their kin",
    "ZeroDivisionError": "guard the division, or divide tensors, which gives inf",
    "StopIteration": "the iterator is used up: iter(...) makes a new one",
    "AssertionError": "print both sides of the assertion",
    "TypeError": "print the types of what is passed",
    "ValueError": "print what is passed",
    "AttributeError": "print type(x).__name__ to see what it is",
    "RuntimeError": "print the .shape and .dtype of what is passed",
}


def advice(message: str) -> str:
    """Return advice on an error with this message; empty where none is known."""
    for pattern, words in ADVICE:
        match = re.search(pattern, message)
        if match:
            return words.format(match[0], *match.groups())
    return ""


SYNTAX = [
    (r"unexpected indent|unindent|inconsistent use of tabs|indented block", "indent a block by the same four spaces"),
    (r"never closed", "add the closing bracket"),
    (r"unmatched|does not match", "one bracket too many, or of the wrong kind"),
    (r"expected ':'", "end the line with a colon"),
    (r"unterminated|EOL", "close the quotes"),
    (r"forgot a comma", "put a comma or an operator between the values"),
    (r"Missing parentheses in call", "write print(...)"),
    (r"meant '=='|cannot assign to .* here", "= assigns, == compares"),
    (r"invalid non-printable|invalid character", "type the character again: it was pasted from a page"),
    (r"outside function", "return belongs into a def: indent it"),
    (r"outside loop|not properly in loop", "break and continue belong into a for or while: indent them"),
    (r"follows keyword argument|follows default argument", "those without a name or a default come first"),
    (r"keyword argument repeated", "give each keyword once"),
    (r"expected 'except'", "a try needs an except or a finally"),
    (r"invalid decimal literal", "names begin with a letter, and a product needs a *"),
    (r"f-string", "look at the braces and quotes inside the f-string"),
    (r"nested", "split it into several statements"),
    (r"cannot assign", "only names, attributes and items can be assigned to"),
]


def syntax_advice(message: str, line: str) -> str:
    """Return advice on a line that Python cannot read."""
    if line.lstrip().startswith((">>>", "...")):
        return "take the prompts >>> away, or save it as a .md page, in a block that begins with ```pycon"
    if line.lstrip().startswith(("%", "!")):
        return "that is a command for a notebook: take it away"
    advices = (words for pattern, words in SYNTAX if re.search(pattern, message))
    return next(advices, "Python cannot read this: look at the line above it, too")
