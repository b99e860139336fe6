"""The module `numpy` and its submodules `random`, `linalg` and `testing`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.script.errors import UnsupportedError
from gradcli.script.numpy import draws, matrices
from gradcli.script.numpy.functions import ALGEBRA, CREATION, FUNCTIONS
from gradcli.script.numpy.methods import ABSTRACT, NDARRAY
from gradcli.script.numpy.positions import WALKS
from gradcli.script.numpy.values import SCALARS, array, asarray, dtype_of, fit_together, value
from gradcli.script.python.members.tables import members_named
from gradcli.script.python.values.attributes import Namespace
from gradcli.script.stdlib.contexts import nullcontext

TESTING = (
    "assert_allclose assert_array_equal assert_equal assert_almost_equal assert_array_almost_equal assert_array_less"
)
PRINTED = ("precision", "threshold", "edgeitems", "linewidth", "suppress")
LONGEST = 10_000  # entries of an array that is printed in full


def set_printoptions(**options: Any) -> None:
    """Set how arrays are printed from now on."""
    supported = {name: options[name] for name in PRINTED if options.get(name) is not None}
    if "threshold" in supported:
        supported["threshold"] = int(min(supported["threshold"], LONGEST))
    np.set_printoptions(**supported)


def asserting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a check of `np.testing`: AssertionError with numpy's words."""

    def call(actual: Any, desired: Any, *rest: Any, **options: Any) -> None:
        values = [value(x) for x in (actual, desired)]
        fit_together(*values)
        named = {name: x if isinstance(x, str) else value(x) for name, x in options.items()}
        function(*values, *map(value, rest), **named)

    return call


def find(name: str) -> Any:
    """Return a submodule, which is loaded now."""
    if name == "random":
        try:
            import numpy.random  # noqa: F401
        except ImportError:  # behind a wall it is there for a snippet that mentions it
            raise UnsupportedError(
                "numpy.random is here where its name is written out", help="write np.random"
            ) from None
        return draws.namespace("numpy.random")
    if name == "linalg":
        return matrices.namespace()
    if name == "testing":
        return Namespace("numpy.testing", members_named(np.testing, TESTING, asserting))
    return None


MEMBERS: dict[str, Any] = {
    **FUNCTIONS,
    **CREATION,
    **ALGEBRA,
    **WALKS,
    **SCALARS,
    **ABSTRACT,
    "bool_": SCALARS["bool"],
    "double": SCALARS["float64"],
    "single": SCALARS["float32"],
    "ndarray": NDARRAY,
    "asanyarray": asarray,
    "ascontiguousarray": lambda a, dtype=None: np.ascontiguousarray(array(a, dtype, copy=None)),
    "dtype": dtype_of,
    "finfo": lambda dtype: np.finfo(dtype_of(dtype)),
    "iinfo": lambda dtype: np.iinfo(dtype_of(dtype)),
    "isscalar": lambda x: isinstance(x, int | float | str | np.generic),
    "set_printoptions": set_printoptions,
    "errstate": lambda **_: nullcontext(),
    "seterr": lambda **_: {},
    "array2string": lambda a, **_: str(a),
    "newaxis": None,
    **members_named(np, "True_ False_ pi e inf nan euler_gamma __version__"),
}


def namespace(name: str) -> Namespace:
    """Return the module `numpy`."""
    return Namespace(name, MEMBERS, find, known=("random", "linalg", "testing"))
