"""The errors that stop a snippet besides Python's own exceptions, and the Python exception that each stands for.

E105  syntax that Python has and snippets have not        exit 2
E401  a module or name that is not there                  exit 3
E402  an exception that the snippet did not catch         exit 3
E403  a limit: steps, time, memory, sizes, output         exit 3
"""

from __future__ import annotations

from gradcli.errors import AutogradError, EvaluationError, GradcliError


class UnsupportedError(EvaluationError):
    """A name of torch or Python that is not supported.

    A snippet that caught one would go on and print what torch would not: see `is_final`.
    """

    def __init__(self, message: str, *, python: type[Exception] = AttributeError, help: str = "") -> None:
        super().__init__("E401", message, label="not supported", help=help)
        self.python = python


def is_final(error: BaseException) -> bool:
    """Whether the snippet ends here: it may go on only without a module or a function of Python, as it would there."""
    absent = isinstance(error, UnsupportedError) and issubclass(error.python, ImportError | NameError)
    return isinstance(error, GradcliError) and error.code == "E401" and not absent


class LinAlgError(RuntimeError):
    """A matrix for which an algorithm fails; torch's class has this name and module too."""


LinAlgError.__name__, LinAlgError.__module__ = "_LinAlgError", "torch._C"
SINGULAR = (
    "The diagonal element",
    "The factorization could not be completed",
    "the input matrix is singular.",
    "The algorithm failed to converge",
)


class LimitError(EvaluationError):
    """A limit that no `except` of a snippet catches."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__("E403", message, help=help)


class ExitError(EvaluationError):
    """The end of a snippet by `sys.exit` with a code that is not 0."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__("E402", message, help=help)


INDEX_ERRORS = (
    "Dimension out of range",
    "index out of range",
    "to have non-zero size.",
    "index_select(): Index is supposed",
    "argmax(): Expected reduction",
    "argmin(): Expected reduction",
    "out of range for tensor",
    "start out of range",
    "out of range: tried",
    "from an empty tensor",
    "into an empty tensor",
    "tensor has no dimensions",
    "select() cannot be applied",
    "slice() cannot be applied",
    "out of bounds for dimension",
    "is out of bounds.",
    "invalid index of",
    "too many indices",
    "valid indices",
    "tensors used as indices",
    "The shape of the mask",
    "indexing tensors could not be broadcast",
)

VALUE_ERRORS = (
    "expected a non-empty list of Tensors",
    "step must be greater than zero",
    "slice step cannot be zero",
    "'shape' cannot have negative values",
    "Input dimension should be at least",
    " is not a valid value for ",
    " is not valid",
    "var has negative entry/entries",
    "var is of incorrect size",
    "Input tensor must have at least",
)
RUNTIME_ERRORS = ("unflatten got an unexpected error",)  # whatever its words are
TYPE_ERRORS = ("expected 'indices' to be integer dtype",)
NOT_IMPLEMENTED = (" not implemented for '", "combinations for non-constant padding", "Unrecognised padding mode")


def python_class(error: BaseException) -> type[BaseException]:
    """Return the exception class that Python or torch would raise in the place of one of our errors."""
    if isinstance(error, UnsupportedError):
        return error.python
    if not isinstance(error, GradcliError):
        return type(error)
    if error.code in ("E203", "E204") or any(words in error.message for words in TYPE_ERRORS):
        return TypeError
    if any(words in error.message for words in NOT_IMPLEMENTED):
        return NotImplementedError
    if any(words in error.message for words in VALUE_ERRORS):
        return ValueError
    if error.message.startswith(RUNTIME_ERRORS):
        return RuntimeError
    if any(words in error.message for words in SINGULAR):
        return LinAlgError
    if isinstance(error, AutogradError) and any(words in error.message for words in INDEX_ERRORS):
        return IndexError
    return RuntimeError
