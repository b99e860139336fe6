r"""The tokens of an answer in whatever notation: text, LaTeX, Word, Markdown, HTML, MATLAB, Julia, Wolfram, Python.

Every character of an answer belongs to a token or is a space between two, so that a reader which uses every token has
dropped nothing. `\frac`, `√`, `<sup>` and `²` are tokens; `\left`, `\mathrm` and `<b>` only set others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import normalize

from gradcli.facts import dataclass

SPACES = dict.fromkeys(map(ord, "\u00a0\u1680\u2007\u202f\u205f\u3000\t\v\f"), " ") | dict.fromkeys(
    range(0x2000, 0x200B), " "
)
INVISIBLE = dict.fromkeys(
    (0xAD, 0xFE0E, 0xFE0F, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF)
)
PROSE = {**SPACES, **INVISIBLE}
PLAIN = {
    **PROSE,
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # full width
    **{code: normalize("NFKC", chr(code)) for code in range(0x1D400, 0x1D800)},  # Word's mathematics
    **dict.fromkeys(map(ord, "−–—‐‑‒﹣"), "-"),
    **dict.fromkeys(map(ord, "∙•∗⋅·"), "·"),
    **dict.fromkeys(map(ord, "÷∕⁄"), "/"),
    **dict.fromkeys(map(ord, "’‘′ʹ"), "'"),
    **dict.fromkeys(map(ord, "⎡⎢⎣⎛⎜⎝"), "["),
    ord("〖"): "{",  # Word's brackets that are not seen
    ord("〗"): "}",
    **dict.fromkeys(map(ord, "⎤⎥⎦⎞⎟⎠"), "]"),
    **dict.fromkeys(map(ord, "〈〈"), "⟨"),
    **dict.fromkeys(map(ord, "〉〉"), "⟩"),
    **dict.fromkeys(map(ord, "⊤⊺"), "ᵀ"),
    **dict.fromkeys(map(ord, "∼˜"), "~"),
    **dict.fromkeys(map(ord, "𝟙𝕀"), "𝟙"),
    ord("ˆ"): "^",
    ord("∥"): "‖",
    ord("∞"): "inf",
    ord("π"): "pi",
    ord("∑"): "Σ",
    **dict.fromkeys(map(ord, "ℯⅇ"), "e"),
    **dict.fromkeys(map(ord, "ⅆ"), "d"),
    ord("٫"): ".",
    ord("，"): ", ",
    ord("：") : ":",
}  # fmt: skip
FRACTIONS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾⁼ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx")
LOWERED = str.maketrans(RAISED, "0123456789+-()=abcdefghijklmnoprstuvwxyz")
POWER_OF_TEN = (
    r"(?:\s*(?:\*|·|×|\\times(?![A-Za-z])|\\cdot(?![A-Za-z]))\s*10\s*"
    r"(?:(?:\^|\*\*)\s*(?:-?\+?\d{1,3}|\(\s*[-+]?\s*\d{1,3}\s*\)|\{\s*[-+]?\s*\d{1,3}\s*\})(?!\d|\.\d)|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))"
)
EXPONENT = r"(?:[eE]|\*\^)[-+]?\d{1,4}(?!\w|\.\d)"
WHOLE = r"\d+(?:\.(?![*/^'.])\d*)?|\.\d+"
PLAIN_NUMBER = re.compile(r"[\d.]+(?:[eE][-+]?\d+)?")
TIMES_POWER = re.compile(rf"(?P<digits>{WHOLE})(?:\*|·|×|\\times|\\cdot)10(?:\^|\*\*)?[({{]?(?P<power>.*?)[)}}]?")
INDEX = re.compile(r"_?\s*\{(\w*|[a-z]\s*,\s*[a-z])\}")
BEHIND_COMMAND = re.compile(r"_(?:\{(\w+)\}|(\w))")
LOWERED_LETTERS = re.compile("(?<=\\w)[ᵢⱼₖₗₘₙₚᵣₛₜ]+")
OPENING = re.compile(r"\s*\{")
TOKEN = re.compile(
    rf"(?P<special>[∂∇𝟙])|(?P<number>(?:(?P<comma>\d+,\d+)|{WHOLE})(?:{EXPONENT}|{POWER_OF_TEN})?)"
    rf"|(?P<gap>[ ]+)|(?P<line>\r\n?|\n)|(?P<raised>[{RAISED}]+)|(?P<fraction>[{FRACTIONS}])"
    rf"|(?P<name>[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+|(?:[^\W\d{RAISED}ᵀ]|_)[^\W{RAISED}ᵀ]*(?:[\u0300-\u036f][^\W{RAISED}ᵀ]*)*)"
    r"|(?P<tag></?(?:b|i|u|em|strong|code|span|p|br|font|sup|sub)\b[^<>]*>)"
    r"|(?P<command>\\(?:[A-Za-z]+\*?|.))"
    r"|(?P<dots>…|\.\.+)|(?P<attribute>\.[^\W\d]\w*)"
    r"|(?P<relation>==?>|-->|->|[→⇒⟹⟶↦]|:=|==|!=|<=|>=|~=|[=≈≃≅≡~<>≤≥≠±])"
    r"|(?P<operator>\*\*|\.\*|\./|\.\^|\.'|%\*%|//|[-+*/^@%·×∘⊙⊗])"
    r"|(?P<bar>\|\||[|‖])|(?P<open>[\[({⟨])|(?P<close>[\])}⟩])|(?P<row>;)|(?P<separator>[,&])|(?P<turned>ᵀ)"
    r"|(?P<root>√)|(?P<prime>')|(?P<mark>[\"“”„«»$`:.!?✓✔\u2600-\u27bf\U0001f300-\U0001faff])|(?P<other>.)",
    re.DOTALL,
)
SEPARATED = re.compile(rf"\d+(?:{EXPONENT}|{POWER_OF_TEN})?")
KINDS = {"comma": "number", "special": "name"}  # of groups in the pattern that are tokens of another kind
# <1, 2>, <u, v>
ANGLES = re.compile(r"\s*<(?P<inner>[^<>]*\d[^<>]*)>\s*|<(?P<names>\s*[^\W\d]\w*\s*,\s*[^\W\d]\w*\s*)>")
ENVIRONMENT = re.compile(r"\s*\{(?P<name>[A-Za-z]+)\*?\}(?:\s*\{[lcr| ]*\}|\[[lcr]\])?")
SETTERS = """
left right middle big bigl bigr Big Bigl Bigr bigg Bigg limits nolimits mathrm mathbf mathit mathsf mathcal mathbb
mathfrak operatorname boldsymbol bm pmb text textbf textit textrm mbox boxed underline ensuremath rm bf num hline
displaystyle textstyle
"""  # they set what follows, and mean nothing
LOOKS = frozenset(SETTERS.split())
ACCENTS = {"hat": "hat", "widehat": "hat", "bar": "bar", "overline": "bar", "tilde": "tilde", "widetilde": "tilde",
           "dot": "dot", "vec": "", "check": "check"}  # fmt: skip
ACCENTED = re.compile(r"\s*(?:\{\s*(?P<looks>\\math\w+\s*\{)?\s*\\?(\w+)\s*\}(?(looks)\s*\})|\\?(\w+))")
MARKED = {"\u0302": "hat", "\u0304": "bar", "\u0305": "bar", "\u0303": "tilde", "\u0307": "dot"}
COMMANDS = {  # of LaTeX, with the kind and the text of their tokens
    name: (kind, text)
    for kind, text, names in (
        ("operator", "·", "cdot bullet"),
        ("operator", "×", "times"),
        ("operator", "*", "ast"),
        ("operator", "⊙", "odot circ"),
        ("operator", "⊗", "otimes"),
        ("operator", "/", "div"),
        ("operator", "%", "%"),
        ("turned", "ᵀ", "top intercal transpose"),
        ("relation", "≈", "approx simeq sim cong doteq"),
        ("relation", "⇒", "to rightarrow Rightarrow implies longrightarrow mapsto"),
        ("relation", "=", "equiv coloneqq"),
        ("relation", "<=", "le leq leqslant"),
        ("relation", ">=", "ge geq geqslant"),
        ("relation", "!=", "ne neq"),
        ("relation", "<", "lt"),
        ("relation", ">", "gt"),
        ("relation", "±", "pm"),
        ("bar", "‖", "lVert rVert Vert |"),
        ("bar", "|", "lvert rvert vert mid"),
        ("open", "(", "lbrack lparen"),
        ("close", ")", "rbrack rparen"),
        ("open", "⟨", "langle"),
        ("close", "⟩", "rangle"),
        ("open", "{", "{"),
        ("close", "}", "}"),
        ("mark", "$", "[ ] ( )"),
        ("name", "∂", "partial"),
        ("name", "∇", "nabla"),
        ("name", "inf", "infty"),
        ("prime", "'", "prime"),
        ("root", "√", "sqrt"),
        ("dots", "...", "ldots dots cdots"),
        ("fraction", "frac", "frac dfrac tfrac cfrac"),
        ("row", ";", "\\ cr newline"),
    )
    for name in names.split()
}
SPACING = frozenset((*",;:! ", "quad", "qquad", "item"))
ENVIRONMENTS = "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix array psmallmatrix bsmallmatrix"
MATRICES = frozenset(ENVIRONMENTS.split())
WORD_MATRIX = re.compile(r"■\(([^()■]*)\)")  # ■(1&2@3&4)
PERIOD = re.compile(r"(?<=[.,\d])\\overline\s*\{(\d+)\}|(?<=[.,\d])((?:\d[\u0304\u0305])+)")  # 0.\overline{3}
BINOMIAL = re.compile(r"\\[dt]?binom\s*\{([^{}]*)\}\s*\{([^{}]*)\}")  # many write a column so
NOT_WORD = re.compile(r"\W")
NOT_DIGITS = re.compile(r"[^0-9]")
WOLFRAM = re.compile(r"\\\[([A-Z][a-z]+)\]")  # \[Alpha]


@dataclass(slots=True)
class Token:
    """A token with its place in the text; `gap` says whether a space stands before it."""

    kind: str
    text: str
    start: int
    end: int
    gap: bool = False


def plain_characters(text: str) -> str:
    """Return a text with one character for each meaning: one minus, one dot, no invisible ones."""
    if "\\" in text:
        text = WOLFRAM.sub(lambda match: f" {match[1].lower()} ", BINOMIAL.sub(r"[\1; \2]", text))
    text = (
        PERIOD.sub(lambda match: f"({re.sub(NOT_DIGITS, '', match[0])})", text)
        if "\\" in text or not text.isascii()
        else text
    )
    if text.isascii() and "\t" not in text:
        return text
    text = WORD_MATRIX.sub(lambda match: f"[{match[1].replace('@', ';')}]", text) if "■" in text else text
    return text.translate(PLAIN).replace("‖₂", "‖_2")


@lru_cache(2**10)
def tokens_of(text: str, comma: str) -> tuple[Token, ...]:
    """Return the tokens of a text in plain characters; `decimal` commas are part of numbers."""
    return tuple(Tokenizer(text, comma).tokens())


class Tokenizer:
    def __init__(self, text: str, comma: str) -> None:
        if "<" in text and ANGLES.search(text):
            whole = text  # numbers are a vector where nothing else stands there
            text = ANGLES.sub(lambda hit: f"⟨{hit[1] or hit[2]}⟩" if hit["names"] or hit[0] == whole else hit[0], text)
        self.text, self.comma = text, comma
        self.read_tokens: list[Token] = []
        self.gap = False
        self.braces: list[str] = []  # of the braces that are open: what stands for the closing one, "" for nothing
        self.place = 0
        self.look = -1  # where a command began that sets what follows, which is part of the next token

    def tokens(self) -> Sequence[Token]:
        while self.place < len(self.text):
            match = TOKEN.match(self.text, self.place)
            assert match is not None
            start, self.place, kind, piece = self.place, match.end(), str(match.lastgroup), match[0]
            if kind == "gap":
                self.gap = True
                continue
            kind = KINDS.get(kind, kind)
            if match["comma"] and self.comma != "decimal":
                match = SEPARATED.match(self.text, start)
                assert match is not None
                self.place, piece = match.end(), match[0]
            reader = getattr(self, f"take_{kind}", None)
            reader(piece, start) if reader else self.add(kind, piece, start)
        return self.read_tokens

    def add(self, kind: str, text: str, start: int) -> None:
        self.read_tokens.append(Token(kind, text, start if self.look < 0 else self.look, self.place, self.gap))
        self.gap, self.look = False, -1

    def take_number(self, piece: str, start: int) -> None:
        """Add a number, in which a power of ten is an exponent: `1.5·10⁻¹` as `1.5e-1`."""
        if PLAIN_NUMBER.fullmatch(piece):
            self.add("number", piece, start)
            return
        plain = "".join(piece.replace(",", ".").split())
        power = TIMES_POWER.fullmatch(plain)
        if power:
            plain = f"{power['digits']}e{power['power'].translate(LOWERED).removeprefix('+')}"
        self.add("number", plain.replace("*^", "e"), start)

    def take_raised(self, piece: str, start: int) -> None:
        """Add `^` and what is raised: a whole number as one token, anything else in braces."""
        lowered = piece.translate(LOWERED)
        self.add("operator", "^", start)
        if re.fullmatch(r"[-+]?\d+", lowered):
            self.add("exponent", lowered, start)
        else:
            self.add("open", "{", start)
            self.read_tokens += (
                Token(token.kind, token.text, start, self.place, token.gap) for token in Tokenizer(lowered, "").tokens()
            )
            self.add("close", "}", start)

    def take_fraction(self, piece: str, start: int) -> None:
        self.add("fraction", normalize("NFKC", piece).replace("\u2044", "/"), start)

    def take_name(self, piece: str, start: int) -> None:
        """Add a name with its accents as letters and its index: `ŷ` as `y_hat`, `x_{1}` as `x_1`."""
        if piece[0] == "T" and len(piece) > 1 and self.read_tokens and self.read_tokens[-1].text == "^":
            self.place, piece = start + 1, "T"  # A^TA
        name = piece
        if not piece.isascii():
            name = piece = LOWERED_LETTERS.sub(lambda index: f"_{index[0].translate(SUBSCRIPTS)}", piece)
            parts = normalize("NFD", piece)
            if any(mark in parts for mark in MARKED) and sum(map(str.isalpha, parts)) == 1 + (parts[0] == "d"):
                name = "".join(f"_{MARKED[c]}" if c in MARKED else c for c in parts)
        index = INDEX.match(self.text, self.place) if name.endswith("_") else None
        if index and name != "_":
            self.place, name = index.end(), f"{name}{re.sub(NOT_WORD, '', index[1])}"
        elif name == "_" and self.text.startswith("{", self.place):
            return  # 1_{x > 0}
        self.add("name", name, start)

    def take_tag(self, piece: str, start: int) -> None:
        name = re.sub(r"[^a-z].*", "", piece.lower().lstrip("</"))
        if name == "sup":
            self.add(*(("close", "}") if piece.startswith("</") else ("operator", "^")), start)
            if not piece.startswith("</"):
                self.add("open", "{", start)
        else:
            self.gap |= name != "sub"

    def take_open(self, piece: str, start: int) -> None:
        self.add("open", piece, start)
        if piece == "{":
            self.braces.append("}")

    def take_close(self, piece: str, start: int) -> None:
        closing = self.braces.pop() if piece == "}" and self.braces else piece
        if closing:
            self.add("close", closing, start)

    def take_command(self, piece: str, start: int) -> None:
        name = piece[1:].rstrip("*")
        if name in ("begin", "end") and (environment := ENVIRONMENT.match(self.text, self.place)):
            self.place = environment.end()
            if environment["name"] == "cases":
                self.add(*(("cases", "{") if name == "begin" else ("close", "}")), start)
            elif environment["name"] in MATRICES:
                self.add(*(("open", "[") if name == "begin" else ("close", "]")), start)
            return
        if name in MATRICES and self.text.startswith("{", self.place):  # \pmatrix{1 & 2 \cr 3 & 4}
            self.place += 1
            self.add("open", "[", start)
            self.braces.append("]")
            return
        if name in LOOKS:
            space = OPENING.match(self.text, self.place)
            if name in ("mathbb", "mathbf") and self.text[self.place : self.place + 3] in ("{1}", "{I}"):
                self.place += 3
                self.add("name", "𝟙" if self.text[self.place - 2] == "1" else "I", start)
            elif space:
                self.place = space.end()
                self.braces.append("")
                self.look = start if self.look < 0 else self.look
                self.gap |= name in ("text", "textbf", "textit", "textrm", "mbox")
            return
        if name in ACCENTS:
            inner = ACCENTED.match(self.text, self.place)
            if inner:
                self.place = inner.end()
                self.add("name", self.with_index("_".join(filter(None, (inner[2] or inner[3], ACCENTS[name])))), start)
                return
        if name in SPACING:
            self.gap = True
            return
        kind, text = COMMANDS[name] if name in COMMANDS else ("name", self.with_index(name))
        self.add(kind, text, start)

    def with_index(self, name: str) -> str:
        """Return a name with the index that stands behind its command: `theta_1` for `\\theta_1`."""
        index = BEHIND_COMMAND.match(self.text, self.place)
        self.place = index.end() if index else self.place
        return f"{name}_{index[1] or index[2]}" if index else name


def quoted(tokens: Sequence[Token], text: str) -> str:
    """Return the text that tokens were made of."""
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def joined_text(tokens: Sequence[Token]) -> str:
    """Return the texts of tokens, with one space where there was any."""
    return "".join(f"{' ' * token.gap}{token.text}" for token in tokens).strip()


def closing(tokens: Sequence[Token], start: int) -> int:
    """Return the place of the bracket that closes the one at a place; the number of tokens where none does."""
    depth = 0
    for place in range(start, len(tokens)):
        depth += (tokens[place].kind in ("open", "cases")) - (tokens[place].kind == "close")
        if depth == 0:
            return place
    return len(tokens)


def outside(tokens: Sequence[Token]) -> list[int]:
    """Return the places of the tokens that stand in no bracket."""
    depth, places = 0, []
    for place, token in enumerate(tokens):
        depth -= token.kind == "close"
        if depth == 0 and token.kind not in ("open", "close", "cases"):
            places.append(place)
        depth += token.kind in ("open", "cases")
    return places
