"""Classes of layers, which have `forward` and `backward`: held up to the differences of their own forward pass."""

from __future__ import annotations

import ast

QUANTITIES = ("inputs", "parameters")
PROBE = """
import numpy as np
_errors = [""]

class _Context:
    def save_for_backward(self, *values):
        self.saved_tensors = values

    saved_for_backward = property(lambda self: self.saved_tensors)

def _arrays(value, name="", depth=6):
    if isinstance(value, np.ndarray):
        return [(name.lower(), value)]
    if depth and isinstance(value, (list, tuple)):
        value = {name + str(place): held for place, held in enumerate(value)}
    elif depth and hasattr(value, "__dict__"):
        value = value.__dict__
    if not depth or not isinstance(value, dict):
        return []
    return [one for key, held in list(value.items())
            for one in _arrays(held, name if str(key) in ("data", "value", "grad") else str(key), depth - 1)]

def _named(name, arrays):
    usual = [before + name + behind for before in ("", "d", "d_", "grad_", "grad") for behind in ("", "_grad", "grad")]
    return [one for other, one in arrays if other in usual] or [one for _, one in arrays]

def _deviation(found, right):
    return float(np.max(np.abs(found - right)) / (1e-4 + 1e-3 * np.max(np.abs(right))))

def _judged(candidates, right, name):
    same = [one for one in candidates if one.shape == right.shape]
    if not same:
        _errors.append("there is no gradient of " + name + " of shape " + str(right.shape))
        return [float("nan")] * 4
    found = sorted(same, key=lambda one: _deviation(one, right))[0]
    place = int(np.argmax(np.abs(found - right).ravel()))
    return [_deviation(found, right), float(found.ravel()[place]), float(right.ravel()[place]), float(place)]

def _worst(judged):
    off = [one for one in judged if not one[0] <= 1]
    return (off + judged + [[0.0] * 4])[0]

_known = {}  # slopes by the case, its numbers and the array: what is tried later changes the backward pass alone

def _slopes(array, loss, key):
    if key in _known:
        return _known[key]
    _known[key] = right = np.zeros(array.shape)
    flat, slopes = array.reshape(-1), right.reshape(-1)
    for place in range(array.size):
        before = flat[place]
        losses = []
        for step in (1e-4, -1e-4):
            flat[place] = before + step
            losses.append(loss())
        flat[place] = before
        slopes[place] = (losses[0] - losses[1]) / 2e-4
    return right

def _moved(layer, run):
    # a scale that is 1 everywhere, or a bias of 0, would hide what is wrong with it
    for name, array in _arrays(layer):
        if array.dtype.kind == "f" and array.size and np.max(array) - np.min(array) < 0.1:
            before, kept = np.asarray(run()) * 1.0, array.copy()
            array += 0.4 * np.cos(1.3 * np.arange(array.size)).reshape(array.shape) + 0.1
            if np.array_equal(np.asarray(run()), before):
                array[...] = kept

def _layer(number, arguments, inputs):
    try:
        np.random.seed(number)
        layer = _Context() if IS_FUNCTION else LAYER(*arguments)
        run = (lambda: LAYER.forward(layer, *inputs)) if IS_FUNCTION else (lambda: CALL(*inputs))
        _moved(layer, run)
        y = np.asarray(run()) * 1.0
        upstream = np.cos(1.7 * np.arange(y.size)).reshape(y.shape) + 0.3 if TAKES else np.ones(y.shape)
        loss = lambda: float(np.sum(np.asarray(run()) * upstream))
        held = [(name, one) for name, one in _arrays(layer)
                if one.dtype.kind == "f" and all(one is not other for other in inputs)]
        at = (number, sum([float(np.sum(one)) for _, one in held]))
        given = [layer] * IS_FUNCTION + [upstream] * TAKES
        found = LAYER.backward(*given) if IS_FUNCTION else layer.backward(*given)
        returned = [(name, np.array(one) * 1.0) for name, one in _arrays(found)]
        is_alone = len(inputs) == 1
        judged = [_judged([one for _, one in (returned if is_alone else returned[place : place + 1])],
                          _slopes(one, loss, (at, place)), "input " + str(place + 1))
                  for place, one in enumerate(inputs[: max(len(returned), 1)])]
        slopes = [(name, one, _slopes(one, loss, (at, "held", place))) for place, (name, one) in enumerate(held)]
        gradients = [(name, one) for name, one in returned + _arrays(layer)]
        wide = [_judged(_named(name, [(other, found) for other, found in gradients if found is not one]), right, name)
                for name, one, right in slopes if np.max(np.abs(right)) > 1e-7]
        return [_worst(judged), _worst(wide)]
    except Exception as error:
        _errors.append(type(error).__name__ + ": " + str(error))
        return [[float("nan")] * 4] * 2
"""


def probe(name: str, text: str) -> str:
    """Return what tries a class of layers: its methods, or a function with a context."""
    methods = {
        inner.name: inner
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef)
        for inner in node.body
        if isinstance(inner, ast.FunctionDef) and (node.name == name or inner.name not in ("forward", "backward"))
    }
    forward = methods.get("forward")
    is_function = forward is not None and (
        any(ast.unparse(node) == "staticmethod" for node in forward.decorator_list)
        or "forward = staticmethod(forward)" in text
    )
    back = methods.get("backward")
    takes = back is None or len(back.args.args) > 1
    call = "layer.forward" if forward is not None or "__call__" not in methods else "layer"
    values = {"IS_FUNCTION": is_function, "TAKES": takes, "LAYER": name, "CALL": call}
    source = PROBE
    for word, value in values.items():
        source = source.replace(word, str(value))
    return source
