"""Domains and kinks are true: in a domain an operation is finite and smooth, outside it is not, and at kinks it bends.

Each elementwise primitive is asked with the options and numbers of its examples, at random points and at those where
functions break.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np

import gradcli.ops
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor, is_floating
from tests.programs import EXAMPLES, of_every, run

gradcli.ops.load()
STEP = 1e-5
NEXT = 1e-10  # to a point beside a jump
SPECIAL = (-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.125, 0.25, 0.5, 0.875, 1.0, 1.5, 2.0, 3.0)
RANDOM = 60
EXPONENTS = (-2, -1, -0.5, 0, 1 / 3, 0.5, 1, 1.5, 2, 3)
ELEMENTWISE = [
    name
    for name, p in REGISTRY.items()
    if any(p.rules) and not p.structured and not p.variadic and not p.view and not name.endswith("_backward")
]
BENDING = [name for name, p in REGISTRY.items() if p.structured and p.kinks and "lenient" not in p.traits]


def room(name: str) -> str:
    """The module that declares a primitive."""
    return REGISTRY[name].forward.__module__.removeprefix("gradcli.ops.")


@cache
def applied() -> dict[str, list[Application]]:
    """Each primitive of the two lists as examples apply it."""
    found: dict[str, list[Application]] = {}
    for example in EXAMPLES:
        for line in run(example).evaluation.lines:
            if (made := line.application) and made.primitive.name in {*ELEMENTWISE, *BENDING}:
                found.setdefault(made.primitive.name, []).append(made)
    return found


@cache
def applications() -> dict[str, dict[str, Application]]:
    """Each elementwise primitive as examples apply it, by its options and numbers."""
    found: dict[str, dict[str, Application]] = {}
    for name in ELEMENTWISE:
        for made in applied().get(name, ()):
            fixed = [x.value if isinstance(x, Tensor) else x for x in made.inputs if not _moves(x)]
            if len(fixed) < len(made.inputs) and all(map(_is_coarse, fixed)):
                found.setdefault(name, {}).setdefault(f"{made.options}{fixed}", made)
    (power, *_) = found["pow"].values()
    found["pow"] = {str(n): power._replace(options={"exponent": n}) for n in EXPONENTS}
    return found


def _is_coarse(x: Any) -> bool:
    """Whether it is one number that steps do not reach from 0."""
    return np.ndim(x) == 0 and not 0 < abs(x) < 10 * STEP


def _moves(x: Any) -> bool:
    return isinstance(x, Tensor) and is_floating(x.value)


class Function:
    """An application as a function of its floating inputs, at many points at once."""

    def __init__(self, application: Application) -> None:
        self.primitive, self.inputs, self.options, _ = application
        self.moving = [position for position, x in enumerate(self.inputs) if _moves(x)]
        random = np.random.default_rng(7)
        special = np.array(list(product(SPECIAL, repeat=len(self.moving)))[:: 1 if len(self.moving) < 3 else 37])
        self.points = np.concatenate([special, random.uniform(-3, 3, (RANDOM, len(self.moving)))]).T

    def filled(self, points: Any) -> list[Any]:
        """The inputs with the moving ones at the points."""
        inputs = [x.value if isinstance(x, Tensor) else x for x in self.inputs]
        for position, values in zip(self.moving, points, strict=True):
            inputs[position] = values
        return inputs

    def __call__(self, points: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.broadcast_to(self.primitive.forward(*self.filled(points), **self.options), points.shape[1:])

    def directions(self) -> Iterator[Any]:
        """Each input alone, and all together."""
        yield from np.eye(len(self.moving))
        yield np.linspace(1, -0.7, len(self.moving))

    def slopes(self, direction: Any, step: float = STEP) -> tuple[Any, Any]:
        """The slopes to the right and to the left."""
        here, way = self(self.points), step * direction[:, None]
        with np.errstate(all="ignore"):
            return (self(self.points + way) - here) / step, (here - self(self.points - way)) / step

    def is_smooth(self) -> Any:
        """Whether slopes to the right and to the left come together as steps shrink, and neither grows."""
        found = np.isfinite(self(self.points))
        for direction in self.directions():
            (right, left), (near, other) = (self.slopes(direction, step) for step in (STEP, STEP / 4))
            with np.errstate(all="ignore"):
                apart, size = np.abs(near - other), np.abs(near) + np.abs(other)
                found = found & (apart <= np.maximum(np.abs(right - left) / 2, 1e-4 * (1 + size)))
                found = found & np.isfinite(size) & (size <= 1 + 2 * (np.abs(right) + np.abs(left)))
        return found

    def domain(self) -> Any:
        with np.errstate(all="ignore"):
            holds = self.primitive.domain_for(self.options).holds(*self.filled(self.points), **self.options)
        return np.broadcast_to(holds, self.points.shape[1:])

    def kinks(self) -> Any:
        kinks, inputs = self.primitive.kinks, self.filled(self.points)
        with np.errstate(all="ignore"):
            mask = kinks(*inputs, **self.options) if callable(kinks) else np.isin(inputs[0], kinks)
        return np.broadcast_to(mask, self.points.shape[1:])


@of_every(ELEMENTWISE, room)
def test_an_operation_is_smooth_just_where_it_says_so(name: str) -> None:
    for application in applications().get(name, {}).values():
        function = Function(application)
        if "lenient" in application.primitive.traits:
            continue
        smooth, inside, kinks = function.is_smooth(), function.domain(), function.kinks()
        points = function.points.T
        told = (name, application.options, "points at which this is not so:")
        assert smooth[inside & ~kinks].all(), (*told, "smooth", points[inside & ~kinks & ~smooth])
        assert not smooth[~inside].any(), (*told, "broken outside of the domain", points[~inside & smooth])
        assert not smooth[inside & kinks].any(), (*told, "bent at a kink", points[inside & kinks & smooth])


@of_every(ELEMENTWISE, room)
def test_an_operation_jumps_just_from_one_of_its_pieces_to_another(name: str) -> None:
    for application in applications().get(name, {}).values():
        function, pieces = Function(application), application.primitive.pieces
        inside = function.domain()
        for direction in function.directions():
            ends = [function.points + sign * NEXT * direction[:, None] for sign in (1, -1)]
            with np.errstate(all="ignore"):
                jumps = inside & (np.abs(function(ends[0]) - function(ends[1])) > 1e6 * NEXT)
                numbers = [pieces(*function.filled(end), **application.options) for end in ends] if pieces else [0, 0]
            np.testing.assert_array_equal(jumps, inside & np.not_equal(*numbers), f"{name} {application.options}")


@of_every(ELEMENTWISE, room)
def test_rules_are_the_slopes_where_it_is_smooth(name: str) -> None:
    for application in applications().get(name, {}).values():
        function = Function(application)
        if "lenient" in application.primitive.traits:
            continue
        clear = function.domain() & ~function.kinks()
        out, inputs = function(function.points), function.filled(function.points)
        for place, position in enumerate(function.moving):
            rules = application.primitive.rules
            if position < len(rules) and (rule := rules[position]) is not None:
                right, left = function.slopes(np.eye(len(function.moving))[place])
                with np.errstate(all="ignore"):
                    given = rule(np.ones_like(out), out, *inputs, **application.options)
                given = np.broadcast_to(given, out.shape)
                np.testing.assert_allclose(given[clear], ((right + left) / 2)[clear], rtol=1e-3, atol=1e-4)


@of_every(product(BENDING, [None, 0.0, 1.0]), lambda case: room(case[0]))
def test_an_operation_on_many_entries_bends_just_where_it_says_so(case: tuple[str, float | None]) -> None:
    """At the point of its example, where all entries differ, and where all are the same."""
    name, fill = case
    on_floats = (made for made in applied().get(name, ()) if all(map(_moves, made.inputs)))
    for application in {f"{made.options}": made for made in on_floats}.values():
        inputs = [x.value if fill is None else np.full_like(x.value, fill) for x in application.inputs]
        mask = application.primitive.kinks(*inputs, **application.options)  # type: ignore[operator]
        assert bends(application, inputs) == bool(np.any(mask)), (name, application.options, inputs)


def bends(application: Application, inputs: list[Any]) -> bool:
    """Whether the slopes to the right and to the left differ along an entry, or along all of them."""
    flat = np.concatenate([np.ravel(x) for x in inputs])
    ends = np.cumsum([x.size for x in inputs])[:-1]

    def result(point: Any) -> Any:
        moved = [part.reshape(x.shape)[()] for part, x in zip(np.split(point, ends), inputs, strict=True)]
        return np.asarray(application.primitive.forward(*moved, **application.options))

    for direction in (*np.eye(flat.size), np.linspace(1, -0.7, flat.size)):
        second = result(flat + STEP * direction) + result(flat - STEP * direction) - 2 * result(flat)
        if np.max(np.abs(second), initial=0.0) > STEP / 100:
            return True
    return False
