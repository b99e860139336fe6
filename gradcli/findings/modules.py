"""Parameters that nobody trains: not registered, not held by the optimizer any more, or not used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from types import GeneratorType
from typing import Any

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.tensor import Tensor
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.graphs import of_cut, severity_of
from gradcli.findings.order import Filling, Ledger, held, optimizer_of, parameters_in
from gradcli.findings.spelling import names_in, one_line, several, short
from gradcli.findings.witness import (
    Place,
    Witness,
    assignments,
    creation,
    loops_around,
    module_class,
    optimizer_class,
    spelled,
)
from gradcli.script.failure import message_of
from gradcli.script.timeline.names import node_of
from gradcli.script.timeline.names import parameters as parameters_of
from gradcli.script.timeline.recorder import COMPOUND

NOT_REGISTERED = Cause("not-registered", "warning", order=2, answers=("not-updated", "not-reached", "no-backward"))
NOT_FROZEN = Cause("not-frozen", "warning", order=2)
STALE = Cause("optimizer-stale", "warning", order=2, answers=("not-updated",))
UNUSED = Cause(
    "unused-parameter", "warning", order=4, answers=("not-reached", "not-updated", "no-backward", "detached")
)
CONTAINERS = {list: "nn.ModuleList", tuple: "nn.ModuleList", dict: "nn.ModuleDict"}
LAYER = re.compile(r"(torch\.)?nn\.(Linear|Conv\dd|Embedding|RNN|LSTM|GRU|Parameter|BatchNorm\dd|LayerNorm)")
MISSPELT = ("_init_", "__int__", "__inti__", "init", "_init__", "__init_")


def hidden(module: Any) -> Iterator[tuple[str, str, Tensor, Any]]:
    """Yield what a module does not know of: the attribute, the path, the tensor, and the container or None."""
    for attribute, value in list(vars(module).items()):
        if attribute.startswith("_"):
            continue
        if isinstance(value, Tensor) and isinstance(node_of(value), AccumulateGrad):
            yield attribute, attribute, value, None
        elif type(value) in CONTAINERS:
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in list(items)[:100]:
                if isinstance(item, module_class()):
                    for name, tensor in parameters_of(item):
                        yield attribute, f"{attribute}[{key!r}].{name}", tensor, value
                elif isinstance(item, Tensor) and isinstance(node_of(item), AccumulateGrad):
                    yield attribute, f"{attribute}[{key!r}]", item, value


def modules(witness: Witness) -> list[tuple[str, Any]]:
    """Return the modules of the snippet with their names, those inside others too."""
    return witness.objects(module_class())


def assignment(witness: Witness, module: Any, attribute: str) -> Place | None:
    """Return the statement of the class that assigns an attribute."""
    for source, kind in witness.syntax():
        if isinstance(kind, ast.ClassDef) and kind.name == type(module).__name__:
            for x in ast.walk(kind):
                targets = x.targets if isinstance(x, ast.Assign) else [x.target] if isinstance(x, ast.AnnAssign) else []
                if isinstance(x, ast.stmt) and any(ast.unparse(target) == f"self.{attribute}" for target in targets):
                    return Place(source, x.lineno, x, witness.machine.globals)
    return None


@NOT_REGISTERED.on("end")
def exhausted(witness: Witness) -> Iterator[Finding]:
    """State that a generator of parameters is read again after it was read to its end."""
    for name, x in list(witness.machine.globals.items()):
        origin = creation(witness, name) if isinstance(x, GeneratorType | filter | map) else None
        value = getattr(origin.node, "value", None) if origin is not None else None
        if origin is None or value is None or "parameters(" not in ast.unparse(value) or next(x, origin) is not origin:
            continue
        heads = [(x, x.iter if isinstance(x, ast.For) else x) for x in witness.statements[origin.source]]
        lines = sorted(x.lineno for x, head in heads if x.lineno > origin.line and name in names_in(head)
                       if not isinstance(x, COMPOUND) or isinstance(x, ast.For))  # fmt: skip
        again = [line for line in lines if loops_around(witness, Place(origin.source, line, None, origin.env))][:1]
        first, second = [*lines[:2], *again][:2] if len([*lines[:2], *again]) > 1 else (0, 0)
        failed = next(((error, at) for error, at in witness.errors if at.line == second), None)
        if not second or loops_around(witness, origin):
            continue
        message = f"{name} is a generator, which line {first} has read to its end: line {second} gets nothing"
        message += " of it." if first != second else " from the second round on."
        because = f"{short(value) or name} gives each parameter once."
        instead = origin.written.with_(value, f"list({ast.unparse(value)})")
        severity = severity_of(witness, *failed) if failed is not None else ""
        yield NOT_REGISTERED.finding(origin, name, message, because, instead, severity, see=[first, second])


@NOT_REGISTERED.on("end")
def unregistered(witness: Witness) -> Iterator[Finding]:
    owned, accounts = held(witness), witness.of(Ledger).accounts
    seen: set[tuple[int, str]] = set()
    empty = next(((e, p) for e, p in witness.errors if "empty parameter list" in message_of(e)), None)
    if not owned and empty is None:
        return
    for path, module in modules(witness):
        for attribute, inner, tensor, container in hidden(module):
            if id(tensor) in owned or (id(module), attribute) in seen or not (tensor in accounts or empty is not None):
                continue
            seen.add((id(module), attribute))
            place = assignment(witness, module, attribute) or witness.at(None, 1)
            name = f"{path}.{inner}"
            node = place.written.node
            value = one_line(ast.unparse(node.value)) if isinstance(node, ast.Assign) else ""
            if container is None:
                message = f"self.{attribute} is a plain tensor, not an nn.Parameter: {path}.parameters() leaves it out."
                text = re.sub(r",? ?requires_grad=True", "", value)
                instead = f"self.{attribute} = nn.Parameter({text})"
            else:
                kind = type(container).__name__
                message = f"self.{attribute} is a plain {kind}: {path}.parameters() leaves out what is in it."
                wrap = next(name for kind_of, name in CONTAINERS.items() if isinstance(container, kind_of))
                wrap = (
                    wrap
                    if any(
                        isinstance(x, module_class())
                        for x in (container.values() if isinstance(container, dict) else container)
                    )
                    else wrap.replace("Module", "Parameter")
                )
                instead = f"self.{attribute} = {wrap}({value})"
            if tensor in accounts:
                because = f"{name} gets a gradient in each pass, and no optimizer holds it: step() leaves it as it was."
            else:
                because = f"the optimizer of {path}.parameters() does not get {name}."
            severity = severity_of(witness, *empty) if empty is not None else ""
            yield NOT_REGISTERED.finding(
                place,
                f"{path}.{attribute}, {name}, self.{attribute}",
                message,
                because,
                instead,
                severity,
                see=[empty[1].line] if empty else [],
            )


@NOT_REGISTERED.on("end")
def left_out(witness: Witness) -> Iterator[Finding]:
    """State that no optimizer holds a model or a leaf that gets gradients, beside one like it that is trained."""
    accounts, owned = witness.of(Ledger).accounts, held(witness)
    groups = {key: list(leaves) for key, x in witness.machine.globals.items() if (leaves := trainable(x))}
    named = {id(x) for leaves in groups.values() for x in leaves}
    reached = [key for key, leaves in groups.items() if any(x in accounts for x in leaves)]
    trained = [key for key in reached if all(id(x) in owned for x in groups[key])]
    for key in (key for key in reached if is_left(witness, groups[key], owned)):
        is_leaf = isinstance(witness.machine.globals[key], Tensor)
        for other in (x for x in trained if isinstance(witness.machine.globals[x], Tensor) is is_leaf):
            holders = holders_of(witness, groups[other], named)
            holder = holder_behind(witness, holders, accounts[groups[key][0]].last)
            origin = creation(witness, holder) if holder else None
            if origin is None or any(x in witness.run.names.former for x in parameters_in(holders[holder])):
                continue
            text = origin.written.text
            message = f"{holder} does not hold {key}: {text} leaves {key} out."
            because = f"a gradient comes to {key} in each pass and adds up, and no step changes it"
            because += f", while {several(holders)} hold the same." if len(holders) > 1 else "."
            old, new = f"{other}.parameters()", f"[*{other}.parameters(), *{key}.parameters()]"
            if len(holders) > 1:
                old, new = other, key
            elif is_leaf:
                old, new = f"{other}]", f"{other}, {key}]"
            instead = text.replace(old, new) if old in text and f"*{old}" not in text else None
            yield NOT_REGISTERED.finding(origin, f"{key}, {holder}", message, because, instead)
            return


def is_left(witness: Witness, leaves: Sequence[Tensor], owned: Mapping[int, Tensor]) -> bool:
    """Return whether passes fill the gradients of all these leaves, and nobody holds, moves, clears or reads them."""
    accounts = [witness.of(Ledger).accounts.get(x) for x in leaves if id(x) not in owned]
    is_idle = all(x is not None and x.count > 1 and not (x.ever_moved or x.cleared) for x in accounts)
    return len(accounts) == len(leaves) and is_idle and not all(x in witness.read for x in leaves)


def holders_of(witness: Witness, leaves: Sequence[Tensor], named: Set[int]) -> dict[str, Any]:
    """Return the optimizers by name that have stepped and hold these leaves, and none that has no name."""
    return {
        name: optimizer
        for name, optimizer in witness.objects(optimizer_class())
        if optimizer in witness.of(Ledger).steps
        if {id(x) for x in leaves} <= {id(x) for x in parameters_in(optimizer)} <= named
    }


def holder_behind(witness: Witness, holders: Mapping[str, Any], last: Filling | None) -> str:
    """Return the name of the last optimizer that steps behind a pass, or else of the last; "" of none."""
    steps = witness.of(Ledger).steps
    places = [(name, steps[optimizer].latest) for name, optimizer in holders.items()]
    behind = [name for name, place in places if place and last is not None and place.line > last.place.line]
    return (behind or list(holders) or [""])[-1]


def trainable(value: Any) -> list[Tensor]:
    """Return a leaf, or the parameters of a model in training mode, that require grad; nothing of another value."""
    if isinstance(value, Tensor):
        return [value] if isinstance(node_of(value), AccumulateGrad) else []
    is_model = isinstance(value, module_class()) and value.training
    return [x for _, x in parameters_of(value) if isinstance(node_of(x), AccumulateGrad)] if is_model else []


@NOT_REGISTERED.on("end")
def misspelt(witness: Witness) -> Iterator[Finding]:
    """State that a class has a method that was meant to be `__init__`, where something failed for it."""
    if not witness.errors:
        return
    for source, kind in witness.syntax():
        if not isinstance(kind, ast.ClassDef) or not any("Module" in ast.unparse(base) for base in kind.bases):
            continue
        for x in kind.body:
            if isinstance(x, ast.FunctionDef) and x.name in MISSPELT:
                place = Place(source, x.lineno, x, witness.machine.globals)
                message = f"{kind.name} has {x.name}, which Python never calls: its layers are not made."
                because = "the name is __init__, with two underscores on each side."
                yield NOT_REGISTERED.finding(place, kind.name, message, because, "def __init__(self):", "error")


@NOT_REGISTERED.on("end")
def made_in_forward(witness: Witness) -> Iterator[Finding]:
    """State that a layer is made anew in each forward pass."""
    owned, accounts = held(witness), witness.of(Ledger).accounts
    if not owned or not accounts:
        return
    kinds = {type(module).__name__: path for path, module in reversed(modules(witness))}
    for source, kind in witness.syntax():
        path = kinds.get(kind.name, "") if isinstance(kind, ast.ClassDef) else ""
        forwards = [x for x in kind.body if isinstance(x, ast.FunctionDef) and x.name == "forward"] if path else []
        for x in (x for method in forwards for x in ast.walk(method) if isinstance(x, ast.Call)):
            if LAYER.fullmatch(ast.unparse(x.func)):
                place, text = Place(source, x.lineno, None, witness.machine.globals), one_line(ast.unparse(x))
                message = f"{text} is made anew in each forward pass: what a step learned would be gone."
                because = f"{path}.parameters() does not hold it, so no optimizer moves it."
                instead = f"self.layer = {text}  # in __init__"
                yield NOT_REGISTERED.finding(place, f"{path}, self", message, because, instead)


def reachable(witness: Witness) -> dict[int, str]:
    """Return the leaves that the variables of the snippet lead to, by id, with their names."""
    return {id(x): name for name, x in witness.objects(Tensor)}


@NOT_FROZEN.on("end")
def not_frozen(witness: Witness) -> Iterator[Finding]:
    """State that a misspelt attribute, or one of a module, was to freeze parameters that are trained."""
    accounts, named = witness.of(Ledger).accounts, witness.objects(module_class())
    parts = [(f"{key}.{part}", leaf, module) for key, module in named for part, leaf in module.named_parameters()]
    for source, x in witness.syntax():
        target = x.targets[0] if isinstance(x, ast.Assign) else None
        if not isinstance(target, ast.Attribute) or not is_like(target.attr) or ast.unparse(x.value) != "False":
            continue
        name, attribute, is_wrong = ast.unparse(target.value), target.attr, target.attr != "requires_grad"
        moved = {
            id(leaf): spelled(key)
            for key, leaf, module in [*parts, *((key, leaf, None) for key, leaf in witness.objects(Tensor))][::-1]
            if attribute in getattr(module, "__dict__", {})
            or (is_wrong and attribute in getattr(leaf, "snippet_attributes", {}))
            if leaf.requires_grad and leaf in accounts and accounts[leaf].ever_moved
        }
        if not moved:
            continue
        place, trained = Place(source, x.lineno, x, witness.machine.globals), list(moved.values())[-4:][::-1]
        message = f"{place.written.text} sets an attribute that torch never reads: nothing is frozen."
        because = f"{several(trained)} {'is' if len(moved) == 1 else 'are'} trained by every step."
        instead = f"{name}.requires_grad_(False)"
        yield NOT_FROZEN.finding(place, ", ".join([name, *trained]), message, because, instead)


def is_like(attribute: str) -> bool:
    """Return whether an attribute may stand for requires_grad."""
    from difflib import SequenceMatcher

    return SequenceMatcher(None, attribute, "requires_grad").ratio() > 0.85


@STALE.on("end")
def stale(witness: Witness) -> Iterator[Finding]:
    """State that an optimizer holds tensors that were replaced."""
    ledger, run = witness.of(Ledger), witness.run
    names = reachable(witness)
    owned = held(witness)
    for optimizer in list(ledger.steps):
        params = [x for group in optimizer.param_groups for x in group["params"]]
        orphans = {witness.known(x): x for x in params if id(x) not in names and witness.known(x)}
        new = [x for x in ledger.accounts if id(x) in names and id(x) not in owned]
        replaced = [x for x in new if (witness.known(x) or names[id(x)]) in orphans]
        if not replaced:
            continue
        first = orphans[witness.known(replaced[0]) or names[id(replaced[0])]]
        line = run.names.former.get(first, 0)
        holder = witness.path(optimizer) or "the optimizer"
        made = creation(witness, holder)
        path = names[id(replaced[0])]
        ends = [at.start() for at in re.finditer(r"[.\[]|$", path)]  # model.fc.weight: that of model.fc, or of model
        given = [x for end in reversed(ends[1:]) for x in assignments(witness, path[:end])]
        given = [x for x in given if not x.written.text.startswith("self.")] or assignments(witness, path[: ends[0]])[
            1:
        ]
        change = given[-1] if given else witness.at(made.source if made else None, line) if line else made
        change = change or witness.place
        place = change if made is None or (given and is_outside(witness, change)) else made
        old_names = several(witness.known(x) or names[id(x)] for x in replaced)
        kind = type(optimizer).__name__
        message = (
            f"{holder} ({kind}) was made at {made.words if made else 'an earlier line'} and holds {old_names} from "
            f"before {change.words}, not the new {'ones' if len(replaced) > 1 else 'one'}."
        )
        because = (
            f"the new {'tensors get' if len(replaced) > 1 else 'tensor gets'} a gradient in each pass, and "
            f"step() never moves {'them' if len(replaced) > 1 else 'it'}."
        )
        instead = f"{made.written.text}  # after {change.words}" if made is not None else None
        layers = dict.fromkeys((witness.known(x) or names[id(x)]).rpartition(".")[0] for x in replaced)
        about = ", ".join([*(x for x in layers if x), old_names, holder])
        yield STALE.finding(place, about, message, because, instead, see=[made.line if made else 0, change.line])


def is_outside(witness: Witness, place: Place) -> bool:
    """Return whether a statement stands outside of all functions."""
    functions = (x for tree in witness.trees(place.source) for x in ast.walk(tree) if isinstance(x, ast.FunctionDef))
    return not any(x.lineno <= place.line <= (x.end_lineno or x.lineno) for x in functions)


@UNUSED.on("end")
def unused(witness: Witness) -> Iterator[Finding]:
    """State which parameters of an optimizer, or of a model that was asked, got no gradient in any pass."""
    ledger, run = witness.of(Ledger), witness.run
    passes = [done for done in run.passes.values() if not done.returns]
    if not passes or not ledger.accounts:
        return
    names = reachable(witness)
    asked = {id(asking.tensor) for asking in witness.calls}
    groups: list[list[Tensor]] = []
    stepped: set[int] = set()  # the groups of optimizers that have stepped
    for _, value in witness.paths():
        if isinstance(value, optimizer_class()):
            groups.append([x for group in value.param_groups for x in group["params"]])
            if value in ledger.steps:
                stepped.add(id(groups[-1]))
        elif isinstance(value, module_class()):
            parameters = [x for _, x in parameters_of(value)]
            if any(id(x) in asked for x in parameters):
                groups.append(parameters)
    stated: set[int] = set()
    for group in groups:
        if not any(x in ledger.accounts for x in group) and id(group) not in stepped:
            continue
        idle = [
            x
            for x in group
            if isinstance(node_of(x), AccumulateGrad)
            and x not in ledger.accounts
            and x._grad is None
            and id(x) in names
            and id(x) not in stated
        ]
        stated.update(map(id, idle))
        yield from of_idle(witness, idle, names)


def of_idle(witness: Witness, idle: list[Tensor], names: dict[int, str]) -> Iterator[Finding]:
    run = witness.run
    passes = list(run.passes.values())
    if any(x in done.stops for x in idle for done in passes):
        return
    cuts: dict[Any, list[Tensor]] = {}
    rest: dict[str, list[Tensor]] = {}
    for x in idle:
        if any(done.returns and done.below.get(x, True) is None for done in passes):
            continue  # what the gradient of an output needs is not all that the output needs
        cut = next(
            (done.below[x] for done in reversed(passes) if done.below.get(x) is not None), None
        ) or run.origins.way_out(x)
        if cut is not None:
            cuts.setdefault(cut, []).append(x)
        else:
            name = witness.known(x) or names[id(x)]
            rest.setdefault(name.rpartition(".")[0] or name, []).append(x)
    for cut, tensors in cuts.items():
        leaves = [witness.known(x) or names[id(x)] for x in tensors]
        verb = "is" if len(leaves) == 1 else "are"
        yield of_cut(
            witness,
            cut,
            leaves[:4],
            f"{several(f'{name}.grad' for name in leaves)} {verb} None, though an optimizer holds "
            f"{'it' if len(leaves) == 1 else 'them'}.",
        )
    for layer, tensors in rest.items():
        leaves = [witness.known(x) or names[id(x)] for x in tensors]
        lines = [run.origins.used[x] for x in tensors if x in run.origins.used]
        gone = (
            f"{several(f'{name}.grad' for name in leaves)} {'is' if len(leaves) == 1 else 'are'} None after "
            f"{run.passed} {'pass' if run.passed == 1 else 'passes'}."
        )
        if lines:
            place = witness.at(None, min(lines))
            target = place.written.target()
            again = overwritten(place)
            message = f"what {layer} computes at line {place.line} is never used: " + (
                f"line {again} assigns {target} again." if again else "the loss does not depend on it."
            )
            yield UNUSED.finding(place, ", ".join([layer, *leaves]), message, gone, None, see=[again])
        else:
            place = creation(witness, optimizer_of(witness, tensors[0])) or witness.at(None, 1)
            message = f"{layer} is never used: no line computes anything with it, and it gets no gradient."
            yield UNUSED.finding(place, ", ".join([layer, *leaves]), message, gone, None)


def overwritten(place: Place) -> int:
    """Return the line behind a statement that assigns its name again without reading it; 0 where there is none."""
    target = place.written.target()
    tree = ast.parse(place.source.text)
    for block in ast.walk(tree):
        body = getattr(block, "body", None)
        if not isinstance(body, list):
            continue
        lines = [x.lineno for x in body if isinstance(x, ast.stmt)]
        if place.line in lines and target:
            for x in body[lines.index(place.line) + 1 :]:
                loads = any(
                    isinstance(y, ast.Name) and y.id == target and isinstance(y.ctx, ast.Load) for y in ast.walk(x)
                )
                stores = any(
                    isinstance(y, ast.Name) and y.id == target and isinstance(y.ctx, ast.Store) for y in ast.walk(x)
                )
                if loads:
                    return 0
                if stores:
                    return int(x.lineno)
    return 0
