"""Live graphs of torch: the gradients are torch's, the rules are gradcli's, and nothing of the graph changes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.errors import GradcliError
from gradcli.explanation.model import Explanation, Unkept
from gradcli.render.documents.explanation import explanation_document
from gradcli.render.graph.svg import svg
from gradcli.render.latex.pages import lesson
from gradcli.render.lesson.page import page
from gradcli.render.page.program import program_page
from gradcli.render.text.looks import Looks, asked
from tests.commands.running import validator
from tests.programs import EXAMPLES, family, of_every

torch = pytest.importorskip("torch")
from torch.utils.checkpoint import checkpoint  # noqa: E402

from gradcli.live.explained import explain_graph  # noqa: E402  which needs torch
from gradcli.live.passes import check  # noqa: E402


def small_model() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))


def gradients(found: Explanation) -> dict[str, Any]:
    return {leaf.name: leaf.gradient for leaf in found.leaves}


def check_pages(found: Explanation) -> None:
    document = explanation_document(found)
    validator("explanation").validate(document)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    looks = Looks()
    for text in (page(found, looks), program_page(found, looks), svg(found, asked(looks)), lesson(found)):
        assert "Unkept" not in text
        assert text


def test_the_page_of_a_live_graph_begins_with_what_is_suspicious() -> None:
    x = torch.tensor([1.0, 0.0], requires_grad=True)
    text = program_page(explain_graph(x.sqrt().sum(), {"x": x}), Looks())
    head = text[text.index('<ul class="findings">') : text.index("</header>")]
    assert "nan-at-edge" in head
    assert "where x is 0" in head


@pytest.mark.slow
@of_every(EXAMPLES[::24], family)
def test_the_examples_of_all_operations(program: str) -> None:
    from tests.torch_language import run as run_torch

    theirs = run_torch(program)
    if theirs.output is None or theirs.output.grad_fn is None:
        return
    leaves = list(theirs.leaves.values())
    ones = torch.ones_like(theirs.output)
    expected = torch.autograd.grad(theirs.output, leaves, ones, retain_graph=True, allow_unused=True)
    inner = explain_graph(theirs.output.sum(), theirs.leaves)  # whose result nobody gives
    kept = explain_graph((theirs.output * theirs.output).sum(), theirs.leaves)  # whose result the product keeps
    found = explain_graph(theirs.output, theirs.leaves)
    assert not [note for note in (*found.notes, *inner.notes, *kept.notes) if note.code == "differs"]
    for name, gradient in zip(theirs.leaves, expected, strict=True):
        if name in gradients(found):
            np.testing.assert_allclose(gradients(found)[name], gradient.numpy(force=True), rtol=1e-9, atol=1e-12)
    explanation_document(found)
    assert page(found, Looks())


def test_a_model_is_told_in_the_names_of_its_caller() -> None:
    model, x, y = small_model(), torch.randn(5, 3), torch.tensor([0, 1, 0, 1, 1])
    hidden = model(x)
    loss = torch.nn.functional.cross_entropy(hidden, y)
    found = gradcli.from_torch(loss)
    named = {"model.0.weight", "model.0.bias", "x", "model.2.weight", "model.2.bias", "y", "hidden", "loss"}
    assert named <= {node.name for node in found.nodes}
    assert "hidden = model.2.bias + v3 @ v4" in found.program
    loss.backward()
    for name, parameter in model.named_parameters():
        np.testing.assert_allclose(gradients(found)[f"model.{name}"], parameter.grad.numpy(), rtol=1e-6)
    check_pages(found)


def test_names_may_be_given() -> None:
    model = small_model()
    found = gradcli.from_torch(model(torch.ones(1, 3)).sum(), dict(model.named_parameters()))
    assert set(gradients(found)) == dict(model.named_parameters()).keys()
    weights = torch.nn.ParameterList([torch.ones(2), torch.ones(2)])
    found = gradcli.from_torch((weights[0] * weights[1]).sum(), dict(weights.named_parameters()))
    assert set(gradients(found)) == {"model.0", "model.1"}


def test_nothing_changes() -> None:
    fired: list[Any] = []
    w = torch.ones(3, requires_grad=True)
    w.grad = torch.full((3,), 7.0)
    h = w * 2
    h.retain_grad()
    h.register_hook(fired.append)
    w.register_hook(fired.append)
    h.grad_fn.register_hook(lambda *gradients: fired.append(gradients))
    loss = (h**2).sum()
    versions = w._version, h._version
    found = gradcli.from_torch(loss)
    assert not fired
    assert (w._version, h._version) == versions
    assert h.grad is None
    assert w.grad.tolist() == [7.0, 7.0, 7.0]
    assert gradients(found)["w"].tolist() == [8.0, 8.0, 8.0]
    loss.backward()
    assert len(fired) == 3
    assert w.grad.tolist() == [15.0, 15.0, 15.0]


def test_hooks_that_were_not_fired_are_told() -> None:
    w, plain = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    h = w * plain
    h.register_hook(lambda g: 10 * g)
    w.register_hook(lambda g: 10 * g)
    found = gradcli.from_torch(h**2)
    assert gradients(found)["w"] == 36
    assert [note.node for note in found.notes if note.code == "hooks"] == ["w", "h"]
    check_pages(found)


def test_operands_of_sums_are_found_from_the_result() -> None:
    w, y = torch.tensor(2.0, requires_grad=True), torch.tensor([3.0, 5.5])
    found = gradcli.from_torch(((1 - (w * 3 - y) ** 2) ** 2).sum())
    assert found.program.splitlines()[1:4] == ["v2 = v1 - y", "v3 = v2**2", "v4 = 1 - v3"]
    assert found.node("y").value.tolist() == [3.0, 5.5]


def test_what_torch_did_not_keep_is_said_so() -> None:
    w, data = torch.tensor([2.0, 1.0], requires_grad=True), [torch.tensor([3.0, 5.5])]
    found = gradcli.from_torch((w + data[0]).sum())
    assert isinstance(found.node("c1").value, Unkept)
    assert [node["value"] for node in explanation_document(found)["nodes"]][:3] == [[2.0, 1.0], None, None]
    assert "c1            = shape (2,)  constant" in page(found, Looks())
    check_pages(found)


def test_what_gradcli_does_not_know_is_a_box_with_torchs_gradients() -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.save_for_backward(x)
            ctx.factor = factor
            return factor * x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * ctx.factor * 3 * x**2, None

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    first, second = torch.stack([Cube.apply(x, 2.0), x]).unbind()
    found = gradcli.from_torch((first * second).sum())
    assert {"CubeBackward", "unbind_part"} <= {node.op for node in found.nodes}
    assert gradients(found)["x"].tolist() == [8.0, 64.0]
    check_pages(found)


def operations(found: Explanation) -> list[str | None]:
    return [node.op for node in found.nodes if node.kind == "op"]


@pytest.mark.parametrize(
    ("operation", "read"),
    {
        "F.selu(x)": "selu",
        "F.elu(x, 2)": "elu",
        "x.renorm(2, 0, 1.0)": "RenormBackward0",
        "x.clamp_min(0.5)": "clamp_min",
        "torch.unbind(x)[1]": "unbind_part",
        "x.split(2, 1)[1]": "split_part",
        "x.unsafe_chunk(2)[1]": "unsafe_split_part",
        "x.split([1, 2], 1)[1]": "split_part_with_sizes",
        "x.double()": "to_copy",
        "x[:0].abs() + 1": "add",
        "torch.linalg.qr(x.T)[1]": "qr_R",
        "torch.linalg.cholesky(x @ x.T + 1, upper=True)": "LinalgCholeskyExBackward0",
        "F.layer_norm(x, (3,), eps=0.1)": "layer_norm",
        "F.conv2d(x[None, None], x[None, None], padding=1)": "convolution",
        "x[0].max(0).values": "max_dim",
        "x.sum().max(0).values": "MaxBackward0",
        "x.roll(1)": "roll",
        "x.index_add(0, torch.tensor([1]), x[:1], alpha=2)": "IndexAddBackward0",
        "x.bfloat16()": "ToCopyBackward0",
        "torch.div(x, 0.3, rounding_mode='trunc') + x": "add",
        "torch.addcmul(x, x.detach(), x)": "addcmul",
    }.items(),
)
def test_a_node_is_read_with_all_that_it_saved(operation: str, read: str) -> None:
    """As an operation of gradcli whose rule is torch's, or where that has no such options as a box."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, requires_grad=True)
    found = explain_graph(eval(operation, {"torch": torch, "F": torch.nn.functional, "x": x}).sum(), {"x": x})
    assert read in operations(found)
    assert "differs" not in {note.code for note in found.notes}
    check_pages(found)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_rounding_is_no_difference(kind: Any) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.ReLU(), torch.nn.LayerNorm(6), torch.nn.Linear(6, 1))
    loss = (
        model(torch.randn(4, 8)).pow(2).mean()
        if kind == torch.float32
        else model.to(kind)(torch.ones(4, 8, dtype=kind)).sum()
    )
    found = explain_graph(loss, dict(model.named_parameters()))
    assert "differs" not in {note.code for note in found.notes}
    assert not [op for op in operations(found) if op and op.endswith("Backward0")]


def test_sparse_gradients_are_told_in_full() -> None:
    table = torch.nn.Embedding(4, 2, sparse=True)
    found = explain_graph(table(torch.tensor([1, 1])).sum(), {"table": table.weight})
    assert gradients(found)["table"].tolist() == [[0, 0], [2, 2], [0, 0], [0, 0]]


def test_a_wrong_rule_is_told_with_the_difference() -> None:
    from gradcli.ops.pointwise.trigonometry import sin
    from tests.programs import wrong

    x = torch.tensor(0.5, requires_grad=True)
    with wrong(sin):
        found = gradcli.from_torch(torch.sin(x))
    (note,) = [note for note in found.notes if note.code == "differs"]
    assert note.message.startswith("torch's contribution from v1 to x is not the rule's: they are up to ")


def test_large_tensors_are_told_by_their_shape() -> None:
    weight = torch.ones(100, 80, requires_grad=True)
    found = gradcli.from_torch((weight**2).sum())
    assert "shape (100, 80)" in page(found, Looks())
    assert explanation_document(found)["gradients"] == {"weight": None}


def test_lines_are_told_where_anomaly_mode_kept_them() -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        loss = (x * 3).sum()
    assert "  # test_live.py:" in gradcli.from_torch(loss).program


def freed() -> Any:
    x = torch.ones(2, requires_grad=True)
    loss = (x**2).sum()
    loss.backward()
    return loss


def misshapen() -> Any:
    x = torch.ones(2, requires_grad=True)
    return torch.zeros(2).scatter_add(0, torch.tensor([1]), x)


def reentrant() -> Any:
    return checkpoint(torch.tanh, torch.ones(2, requires_grad=True), use_reentrant=True)


def long() -> Any:
    x = torch.ones((), requires_grad=True)
    for _ in range(500):
        x = x * 2
    return x


def test_bfloat16_is_told_in_float32() -> None:
    x = torch.tensor([1.5, 2.0], dtype=torch.bfloat16, requires_grad=True)
    assert gradients(gradcli.from_torch((x * x).sum()))["x"].tolist() == [3.0, 4.0]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (lambda x: {"a b": x}, "'a b' is no name of a tensor"),
        (lambda x: {"": x}, "'' is no name of a tensor"),
        (lambda x: {"\x1b[31m": x}, r"'\\x1b\[31m' is no name of a tensor"),
        (lambda x: {"2..": x}, "'2..' is no name of a tensor"),
        (lambda x: {None: x}, "None is no name of a tensor"),
        (lambda x: {"x": 3}, "x names int, not a tensor"),
        (lambda _: 3, "names is no dictionary"),
    ],
)
def test_names_that_cannot_be(names: Any, message: str) -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(GradcliError, match=message):
        gradcli.from_torch(x.sum(), names(x))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (freed, "the graph of this tensor was freed by a backward pass"),
        (lambda: torch.ones(2), "this tensor has no graph"),
        (lambda: 3.0, "from_torch takes a tensor of torch, and this is of type float"),
        (lambda: (torch.ones(2, requires_grad=True) * 1j).abs().sum(), "this graph has complex numbers"),
        (lambda: torch.eye(2).to_sparse().requires_grad_() * 2, "this tensor is sparse"),
        (lambda: torch.ones(2, device="meta", requires_grad=True) * 2, "this graph has tensors without numbers"),
        (lambda: torch.nested.nested_tensor([torch.ones(2)], requires_grad=True) * 2, "this graph has nested tensors"),
        (misshapen, "torch's gradient of shape \\(1,\\) fits no input of shape \\(2,\\)"),
        (reentrant, "a checkpoint of this graph runs a backward pass of its own"),
        (long, "this graph has 501 nodes, and 400 can be explained"),
    ],
)
def test_what_cannot_be_explained_is_an_error(given: Any, message: str) -> None:
    with pytest.raises(GradcliError, match=message):
        gradcli.from_torch(given())


def test_an_operand_that_is_not_known_below_a_result_that_is() -> None:
    """A later node keeps the result of one whose own operand torch has not."""
    x, places = torch.ones(2, 2, requires_grad=True), torch.tensor([[0, 1], [2, 3]])
    added = torch.zeros(2, 4).scatter_add(1, places, x)
    for later in (added.gather(1, places).exp(), added.take(places), added * added):
        found = gradcli.from_torch(later.sum())
        assert "ScatterAddBackward0(x)" in found.program
        assert not [note for note in found.notes if note.code == "differs"]


def test_results_are_numbered_as_torch_numbers_those_with_gradients() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True)
    for result in torch.linalg.eigh(x + x.T):
        assert not gradcli.from_torch((result * result).sum()).notes


def test_a_compiled_graph_is_refused() -> None:
    """By the name of its node, as compiling one takes seconds."""
    node = type("Node", (), {"name": lambda _: "CompiledFunctionBackward"})()
    with pytest.raises(GradcliError, match="this graph was compiled"):
        check([node])


def test_a_right_side_that_torch_does_not_keep_has_the_shape_of_the_solution() -> None:
    A = torch.tensor([[2.0, 1.0], [0.0, 4.0]], requires_grad=True)
    for B in torch.tensor([[1.0], [2.0]]), torch.ones(2, 3):
        found = gradcli.from_torch(torch.linalg.solve_triangular(A, B, upper=True).sum())
        assert "differs" not in {note.code for note in found.notes}
