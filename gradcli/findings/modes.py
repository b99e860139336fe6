"""Training and evaluation: dropout that does not stop, models that are evaluated while they train, batches of one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.graphs import severity_of
from gradcli.findings.spelling import called, meant, one_line, short
from gradcli.findings.witness import Operation, Pass, Place, Witness, creation, loaded, loops_around, module_class
from gradcli.script.failure import message_of
from gradcli.script.timeline.names import parameters as parameters_of

EVAL_DROPOUT = Cause("eval-dropout", "warning", order=3)
TRAIN_MODE = Cause("train-mode-eval", "warning", order=3)
EVAL_MODE = Cause("eval-mode-train", "warning", order=3)
BATCH_OF_ONE = Cause("batch-of-one", "error", order=1)
DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")


def module_around(place: Place) -> tuple[Any, Place] | None:
    """Return the module whose method the statement is in, and the statement that called it."""
    for caller in place.calls():
        module = caller.env.get("self")
        if isinstance(module, module_class()):
            return module, caller
    return None


@EVAL_DROPOUT.on("dropout")
def outside(witness: Witness, tensor: Tensor, chance: float) -> Iterator[Finding]:
    """State that a layer of dropout, perhaps made at each call, is no part of the module that was put to eval()."""
    place = witness.place
    pair = module_around(place)
    for call in place.written.nodes() if pair is not None and not pair[0].training else ():
        if pair is None or not isinstance(call, ast.Call):
            continue
        layer = meant({**witness.machine.globals, **place.env}, call.func)
        is_made = isinstance(call.func, ast.Call) and called(call.func).startswith("Dropout")
        is_kept = type(layer).__name__.startswith("Dropout") and all(x is not layer for x in pair[0].modules())
        if not is_made and not (is_kept and isinstance(layer, module_class()) and layer.training):
            continue
        kind, text = type(pair[0]).__name__, one_line(ast.unparse(call.func))
        caller = next((caller for caller in place.calls() if caller.env.get("self") is not pair[0]), place)
        how = ", but made at each call" if is_made else ""
        message = f"{text} is no part of {kind}{how}: eval() does not reach it."
        because = f"at line {caller.line} self.training is False, and the layer's own training is True: it drops "
        because += f"a share of {chance:g} of {witness.name(tensor)}."
        instead = f"self.drop = {text if is_made else f'nn.Dropout({chance:g})'}  # in __init__; here self.drop(...)"
        about = ", ".join(x for x in (text, place.written.target(), witness.path(pair[0]), kind) if x)
        yield EVAL_DROPOUT.finding(place, about, message, because, instead, see=[caller.line])


@EVAL_DROPOUT.on("dropout")
def goes_on(witness: Witness, tensor: Tensor, chance: float) -> Iterator[Finding]:
    place = witness.place
    calls = place.written.calls(*DROPOUTS)
    pair = module_around(place)
    if not calls or pair is None or pair[0].training or any(word.arg == "training" for word in calls[0].keywords):
        return
    if len(calls[0].args) > 2 or (
        isinstance(calls[0].func, ast.Attribute) and short(calls[0].func).startswith("self.")
    ):
        return
    outer = [caller for caller in place.calls() if caller.env.get("self") is not pair[0]]
    caller = outer[0] if outer else place
    call = one_line(ast.unparse(calls[0]))
    parts = (place.written.target(), witness.path(pair[0]), type(pair[0]).__name__, called(calls[0]))
    names = [x for x in (*parts, witness.known(tensor)) if x]
    message = f"{call} has no training=, so it drops entries after eval(), too."
    because = (
        f"at line {caller.line} self.training is False, and a share of {chance:g} of {witness.name(tensor)} "
        "is set to 0."
    )
    instead = place.written.text.replace(call, f"{call[:-1]}, training=self.training)")
    yield EVAL_DROPOUT.finding(place, ", ".join(names), message, because, instead, see=[caller.line])


class Runs:
    """The statements that ran a model in training mode with what that does, and those whose results were trained on."""

    def __init__(self) -> None:
        self.random: dict[tuple[str, int], tuple[Place, str]] = {}
        self.trained: set[tuple[str, int]] = set()
        self.modes: dict[int, bool] = {}  # of models, by id, at the first pass


@TRAIN_MODE.on("pass", closely=True)
def trained(witness: Witness, done: Pass) -> None:
    """Note the statements that a backward pass goes through."""
    runs = witness.of(Runs)
    for node in done.order if runs.random and done.is_surveyed else ():
        place = witness.place_of(node)
        if place is not None:
            runs.trained.update(caller.key for caller in place.calls())


@EVAL_MODE.on("pass", closely=True)
def left_in_evaluation(witness: Witness, done: Pass) -> Iterator[Finding]:
    """State that a model which was trained in training mode is trained in evaluation mode now."""
    modes = witness.of(Runs).modes
    for name, model in witness.objects(module_class()) if done.inputs is None and done.is_surveyed else ():
        kinds = [kind for x in model.modules() if (kind := type(x).__name__).startswith(("BatchNorm", "Dropout"))]
        if not kinds or modes.setdefault(id(model), model.training) is model.training or model.training:
            continue
        reached = {id(edge.variable) for node in done.order for edge in node.edges if isinstance(edge, AccumulateGrad)}
        calls = [
            Place(source, x.lineno, x, witness.machine.globals)
            for source, x in witness.syntax()
            if isinstance(x, ast.Expr) and isinstance(x.value, ast.Call) and called(x.value) == "eval"
        ]
        if not calls or not any(id(x) in reached for _, x in parameters_of(model)):
            continue
        message = f"{calls[0].written.text} at line {calls[0].line} stays in force: {name} goes on to train in "
        message += "evaluation mode."
        what = "batch norm learns no statistics" if kinds[0].startswith("BatchNorm") else "dropout is off"
        because = f"{name}.training was True in the first pass and is False in that of line {done.place.line}: {what}."
        instead = f"{name}.train()  # before the next round"
        yield EVAL_MODE.finding(calls[0], name, message, because, instead, see=[done.place.line])
        return


@TRAIN_MODE.on("end")
def looked_at(witness: Witness) -> Iterator[Finding]:
    """State a run in training mode that was recorded, and from which nothing was learned."""
    runs = witness.of(Runs)
    for key, (place, effect) in runs.random.items():
        if key not in runs.trained:
            yield from of_evaluation(witness, place, effect)


@TRAIN_MODE.on("dropout")
def random_evaluation(witness: Witness, tensor: Tensor, chance: float) -> Iterator[Finding]:
    words = [word for call in witness.place.written.calls(*DROPOUTS) for word in call.keywords]
    if any(word.arg == "training" and isinstance(word.value, ast.Constant) for word in words):
        return  # asked for, as Monte Carlo dropout asks
    yield from evaluated(witness, f"dropout sets a share of {chance:g} of the entries to 0 at random")


@TRAIN_MODE.on_operation("batch_norm")
def batch_statistics(witness: Witness, operation: Operation) -> Iterator[Finding]:
    if operation.application.options.get("training"):
        yield from evaluated(witness, "batch norm uses the statistics of this batch, and learns from them")


def evaluated(witness: Witness, effect: str) -> Iterator[Finding]:
    """State that a model runs in training mode where no gradient is recorded, after it was trained."""
    place = witness.place
    outer = [caller for caller in place.calls() if not isinstance(caller.env.get("self"), module_class())]
    caller = outer[0] if outer else place
    if mode.grad_enabled:
        after = bool(witness.run.optimizers) and bool(witness.run.passed)
        if after or caller.key not in witness.of(Runs).random:
            runs = witness.of(Runs)
            runs.random[caller.key] = caller, effect
            if not after:
                runs.trained.add(caller.key)  # before any step a result may be what the first pass learns from
        return
    yield from of_evaluation(witness, caller, effect)


def of_evaluation(witness: Witness, caller: Place, effect: str) -> Iterator[Finding]:
    """State that a trained model ran in training mode, unless somebody asked for that."""
    if not witness.run.optimizers or not witness.run.passed:
        return
    model, name = model_of(witness, caller)
    if model is None or not model.training:
        return
    last = max((line for _, line in witness.passes), default=0)
    for tree in witness.trees(caller.source):  # asked for, as Monte Carlo dropout asks
        for x in ast.walk(tree):
            if isinstance(x, ast.Call) and called(x) == "train" and last < x.lineno <= caller.line:
                return
    message = f"{name} is evaluated in training mode: {name}.eval() was not called before line {caller.line}."
    because = f"{name}.training is True, so {effect}: the result is not that of the trained model."
    target = caller.written.target()
    about = ", ".join(x for x in (name, target) if x)
    yield TRAIN_MODE.finding(
        caller, about, message, because, f"{name}.eval()  # before; {name}.train() to go on training"
    )


def is_model(value: object) -> bool:
    """Return whether a module has parameters, as a loss has none."""
    return isinstance(value, module_class()) and any(True for _ in parameters_of(value))


def model_of(witness: Witness, place: Place) -> tuple[Any, str]:
    """Return the model that a statement calls, and its name."""
    for x in place.written.nodes():
        if isinstance(x, ast.Call):
            value = meant({**witness.machine.globals, **place.env}, x.func)
            if is_model(value):
                return value, ast.unparse(x.func)
    models = [(value, key) for key, value in witness.machine.globals.items() if is_model(value)]
    return models[0] if len(models) == 1 else (None, "")


@BATCH_OF_ONE.on("end")
def one_row(witness: Witness) -> Iterator[Finding]:
    for error, place in witness.errors:
        match = re.search(r"more than 1 value per channel when training, got input size (.*)", message_of(error))
        if not match:
            continue
        place = next(
            (caller for caller in place.calls() if not isinstance(caller.env.get("self"), module_class())), place
        )
        _, name = model_of(witness, place)
        calls = [x for x in place.written.nodes() if isinstance(x, ast.Call) and short(x.func) == name and x.args]
        given = short(calls[0].args[0]) if calls else "the input"
        message = f"batch norm in training needs more than one row, and {given} is one: one value has no variance."
        because = f"the input of the layer has the size {match[1].removeprefix('torch.Size(').rstrip(')')}."
        slices = re.sub(r"\[(\w+):\1 \+ 1\]", r"[\1:\1 + 2]", given)
        instead = f"{name or 'model'}.eval()  # to predict for one row"
        if slices != given:
            instead = f"{name}({slices})  # at least two rows"
        loops = [ast.unparse(x.iter) for x in loops_around(witness, place) if isinstance(x, ast.For)]
        for key, loader in witness.objects(loaded("gradcli.script.torch.data", "DataLoader")):
            made = creation(witness, key) if key in loops and (loader.batch_size or 1) > 1 else None
            if made is not None and len(loader.dataset) % loader.batch_size == 1:
                because += f" {key} has {len(loader.dataset)} rows in batches of {loader.batch_size}: the last is one."
                instead = f"{made.written.text.removesuffix(')')}, drop_last=True)"
        yield BATCH_OF_ONE.finding(
            place,
            ", ".join(x for x in (name, given) if x),
            message,
            because,
            instead,
            severity_of(witness, error, place),
        )
