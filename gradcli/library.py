"""The functions of `import gradcli`, each for whoever has a program, a snippet or an assignment as text.

They work in this process, without limits or walls, but for `run` and `why` of a snippet; threads take turns.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from numpy.typing import ArrayLike, NDArray

from gradcli import notebook
from gradcli.engine.modes import ENGINE
from gradcli.errors import EvaluationError, GradcliError, InternalError, UsageError
from gradcli.explanation import build
from gradcli.explanation.formulas.simplified import simplified, size_of
from gradcli.explanation.model import Explanation
from gradcli.language.parser import parse_program
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Expression, Program
from gradcli.language.unparser import unparse
from gradcli.notebook import Findings, Graded, Shown
from gradcli.source import Source

if TYPE_CHECKING:
    from gradcli.explanation.verify import Verification
    from gradcli.live.causes import Watch
    from gradcli.stream.arrow.tables import Columns

Dtype = Literal["float64", "float32"]
Number = float | NDArray[Any]
Values = Mapping[str, ArrayLike]
LONGEST = 15_000  # nodes of one formula that is written out


def explain(
    program: str,
    values: Values | None = None,
    /,
    *,
    wrt: str | Sequence[str] | None = None,
    of: str | None = None,
    upstream: ArrayLike | None = None,
    dtype: Dtype = "float64",
    **variables: ArrayLike,
) -> Shown:
    """Explain a program of the expression language at a point.

    The variables get numbers, nested lists or arrays, as keywords or in the mapping `values`, which also takes names
    such as `of`. `wrt` are the variables to differentiate by (all), `of` is the name of the output (the last
    statement), `upstream` the gradient that enters there (1, and needed where the output is no scalar).

    `str()` of the result is the lesson, `.to_dict()` its document, `.gradients` and `.formulas` are by variable.
    In notebooks it displays itself. Raises GradcliError.
    """
    with _parsed(program) as parsed:
        point = _point(values, variables)
        explanation = build.explain(parsed, point, wrt=_names(wrt), of=of, upstream=upstream, dtype=dtype)
        return Shown.of(simplified(explanation))


def gradients(
    program: str,
    values: Values | None = None,
    /,
    *,
    wrt: str | Sequence[str] | None = None,
    of: str | None = None,
    upstream: ArrayLike | None = None,
    dtype: Dtype = "float64",
    **variables: ArrayLike,
) -> dict[str, Number | None]:
    """Return the gradient by variable: a float for a scalar, an array otherwise.

    It is None where the output does not depend on the variable. The arguments are those of `explain`.
    """
    with _parsed(program) as parsed:
        point = _point(values, variables)
        result = build.gradients(parsed, point, wrt=_names(wrt), of=of, upstream=upstream, dtype=dtype)
        return {name: None if value is None else notebook.number(value) for name, value in result.by.items()}


def symbolic(
    program: str,
    values: Mapping[str, ArrayLike | str] | None = None,
    /,
    *,
    wrt: str | Sequence[str] | None = None,
    of: str | None = None,
    **variables: ArrayLike | str,
) -> dict[str, str | None]:
    """Return the gradient by variable as a formula, which holds at any point.

    A variable needs no value and is a number then; a text is its shape, in names of sizes: `X="n,d"`. A formula is
    None where the output does not depend on the variable, and where it would be too long.

    >>> symbolic("sum((X @ w - y)**2)", X="n,d", w="d", y="n", wrt="w")
    {'w': '2*X.T @ (X @ w - y)'}
    """
    from gradcli.commands.inputs.bindings import read_shape
    from gradcli.explanation.sizes.generic import explain_anywhere, explain_at_any_size
    from gradcli.explanation.values import placeholders

    with _parsed(program) as parsed:
        point = _point(values, variables)
        dims = {name: read_shape(value) for name, value in point.items() if isinstance(value, str)}
        numbers = {name: value for name, value in point.items() if name not in dims}
        names = _names(wrt)
        if dims:
            explanation = explain_at_any_size(parsed, dims, numbers, wrt=names, of=of, is_traced=False)
        elif made_up := placeholders(parsed, numbers):
            explanation = explain_anywhere(parsed, made_up, numbers, is_raw=False, wrt=names, of=of)
        else:
            explanation = simplified(build.explain(parsed, numbers, wrt=names, of=of))
        return dict(_formulas(explanation))


def jacobian(
    program: str,
    values: Values | None = None,
    /,
    *,
    wrt: str | Sequence[str] | None = None,
    of: str | None = None,
    dtype: Dtype = "float64",
    **variables: ArrayLike,
) -> dict[str, Number]:
    """Return the derivative of every entry of the output by variable, in the shape of the output and the variable."""
    from gradcli.explanation.derivatives import total

    with _parsed(program) as parsed:
        point = _point(values, variables)
        results = total.derivatives(parsed, point, 1, mixed=False, wrt=_names(wrt), of=of, dtype=dtype)
        return {x.by[0]: notebook.number(x.value) for x in results}


def hessian(
    program: str,
    values: Values | None = None,
    /,
    *,
    wrt: str | Sequence[str] | None = None,
    of: str | None = None,
    dtype: Dtype = "float64",
    **variables: ArrayLike,
) -> dict[tuple[str, str], Number]:
    """Return the second derivatives by pairs of variables, each pair once, in the shapes of the output and of both."""
    from gradcli.explanation.derivatives import total

    with _parsed(program) as parsed:
        point = _point(values, variables)
        results = total.derivatives(parsed, point, 2, mixed=True, wrt=_names(wrt), of=of, dtype=dtype)
        return {(x.by[0], x.by[1]): notebook.number(x.value) for x in results}


def verify(
    program: str,
    values: Values | None = None,
    /,
    *,
    wrt: str | Sequence[str] | None = None,
    of: str | None = None,
    upstream: ArrayLike | None = None,
    dtype: Dtype = "float64",
    **variables: ArrayLike,
) -> Verification:
    """Compute each gradient by the chain rule, by the engine and by difference quotients; `.agrees` says how it ends.

    `.rows` have the three by variable, each with its outcome and, where it cannot be judged, the reason.
    """
    from gradcli.explanation.verify import verify as verified

    with _parsed(program) as parsed:
        point = _point(values, variables)
        return verified(parsed, point, wrt=_names(wrt), of=of, upstream=upstream, dtype=dtype)


def columns(program: str, /, wrt: str | Sequence[str] | None = None, *, of: str | None = None, **fixed: Any) -> Columns:
    """Return a program as a function from columns to columns, with a point in each row.

    >>> f = columns("z=(x1+a*x2)**2", a=2.0, wrt=["x1", "x2"])
    >>> result = f(x1=[1.0, 0.5], x2=[3.0, 4.0])
    >>> result.value.tolist(), result.gradients["x1"].tolist()
    ([49.0, 72.25], [14.0, 17.0])

    `fixed` are values that hold for all rows; `upstream` and `dtype` are read first, as `explain` has them. With
    pyarrow, `f.record_batch(batch)` takes and gives record batches, and `f.schema(schema)` says which. The results are
    to the last bit those of each row alone. Raises GradcliError.
    """
    from gradcli.stream.arrow.tables import Columns
    from gradcli.stream.plan import Task

    options = {name: fixed.pop(name) for name in ("upstream", "dtype") if name in fixed}
    return Columns(Task(program, fixed=fixed, wrt=_names(wrt), of=of, **options))


def run(snippet: str | os.PathLike[str], /, *, timeout: float = 60.0) -> dict[str, Any]:
    """Run a PyTorch snippet, its text or the path of its file, and return the document of `gradcli run --json`.

    `document["printed"]` is what torch would print, `document["timeline"]` what each line did,
    `document["error"]` the error that ended it or None. It works in a process of its own, within the limits and behind
    the walls of the command line.
    """
    return _document("run", snippet, timeout)


@overload
def why(what: Explanation | str | os.PathLike[str], /, *names: str, timeout: float = 60.0) -> Findings: ...


@overload
def why(loss: Any, /, model: Any = None, optimizer: Any = None) -> Findings: ...


def why(what: Any, /, *about: Any, model: Any = None, optimizer: Any = None, timeout: float = 60.0) -> Findings:
    """Return why gradients are None, zero, nan or doubled: the causes, most suspicious first; they display themselves.

    `what` is a PyTorch snippet, its text or the path of its file, which runs as in `run`, or what `explain` returned;
    names that follow are the tensors to ask about, or else all. Raises the error of a snippet that cannot be read.

    Or `what` is the loss of a live graph of torch, which is left as it is: with a `model` also the parameters that the
    graph lacks are told, with an `optimizer` those that it lacks. Names are those of the model's parameters and of the
    caller's variables.
    """
    from gradcli.findings import catalogue  # noqa: F401  declares the causes
    from gradcli.findings.examination import examine_program
    from gradcli.findings.finding import Finding

    if isinstance(what, Explanation):
        with ENGINE:
            return Findings(examine_program(what, what.program).findings)
    if not isinstance(what, str | os.PathLike):
        from gradcli.live.causes import graph_findings
        from gradcli.live.names import tensors_of

        caller = sys._getframe(1)
        model, optimizer = (*about, *(model, optimizer)[len(about) :])
        return Findings(graph_findings(what, tensors_of((caller.f_locals, caller.f_globals)), model, optimizer))
    document = _document("why", what, timeout, *about)
    findings = Findings(Finding(**{**facts, "see": tuple(facts["see"])}) for facts in document.get("findings", ()))
    if document.get("error") and not findings:
        error_facts = document["error"]
        raise EvaluationError(error_facts["code"], error_facts["message"], help=error_facts["help"] or "")
    return findings


def watch(model: Any, optimizer: Any) -> Watch:
    """Watch a loop of torch, `with gradcli.watch(model, optimizer) as watched:`, for `watched.findings` afterwards."""
    from gradcli.findings import catalogue  # noqa: F401  declares the causes
    from gradcli.live.causes import Watch

    return Watch(model, optimizer)


def from_torch(loss: Any, names: Mapping[str, Any] | None = None) -> Shown:
    """Explain the live graph of a tensor of torch, and leave it as it is.

    `loss` is of any shape; where it is no scalar, a gradient of ones enters. `names` gives tensors their names, as
    `dict(model.named_parameters())` does; without it they are those of the caller's variables. Torch computes each
    contribution; hooks are not fired, `.grad` is not written, and `loss.backward()` works afterwards. Raises
    GradcliError for a graph that was freed or compiled.
    """
    from gradcli.live.explained import explain_graph
    from gradcli.live.names import checked_names, tensors_of

    if names is None:
        caller = sys._getframe(1)
        names = tensors_of((caller.f_locals, caller.f_globals))
    else:
        names = checked_names(names)
    with ENGINE:
        return Shown.of(explain_graph(loss, names))


def grade(assignment: str, answers: str) -> Graded:
    """Grade the text of a submission for the text of an assignment; in a notebook the result displays itself."""
    with ENGINE:
        return notebook.grade(assignment, answers)


@contextmanager
def _parsed(program: str) -> Iterator[Program]:
    """Give the program, while no other thread computes."""
    with ENGINE:
        yield parse_program(Source(program))


def _point(values: Mapping[str, Any] | None, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by variable. Raises UsageError for one that is given twice."""
    if values and (twice := values.keys() & variables.keys()):
        raise UsageError("E005", f"{min(twice)} is given twice", help="give it as a keyword, or in the mapping")
    return {**(values or {}), **variables}


def _names(wrt: str | Sequence[str] | None) -> tuple[str, ...] | None:
    return None if wrt is None else (wrt,) if isinstance(wrt, str) else tuple(wrt)


def _formulas(explanation: Explanation) -> Iterator[tuple[str, str | None]]:
    """Yield the gradients as texts over the variables alone."""
    trees: dict[str, Expression] = {}
    for x in explanation.intermediates:
        trees[x.name] = substitute(x.expression, trees)
        if size_of(trees[x.name]) > LONGEST:
            break
    missing = {x.name for x in explanation.intermediates} - trees.keys()
    for leaf in explanation.leaves:
        yield leaf.name, None if leaf.formula is None or missing else unparse(substitute(leaf.formula, trees))


def _document(command: str, snippet: str | os.PathLike[str], timeout: float, *arguments: str) -> dict[str, Any]:
    """Return the document that a command prints about a snippet, from a process of its own."""
    is_text = isinstance(snippet, str)
    file, text = ("-", str(snippet)) if is_text else (os.fspath(snippet), None)
    if not is_text and not Path(file).exists():
        raise UsageError("E003", f"cannot read {file}: No such file or directory", help="check the path")
    process = notebook.run([command, file, *arguments, "--json", "--timeout", str(timeout)], text)
    try:
        document: dict[str, Any] = json.loads(process.stdout)
    except ValueError:
        raise InternalError(f"{command} ended with exit code {process.returncode}: {process.stderr[-500:]}") from None
    if document["schema"] == "gradcli.error/1":
        error_facts = document["error"]
        raise {2: UsageError, 3: EvaluationError}.get(process.returncode, GradcliError)(
            error_facts["code"], error_facts["message"], help=error_facts["help"] or ""
        )
    return document
