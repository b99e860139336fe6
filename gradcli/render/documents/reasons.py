"""Reasons for tensor rules, as JSON has them."""

from __future__ import annotations

from gradcli.explanation.index.printing import Writer
from gradcli.explanation.model import Why
from gradcli.guard import optional
from gradcli.language.unparser import unparse_statement as write_statement
from gradcli.render.text.numbers import number
from gradcli.stream.values import Json, plain

EXACT = Writer(ascii=True, number=lambda value: number(value, 17))


@optional("reason", None)
def reason_document(why: Why) -> Json:
    """Return the facts in ASCII, `L` being what is differentiated."""
    gradient = why.gradient and EXACT.derived(why.gradient, f"dL/d{why.gradient.left.tensor.removeprefix('∂')}")
    entry = why.entry
    return {
        "shapes": {name: list(size) for name, size in why.shapes},
        "forward": [EXACT.equation(equation) for equation in why.forward],
        "gradient": gradient,
        "differential": [write_statement(statement) for statement in why.differential],
        "given": dict(why.given),
        "outside": list(why.outside),
        "entry": entry
        and {
            "place": list(entry.place),
            "flat": entry.is_flat,
            "numbers": EXACT.term(entry.numbers),
            "value": plain(entry.value),
        },
    }
