"""`np.linalg`: numpy's own functions of matrices, measured first, and given finite numbers where they iterate."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import is_finite
from gradcli.script.numpy.values import fits, value
from gradcli.script.python.members.tables import TABLES, describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, with_fields
from gradcli.script.python.values.attributes import BuiltinType, Namespace

LINALG = "norm inv det solve eig eigh eigvals eigvalsh svd qr cholesky pinv matrix_rank lstsq slogdet cond matrix_power"
SVD, EIGENVALUES = "SVD did not converge", "Eigenvalues did not converge"
ITERATING = {  # numpy's message where an algorithm does not converge
    **dict.fromkeys(("svd", "pinv", "matrix_rank", "cond", "norm"), SVD),
    "lstsq": f"{SVD} in Linear Least Squares",
    **dict.fromkeys(("eigh", "eigvalsh"), EIGENVALUES),
}
ORDERS = {"cond": (None, 2, -2), "norm": (2, -2, "nuc")}  # functions that compute singular values


def measured(name: str) -> Callable[..., Any]:
    """Wrap a function of matrices, whose work grows with the third power of their size."""
    function = getattr(np.linalg, name)

    def call(*arguments: Any, **options: Any) -> Any:
        values: list[Any] = [x if x is None or isinstance(x, str | tuple) else value(x) for x in arguments]
        for argument in values:
            fits(max(np.shape(argument)[-2:], default=0) ** 3 // 100 if np.ndim(argument) > 1 else 0)
        check_finite(name, values, options)
        result = function(*values, **options)
        if hasattr(type(result), "_fields") and type(result) not in TABLES:
            open_up(type(result))
        return result

    return call


def open_up(kind: Any) -> None:
    """Let snippets read one of numpy's types of tuples whose items have names."""
    fields: tuple[str, ...] = kind._fields
    describe(
        kind,
        methods=TABLES[tuple].methods | {"_asdict": kind._asdict, "_replace": kind._replace},
        getters={"_fields": lambda value: fields} | {field: itemgetter(place) for place, field in enumerate(fields)},
    )
    REPRESENTATIONS[kind] = lambda value: with_fields(kind.__name__, zip(fields, value, strict=True))


def check_finite(name: str, values: list[Any], options: dict[str, Any]) -> None:
    """LinAlgError, in numpy's words, in front of an algorithm that iterates towards nan."""
    if name in ORDERS:
        order = values[1] if len(values) > 1 else options.get("p", options.get("ord"))
        if (order if isinstance(order, str) or order is None else float(order)) not in ORDERS[name]:
            return
    least = 2 if name == "norm" else 1  # the norm of a vector is a sum
    arrays = (x for x in (*values, *options.values()) if np.ndim(x) >= least and np.asarray(x).dtype.kind == "f")
    if name in ITERATING and not is_finite(*arrays):
        raise np.linalg.LinAlgError(ITERATING[name])


def namespace() -> Namespace:
    """The module `numpy.linalg`."""
    error = BuiltinType("LinAlgError", np.linalg.LinAlgError, np.linalg.LinAlgError, module="numpy.linalg")
    functions = {name: measured(name) for name in LINALG.split()}
    return Namespace("numpy.linalg", {**functions, "LinAlgError": error})
