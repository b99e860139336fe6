"""Causes of faults in a live graph of torch, and in the calls of a watched training loop; the model is not changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cache
from types import TracebackType
from typing import Any, Self

import torch

from gradcli.engine.primitive import REGISTRY
from gradcli.facts import dataclass
from gradcli.findings.declaration import Cause
from gradcli.findings.finding import Finding
from gradcli.findings.judging import ordered
from gradcli.findings.losses import BROADCAST
from gradcli.findings.modules import NOT_REGISTERED, STALE, UNUSED
from gradcli.findings.nonfinite import AT_EDGE
from gradcli.findings.order import ACCUMULATED, BEFORE_BACKWARD, CLEARED_EARLY, WITHOUT_BACKWARD
from gradcli.findings.training import DEAD, DIVERGING, EXPLODING, SATURATED, VANISHING
from gradcli.live.passes import Flow, check, flows, is_leaf, reachable
from gradcli.ops import load
from gradcli.script.timeline.reasons import list_names
from gradcli.source import Source

LAYERS, VANISHED, EXPLODED = 5, 1e-6, 1e5  # of the first weight's gradient to the last one's


@dataclass(frozen=True, slots=True)
class Live:
    """The place of a finding in a graph, which has no line of source."""

    source: Source = field(default_factory=lambda: Source("", "graph"))
    line: int = 0
    cell: int | None = None


def live_finding(cause: Cause, name: str, message: str, because: str, instead: str | None = None) -> Finding:
    return cause.finding(Live(), name, message, because, instead)


def graph_findings(
    loss: torch.Tensor, names: Mapping[str, torch.Tensor], model: Any = None, optimizer: Any = None
) -> list[Finding]:
    """Return the causes that the graph of a loss shows, without a backward pass of torch's engine."""
    names_by_id = {id(tensor): name for name, tensor in names.items()}
    findings: list[Finding] = []
    parameters = dict(model.named_parameters()) if model is not None else {}
    names_by_id |= {id(tensor): name for name, tensor in parameters.items()}
    reached: dict[int, torch.Tensor] = {}
    if loss.grad_fn is not None:
        order = reachable(loss.grad_fn)
        check(order)
        passed = list(flows(order, loss.output_nr, torch.ones_like(loss)))
        reached = {id(node.variable): node.variable for node in order if is_leaf(node)}
        gradients = {id(flow_leaf(flow)): flow.total for flow in passed if flow_leaf(flow) is not None}
        findings += [*not_finite(passed, gradients, names_by_id), *flat_activations(passed)]
        findings += [*column_against_row(passed, loss), *norms_along_layers(passed, names_by_id)]
    findings += missing_parameters(parameters, reached, optimizer, names_by_id)
    return ordered(findings)


def flow_leaf(flow: Flow) -> torch.Tensor | None:
    below = flow.node.next_functions[flow.edge][0]
    return below.variable if is_leaf(below) else None


@cache
def nodes_that_are(trait: str) -> dict[str, str]:
    """Return the primitives with a trait, by torch's names of their nodes."""
    load()
    return {x.node: x.name for x in REGISTRY.values() if trait in x.traits}


def operation(node: Any) -> str:
    return str(node.name().removesuffix("0").removesuffix("Backward")).lower()


def not_finite(
    passed: list[Flow], gradients: Mapping[int, torch.Tensor], names_by_id: Mapping[int, str]
) -> Iterator[Finding]:
    """Yield a finding for the operation whose gradient is the first of the pass that is not finite."""
    spoilt = [names_by_id.get(key, "a leaf") for key, g in gradients.items() if not torch.isfinite(g).all()]
    first = next(
        (x for x in passed if torch.isfinite(x.upstream).all() and not torch.isfinite(x.contribution).all()), None
    )
    if not spoilt or first is None:
        return
    saved = next(
        (x for x in (getattr(first.node, a, None) for a in ("_saved_self", "_saved_result")) if x is not None), None
    )
    bad = ~torch.isfinite(first.contribution)
    at = (
        f", where its value is {saved[bad].flatten()[0].item():.4g}"
        if saved is not None and saved.shape == bad.shape
        else ""
    )
    masked = (
        bool((first.upstream == 0).any())
        and first.upstream.shape == bad.shape
        and bool((first.upstream[bad] == 0).all())
    )
    name = operation(first.node)
    message = (
        f"the derivative of {name} is not finite{at}: the gradients of {list_names(spoilt)} will be nan or infinite."
    )
    because = (
        "0 · inf is nan: a mask leaves that entry out only afterwards."
        if masked
        else "everything before it gets nan from there."
    )
    yield live_finding(
        AT_EDGE, ", ".join(spoilt), message, because, f"keep the input of {name} away from there, before it"
    )


def flat_activations(passed: list[Flow]) -> Iterator[Finding]:
    """Yield a finding for each activation that passes no gradient on."""
    for flow in passed:
        kind, result = flow.node.name(), getattr(flow.node, "_saved_result", None)
        if result is None or not flow.upstream.any() or flow.contribution.any() or result.numel() < 2:
            continue
        shape = "x".join(map(str, result.shape))
        if kind == "ReluBackward0" and not result.any():
            message = f"all units of a relu with a result of {shape} are 0 in every row: no gradient passes."
            yield live_finding(
                DEAD, "relu", message, "its input is nowhere above 0.", "nn.LeakyReLU(), or other starting weights"
            )
        elif (name := nodes_that_are("saturating").get(kind)) and ((result == 0) | (result.abs() == 1)).all():
            message = f"{name} with a result of {shape} is flat: every entry is exactly 0, 1 or -1."
            yield live_finding(
                SATURATED, name, message, "its derivative is 0 there.", "scale its input to the size of 1"
            )


def column_against_row(passed: list[Flow], loss: torch.Tensor) -> Iterator[Finding]:
    """Yield a finding for a column that was broadcast against a row on its way into a loss of one number."""
    for flow in passed:
        wide, narrow = tuple(flow.unsummed.shape), tuple(flow.contribution.shape)
        kind = operation(flow.node)
        if (
            loss.numel() == 1
            and len(wide) == 2
            and wide[0] == wide[1] > 1
            and narrow == (wide[0], 1)
            and kind in ("sub", "expand")
        ):
            rows = wide[0]
            met = f"a prediction of shape {narrow} was compared with a target of shape ({rows},)"
            message = f"{met}: the difference is {wide}."
            because = f"the loss is made of {rows * rows} numbers in place of {rows}."
            yield live_finding(BROADCAST, "loss", message, because, "prediction.squeeze(1)")
            return


def norms_along_layers(passed: list[Flow], names_by_id: Mapping[int, str]) -> Iterator[Finding]:
    """Yield a finding where the gradients of layers shrink or grow from one layer to the next."""
    products = {*nodes_that_are("matrix"), "ConvolutionBackward0"}
    layers = {flow.node: float(flow.upstream.norm()) for flow in passed if flow.node.name() in products}
    norms = list(layers.values())
    if len(norms) < LAYERS or not all(math.isfinite(norm) and norm for norm in norms):
        return
    ratio = norms[-1] / norms[0]  # the first layer is reached last
    if ratio < VANISHED or ratio > EXPLODED:
        weights = map(id, weights_of(list(layers)[-1]))
        first = next((names_by_id[key] for key in weights if key in names_by_id), "the first layer")
        cause, verb = (VANISHING, "shrinks") if ratio < 1 else (EXPLODING, "grows")
        factor = ratio ** (1 / (len(norms) - 1))
        message = f"the gradient {verb} by a factor of about {factor:.2g} at each of {len(norms)} layers."
        because = f"at {first} it has norm {norms[-1]:.2g}, at the last layer {norms[0]:.2g}."
        yield live_finding(cause, first, message, because, f"nn.init.xavier_normal_({first})")


def weights_of(node: Any) -> Iterator[torch.Tensor]:
    """Yield the weights that a product takes, perhaps transposed."""
    for below, _ in node.next_functions:
        while below is not None and operation(below) in ("t", "transpose") and below.next_functions:
            below = below.next_functions[0][0]
        if below is not None and is_leaf(below) and below.variable.ndim > 1:
            yield below.variable


def missing_parameters(
    parameters: Mapping[str, torch.Tensor],
    reached: Mapping[int, torch.Tensor],
    optimizer: Any,
    names_by_id: Mapping[int, str],
) -> Iterator[Finding]:
    """Yield findings for parameters that are missing from the graph or from the optimizer."""
    trained = {name: x for name, x in parameters.items() if x.requires_grad}
    idle = [name for name, x in trained.items() if id(x) not in reached]
    if idle:
        pronoun = "it" if len(idle) == 1 else "them"
        message = f"the loss does not depend on {list_names(idle)}: no gradient comes to {pronoun}."
        yield live_finding(
            UNUSED,
            ", ".join(idle),
            message,
            f"{len(trained) - len(idle)} of {len(trained)} parameters are in its graph.",
        )
    if optimizer is None or not parameters:
        return
    held = {id(x): x for group in optimizer.param_groups for x in group["params"]}
    left = [name for name, x in trained.items() if id(x) not in held]
    strange = [x for key, x in held.items() if key not in {id(x) for x in parameters.values()}]
    if left:
        kind = type(optimizer).__name__
        because = (
            f"it holds {len(strange)} that the model has not." if strange else "no step changes what it does not hold."
        )
        instead = f"torch.optim.{kind}(model.parameters(), lr={optimizer.param_groups[0]['lr']:g})"
        message = f"the optimizer ({kind}) does not hold {list_names(left)}."
        yield live_finding(STALE if strange else NOT_REGISTERED, ", ".join(left), message, because, instead)


class Watch:
    """Sees backward(), step() and zero_grad() inside a block; `findings` says afterwards what was wrong with them."""

    def __init__(self, model: Any, optimizer: Any) -> None:
        self.model, self.optimizer = model, optimizer
        self.losses: list[float] = []
        self.calls: list[str] = []  # since the last step, by their first letters
        self.findings_by_code: dict[str, Finding] = {}

    def __enter__(self) -> Self:
        self._backward, watch, backward = torch.Tensor.backward, self, torch.Tensor.backward

        def watched(tensor: torch.Tensor, *given: Any, **options: Any) -> Any:
            is_added = watch.calls[-1:] == ["step"] and watch.has_gradient()
            result = backward(tensor, *given, **options)  # type: ignore[no-untyped-call]
            watch.passed(tensor, is_added)
            return result

        torch.Tensor.backward = watched  # type: ignore[method-assign,assignment]
        self._clear = self.optimizer.zero_grad
        self.optimizer.zero_grad = self.cleared
        self._hook = self.optimizer.register_step_pre_hook(lambda *_: self.stepped())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        torch.Tensor.backward = self._backward  # type: ignore[method-assign]
        del self.optimizer.zero_grad  # the method of its class again
        self._hook.remove()

    def cleared(self, *given: Any, **options: Any) -> None:
        self._clear(*given, **options)
        self.calls.append("clear")

    def has_gradient(self) -> bool:
        """Return whether a parameter still has a gradient, whoever was to clear it."""
        held = (x.grad for group in self.optimizer.param_groups for x in group["params"])
        return any(grad is not None and bool(grad.any()) for grad in held)

    def passed(self, loss: torch.Tensor, is_added: bool) -> None:
        if loss.numel() == 1:
            self.losses.append(float(loss.detach()))
        if is_added:
            self.tell(
                ACCUMULATED,
                "backward() adds to the gradients from before the last step(): no zero_grad() since.",
                "optimizer.zero_grad()",
            )
        self.calls.append("pass")

    def stepped(self) -> None:
        since = self.calls[len(self.calls) - self.calls[::-1].index("step") :] if "step" in self.calls else self.calls
        if "pass" in since and since[-1] == "clear":
            self.tell(
                CLEARED_EARLY,
                "zero_grad() runs between backward() and step(), which meets no gradient.",
                "step() before zero_grad()",
            )
        elif "pass" not in since and not self.losses:
            self.tell(
                WITHOUT_BACKWARD,
                "step() runs before any backward() has filled a gradient.",
                "loss.backward() before step()",
            )
        elif since == ["clear"]:
            self.tell(
                BEFORE_BACKWARD,
                "step() runs after zero_grad() and before backward().",
                "zero_grad(), backward(), step()",
            )
        self.calls = [*since[-4:], "step"]

    def tell(self, cause: Cause, message: str, instead: str) -> None:
        because = f"first seen after {len(self.losses)} passes."
        self.findings_by_code.setdefault(
            cause.code, live_finding(cause, type(self.optimizer).__name__, message, because, instead)
        )

    @property
    def findings(self) -> list[Finding]:
        """The findings, the most suspicious first."""
        findings = list(self.findings_by_code.values())
        if len(self.losses) > 2:
            first, last = self.losses[0], self.losses[-1]
            if not math.isfinite(last) or abs(last) > 100 * max(abs(first), min(map(abs, self.losses)), 0.1):
                lr = self.optimizer.param_groups[0]["lr"]
                message = f"the loss grows from {first:.4g} to {last:.4g} in {len(self.losses)} passes."
                findings.append(live_finding(DIVERGING, "lr", message, f"lr = {lr:g}.", f"lr={lr / 10:g}"))
        return ordered(findings)
