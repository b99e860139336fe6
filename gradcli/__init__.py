"""gradcli explains reverse-mode automatic differentiation.

>>> import gradcli
>>> gradcli.gradients("z=(x1+a*x2)**2", x1=1, a=2, x2=3)
{'x1': 14.0, 'a': 42.0, 'x2': 28.0}
>>> explanation = gradcli.explain("z=(x1+a*x2)**2", {"x1": 1, "a": 2, "x2": 3})
>>> explanation
<Explanation of 'z=(x1+a*x2)**2': value=49.0, d_x1=14.0, d_a=42.0, d_x2=28.0>
>>> explanation.formulas["a"]
'2*x2*(x1 + a*x2)'
>>> [(node.name, float(node.grad)) for node in explanation.nodes if node.kind == "op"]
[('v1', 14.0), ('v2', 14.0), ('z', 1.0)]

On a program: `explain` and `gradients`, `symbolic` for formulas, `jacobian`, `hessian`, `verify`, and `columns` for
many points. On a PyTorch snippet: `run` and `why`. On a live graph of torch: `from_torch`, `why`,
`watch`. On homework: `grade`.

`print(explanation)` is the lesson; `explanation.to_dict()`, `.to_json()`, `.to_text()` and `.save("lesson.html")` give
other forms of it. Explanations pickle, functions may be called from any thread, and what goes wrong is a GradcliError:
a UsageError, ProgramSyntaxError or EvaluationError (and of that, in torch's words, an AutogradError). A warning is a
GradcliWarning.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Not in __all__, or each of them would take a screen of `help(gradcli)`.
from gradcli.errors import AutogradError as AutogradError
from gradcli.errors import EvaluationError as EvaluationError
from gradcli.errors import FailedRecordsError as FailedRecordsError
from gradcli.errors import GradcliError as GradcliError
from gradcli.errors import GradcliWarning as GradcliWarning
from gradcli.errors import InternalError as InternalError
from gradcli.errors import ProgramSyntaxError as ProgramSyntaxError
from gradcli.errors import ShapeError as ShapeError
from gradcli.errors import UnsupportedHere as UnsupportedHere
from gradcli.errors import UsageError as UsageError

if TYPE_CHECKING:
    from gradcli.library import (
        columns,
        explain,
        from_torch,
        grade,
        gradients,
        hessian,
        jacobian,
        run,
        symbolic,
        verify,
        watch,
        why,
    )

__version__ = "0.1.0"
__all__ = [
    "columns",
    "explain",
    "from_torch",
    "grade",
    "gradients",
    "hessian",
    "jacobian",
    "run",
    "symbolic",
    "verify",
    "watch",
    "why",
]


def __getattr__(name: str) -> Any:
    """Return a function of the library, which is imported when it is first asked for: numpy takes a while."""
    if name in __all__:
        function = globals()[name] = getattr(import_module("gradcli.library"), name)
        return function
    raise AttributeError(f"module 'gradcli' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook the magics, for `%load_ext gradcli`."""
    from gradcli import notebook

    notebook.load_ipython_extension(shell)
