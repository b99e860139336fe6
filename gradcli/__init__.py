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
many points. On a PyTorch snippet: `run` and `why`. On a live graph of torch: `from_torch`. On homework: `grade`.

`print(explanation)` is the lesson; `explanation.to_dict()`, `.to_json()`, `.to_text()` and `.save("lesson.html")` give
other forms of it. Explanations pickle, functions may be called from any thread, and what goes wrong is a GradcliError.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gradcli.errors import (
    AutogradError,
    EvaluationError,
    GradcliError,
    GradcliWarning,
    InternalError,
    ProgramSyntaxError,
    ShapeError,
    UnsupportedHere,
    UsageError,
)

<<<<<<< HEAD
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
        why,
    )

__version__ = "0.1.0"
__all__ = [
    "AutogradError",
    "EvaluationError",
    "GradcliError",
    "GradcliWarning",
    "InternalError",
    "ProgramSyntaxError",
    "ShapeError",
    "UnsupportedHere",
    "UsageError",
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
    "why",
]
=======
    from gradcli.findings.torch_graphs import Watch
    from gradcli.notebook import Found, Graded, Shown
    from gradcli.stream.arrow.columns import Columns

__version__ = "0.1.0"
__all__ = ["columns", "explain", "from_torch", "grade", "gradients", "watch", "why"]
>>>>>>> cause


def __getattr__(name: str) -> Any:
    """Return a function of the library, which is imported when it is first asked for: numpy takes a while."""
    if name in __all__:
        found = globals()[name] = getattr(import_module("gradcli.library"), name)
        return found
    raise AttributeError(f"module 'gradcli' has no attribute {name!r}")


<<<<<<< HEAD
def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
=======
def explain_at(program: str, values: dict[str, Any], **options: Any) -> Shown:
    """Explain a program with the values in a dictionary; `options` are `wrt`, `of`, `upstream` and `dtype`."""
    from gradcli.explanation.build import explain
    from gradcli.explanation.formulas.simplified import simplified
    from gradcli.language.parser import parse_program
    from gradcli.notebook import Shown
    from gradcli.source import Source

    return Shown.of(simplified(explain(parse_program(Source(program)), values, **options)))


def from_torch(loss: Any, names: Mapping[str, Any] | None = None) -> Shown:
    """Explain the live graph of a tensor of torch, and leave it as it is.

    `loss` is of any shape; where it is no scalar, a gradient of ones enters. `names` gives tensors their names, as
    `dict(model.named_parameters())` does; without it they are those of the caller's variables. Torch computes each
    contribution; hooks are not fired, `.grad` is not written, and `loss.backward()` works afterwards. Raises
    gradcli.errors.GradcliError for a graph that was freed or compiled.
    """
    import sys

    from gradcli.live.explained import explained
    from gradcli.live.names import found, given
    from gradcli.notebook import Shown

    if names is None:
        caller = sys._getframe(1)
        names = found((caller.f_locals, caller.f_globals))
    else:
        names = given(names)
    return Shown.of(explained(loss, names))


def why(loss: Any, model: Any = None, optimizer: Any = None) -> Found:
    """Return what is suspicious in the live graph of a loss of torch, and leave it as it is; it displays itself.

    With a `model` also the parameters that the graph lacks, with an `optimizer` those that it lacks. Names are those
    of the model's parameters and of the caller's variables.
    """
    import sys

    from gradcli.findings import catalogue  # noqa: F401  declares the causes
    from gradcli.findings.torch_graphs import graph_findings
    from gradcli.live.names import found
    from gradcli.notebook import Found

    caller = sys._getframe(1)
    return Found(graph_findings(loss, found((caller.f_locals, caller.f_globals)), model, optimizer))


def watch(model: Any, optimizer: Any) -> Watch:
    """Watch a loop of torch, `with gradcli.watch(model, optimizer) as watched:`, for `watched.findings` afterwards."""
    from gradcli.findings import catalogue  # noqa: F401  declares the causes
    from gradcli.findings.torch_graphs import Watch

    return Watch(model, optimizer)


def gradients(program: str, /, **values: Any) -> dict[str, Any]:
    """Return the gradient by variable: a Python float for a scalar, an array otherwise, None where the output does not
    depend on the variable. The arguments are those of `explain`.
    """
    explanation = explain(program, **values)
    return {
        leaf.name: leaf.gradient.item() if leaf.gradient is not None and leaf.gradient.ndim == 0 else leaf.gradient
        for leaf in explanation.leaves
    }


def columns(program: str, /, wrt: Sequence[str] | None = None, **fixed: Any) -> Columns:
    """Return a program as a function from columns to columns, with a point in each row.

    >>> f = columns("z=(x1+a*x2)**2", a=2.0, wrt=["x1", "x2"])
    >>> result = f(x1=[1.0, 0.5], x2=[3.0, 4.0])
    >>> result.value.tolist(), result.gradients["x1"].tolist()
    ([49.0, 72.25], [14.0, 17.0])

    `fixed` are values that hold for all rows; three more keywords are read first: `of`, `upstream` and `dtype`, as
    `explain_at` has them. With pyarrow, `f.record_batch(batch)` takes and gives record batches, and `f.schema(schema)`
    says which. The results are to the last bit those of each row alone. Raises gradcli.errors.GradcliError.
    """
    from gradcli.stream.arrow.columns import Columns
    from gradcli.stream.plan import Task

    options = {name: fixed.pop(name) for name in ("of", "upstream", "dtype") if name in fixed}
    named = None if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)
    return Columns(Task(program, fixed=fixed, wrt=named, **options))


def grade(assignment: str, answers: str) -> Graded:
    """Grade the text of a submission for the text of an assignment; in a notebook the result displays itself."""
    from gradcli import notebook

    return notebook.grade(assignment, answers)
>>>>>>> cause


def load_ipython_extension(shell: Any) -> None:
    """Give a notebook the magics, for `%load_ext gradcli`."""
    from gradcli import notebook

    notebook.load_ipython_extension(shell)
