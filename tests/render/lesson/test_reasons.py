"""Why a tensor rule holds, as pages and documents say it."""

from __future__ import annotations

import re

import pytest

from gradcli.explanation.chain.links import trace
from gradcli.explanation.model import Explanation
from gradcli.explanation.reference import explain_example
from gradcli.render.documents.explanation import explanation_document
from gradcli.render.lesson.page import page
from gradcli.render.lesson.trace import trace_page
from gradcli.render.text.looks import Looks

PRODUCT = "h = [[1, 0], [2, 3]]; W2 = [[1, 2], [3, 4]]; v3 = h @ W2; L = sum(v3*v3)"


@pytest.fixture
def product() -> Explanation:
    return explain_example(PRODUCT)


def below(text: str, rule: str) -> list[str]:
    """The lines below a rule."""
    lines = text.split("\n")
    start = next(n for n, line in enumerate(lines) if line.startswith(f"  {rule}"))
    found = []
    for line in lines[start + 1 :]:
        if not line.startswith("    "):
            break
        found.append(line.strip())
    return found


def test_in_full_with_why(product: Explanation) -> None:
    text = page(product, Looks(), why=True)
    assert re.search(r"∂v3/∂W2 +g → h.T @ g +h \(2,2\), g \(2,2\) → \(2,2\)", text)
    formula, entry, sentence = below(text, "∂v3/∂W2")
    assert formula == "v3[i,k] = Σj h[i,j]·W2[j,k], so ∂L/∂W2[j,k] = Σi h[i,j]·g[i,k]"
    assert entry == "entry [0,0]: 1·2 + 2·22 = 46"
    assert sentence.endswith(".")


def test_a_trace_has_the_upstream_gradient_itself(product: Explanation) -> None:
    text = trace_page(product, [trace(product, "W2", None)], Looks(), why=True)
    assert "so ∂L/∂W2[j,k] = Σi h[i,j]·∂L/∂v3[i,k]" in text


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("x = [1, 2]; sum(x[1]*x)", "so ∂v3/∂x[1] += g, 0 elsewhere"),
        ("x = [1, 2, 3]; sum(x[:2])", "so ∂v2/∂x[i] = g[i] (entries outside g count as 0)"),
        ("x = [[2, 1]]; sum(cross_entropy(x, [0]))", "where c1 is [0]"),
        ("A = [[2, 1], [0, 1]]; det(A)", "dv1 = v1·trace(inverse(A) @ dA)"),
        ("x = [[[1, 2], [3, 0]]]; sum(max_pool2d(x, 2))", "row, column are the place of the largest entry"),
        ("i = [[1, 2]]; k = [[1], [2]]; sum(i @ k)", "v1[l,m] = Σj i[l,j]·k[j,m]"),
    ],
)
def test_what_a_line_says(program: str, says: str) -> None:
    assert says in page(explain_example(program), Looks())


def test_a_document_has_the_facts(product: Explanation) -> None:
    (node,) = [node for node in explanation_document(product)["nodes"] if node["name"] == "v3"]
    assert node["locals"][1]["why"] == {
        "shapes": {"h": [2, 2], "g": [2, 2]},
        "forward": ["v3[i,k] = sum_j h[i,j]*W2[j,k]"],
        "gradient": "dL/dW2[j,k] = sum_i h[i,j]*g[i,k]",
        "differential": [],
        "given": {},
        "outside": [],
        "entry": {"place": [0, 0], "flat": False, "numbers": "1*2 + 2*22", "value": 46.0},
    }


def test_copies_are_told_beside_the_rule() -> None:
    told = page(explain_example("A = [[1, 2], [3, 4]]; v = [5, 6]; b = 7; sum(A*v + b)"), Looks(), why=True)
    assert "both terms. b stands in all 4 entries of v2, and gets the sum over them." in told
    assert "other factor. v stands in all 2 rows of v1, and gets the sum over them." in told
    assert "stands in all" not in page(explain_example("A = [[1, 2], [3, 4]]; sum(A*A + A)"), Looks(), why=True)
