"""Functions as mathematicians write them: roots, logarithms, cases; of any other its name and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gradcli.language.unparser import Precedence
from gradcli.render.latex.pieces import Piece, in_brackets
from gradcli.render.latex.symbols import Symbols, escaped

_NAMED = {name: f"\\{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min", "det", "log")} | {
    "asin": r"\arcsin", "arcsin": r"\arcsin", "acos": r"\arccos", "arccos": r"\arccos",
    "atan": r"\arctan", "arctan": r"\arctan", "log2": r"\log_{2}", "log10": r"\log_{10}",
    "erf": r"\operatorname{erf}", "trace": r"\operatorname{tr}", "sign": r"\operatorname{sign}",
}  # fmt: skip
_REDUCING = {
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "amax",
    "amin",
    "norm",
    "trace",
    "det",
    "dot",
    "var",
    "std",
    "mse_loss",
}


def operator(name: str) -> str:
    """Return the name of a function, upright."""
    return f"\\operatorname{{{escaped(name)}}}"


def applied(name: str, parts: Sequence[Piece], keywords: Sequence[str | None], symbols: Symbols) -> Piece:
    """Return a function of its arguments, some of them by keyword."""
    special = _SPECIAL.get(name)
    if special is not None and not any(keywords):
        count, write = special
        if count == len(parts):
            return write(*parts)
    is_sigma = name == "sigmoid" and not symbols.has(r"\sigma")
    written = r"\sigma" if is_sigma else _NAMED.get(name) or operator(name)
    texts = [
        part.text if keyword is None else f"\\text{{{escaped(keyword)}}}={part.text}"
        for part, keyword in zip(parts, keywords, strict=True)
    ]
    argument = in_brackets(", ".join(texts), parts)
    if name in _REDUCING:
        rank = 0 if len(parts) == 1 else None
    else:
        rank = max((part.rank for part in parts if part.rank is not None), default=None) if parts else None
    found = argument.joined(f"{written}{argument.text}", [argument], rank=rank)
    if not argument.is_tall and len(texts) > 1:  # the lines of a long one end after a comma
        terms = [f"{text}," for text in texts[:-1]]
        found = replace(found, terms=(f"{written}({terms[0]}", *terms[1:], f"{texts[-1]})"))
    width = found.width + len(name) + sum(len(keyword) + 1 for keyword in keywords if keyword)
    return replace(found, width=width, function=(written, argument.text))


def _around(opening: str, closing: str, *, rank: int | None = -1) -> Callable[[Piece], Piece]:
    def write(part: Piece) -> Piece:
        stretch = (r"\left", r"\right") if part.is_tall else ("", "")
        return part.joined(f"{stretch[0]}{opening} {part.text} {stretch[1]}{closing}", [part], rank=rank)

    return write


def _exponential(power: Piece) -> Piece:
    if power.fractions > 1 or power.width > 16:
        argument = in_brackets(power.text, [power])
        found = argument.joined(f"\\exp{argument.text}", [argument])
        return replace(found, function=(r"\exp", argument.text))
    return power.joined(f"\\mathrm{{e}}^{{{power.text}}}", [power]).raised()


def _root(part: Piece) -> Piece:
    return part.joined(f"\\sqrt{{{part.text}}}", [part])


def _cases(condition: Piece, then: Piece, otherwise: Piece) -> Piece:
    text = (
        f"\\begin{{cases}} {then.text} & \\text{{if }} {condition.text} \\\\"
        f" {otherwise.text} & \\text{{otherwise}} \\end{{cases}}"
    )
    found = then.joined(text, [condition, then, otherwise])
    return replace(found, is_tall=True, width=found.width + 9, level=Precedence.COMPARISON)


def _raised(exponent: str) -> Callable[[Piece], Piece]:
    def write(part: Piece) -> Piece:
        base = part.at(Precedence.PRIMARY)
        base = base.bracketed() if base.is_raised else base
        return base.joined(f"{base.text}^{{{exponent}}}", [base]).raised()

    return write


_ABSOLUTE = _around(r"\lvert", r"\rvert")
_SPECIAL: Mapping[str, tuple[int, Callable[..., Piece]]] = {
    "exp": (1, _exponential),
    "sqrt": (1, _root),
    "abs": (1, _ABSOLUTE),
    "absolute": (1, _ABSOLUTE),
    "norm": (1, _around(r"\lVert", r"\rVert", rank=0)),
    "floor": (1, _around(r"\lfloor", r"\rfloor")),
    "ceil": (1, _around(r"\lceil", r"\rceil")),
    "where": (3, _cases),
    "t": (1, _raised(r"\top")),
    "inv": (1, _raised("-1")),
    "inverse": (1, _raised("-1")),
}
