r"""LaTeX in answers: `\frac{1}{2}`, `\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`."""

from __future__ import annotations

import re

ROUNDS = 60  # of replacing the innermost braces
MATRIX = r"(?:[pbBvV]?matrix\*?|smallmatrix|array|[pb]smallmatrix|cases)"
LOOKS = "left|right|[bB]ig[lr]?|displaystyle|mathrm|mathbf|text|textbf|operatorname|boldsymbol|bm|boxed|hline|num"
PLAIN = [
    (re.compile(r"\\[pbv]?matrix\s*\{(?P<inner>[^{}]*\\cr[^{}]*)\}"), r" [ \g<inner> ] "),
    (re.compile(r"\\cr(?![A-Za-z])"), " ; "),
    (re.compile(r"\\langle(?![A-Za-z])"), " ( "),
    (re.compile(r"\\rangle(?![A-Za-z])"), " ) "),
    (re.compile(r"\\%"), "%"),
    (re.compile(rf"\\begin\{{{MATRIX}\}}(?:\{{[lcr| ]*\}})?(?:\[[lcr]\])?"), " [ "),
    (re.compile(rf"\\end\{{{MATRIX}\}}"), " ] "),
    (re.compile(rf"\\(?:{LOOKS})(?![A-Za-z])"), " "),
    (re.compile(r"\\\\(?:\[[^\]]*\])?"), " ; "),
    (re.compile(r"\\(?:quad|qquad)(?![A-Za-z])|\\[,;:! ]|(?<!\\)~"), " "),
    (re.compile(r"\\(?:cdot|times|ast)(?![A-Za-z])"), " * "),
    (re.compile(r"\\(?:div)(?![A-Za-z])"), " / "),
    (re.compile(r"\\(?:top|intercal)(?![A-Za-z])"), "T"),
    (re.compile(r"\\approx(?![A-Za-z])"), " ≈ "),
    (re.compile(r"\\partial\s*\{(?P<of>\w+)\}"), r"∂\g<of>"),
    (re.compile(r"\\partial(?![A-Za-z])\s*"), "∂"),
    (re.compile(r"\\infty(?![A-Za-z])"), "inf"),
    (re.compile(r"\{,\}"), ","),
]  # fmt: skip
FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{(?P<a>[^{}]*)\}|(?P<c>\d))\s*(?:\{(?P<b>[^{}]*)\}|(?P<d>\d))")
ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
RAISED = re.compile(r"\^\s*\{([^{}]*)\}")
LOWERED = re.compile(r"_\s*\{(\w*)\}")
GROUP = re.compile(r"(?<![\\\w])\{([^{},;&]*)\}")
NAME = re.compile(r"\\([A-Za-z]+)")


def without_latex(text: str) -> str:
    """Return a text with LaTeX's commands written plainly; one without a backslash or `^{` as it is."""
    if "\\" not in text and "^{" not in text and "_{" not in text and "{," not in text:
        return text
    for pattern, plain in PLAIN:
        text = pattern.sub(plain, text)
    for _ in range(ROUNDS):
        before = text
        text = RAISED.sub(raised, text)
        text = LOWERED.sub(r"_\1", text)
        text = ROOT.sub(r" sqrt(\1)", text)
        text = FRACTION.sub(fraction, text)
        if text == before:
            break
    text = GROUP.sub(r"(\1)", text) if "\\" in text or "(" in text else text
    return NAME.sub(r" \1", text).strip()


def fraction(found: re.Match[str]) -> str:
    above, below = (next(part for part in found.group(*names) if part is not None) for names in ("ac", "bd"))
    if re.fullmatch(r"[d∂]\s*\w+", above.strip()) and re.fullmatch(r"[d∂]\s*\w+", below.strip()):
        return f"{above.strip()}/{below.strip()}"  # the label of a derivative
    if above.strip().isdigit() and below.strip().isdigit() and stands_alone(found):
        return f"{above.strip()}/{below.strip()}"
    return f"(({above})/({below}))"


def stands_alone(found: re.Match[str]) -> bool:
    """Whether a fraction is a whole entry of a matrix, but for its sign."""
    before = found.string[: found.start()].rstrip().rstrip("-+").rstrip()[-1:]
    after = found.string[found.end() :].lstrip()[:1]
    return before in ("[", ";", "&", ",") and after in ("]", ";", "&", ",")


def raised(found: re.Match[str]) -> str:
    inner = found[1].strip()
    return f"^{inner}" if re.fullmatch(r"-?\d+|\w|T", inner) else f"^({inner})"
