"""Words around an answer: each is known to change nothing, or the answer is not read."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from gradcli.homework.submission.answers import UnreadableError
from gradcli.homework.submission.plain.names import (
    INDEX_LETTERS,
    INDEXED,
    SUM,
    UNARY,
    function_of,
    indexed,
    is_function,
    matching,
    spelled,
)
from gradcli.homework.submission.plain.syntax import AND, END, INDICATORS, MAKERS, MODULES
from gradcli.homework.submission.plain.tokens import SUBSCRIPTS, Token, closing, outside, plain_characters, quoted
from gradcli.homework.submission.plain.vocabulary import (
    CONDITION,
    COUNT,
    ELSE,
    HEDGE,
    HEDGING,
    MINUS,
    NUMBER,
    OF,
    REASON,
    folded_word,
    is_harmless,
    is_reason,
)

CHAIN = ("=", "==", "≈", "≃", "≅", "≡", "~", "~=", ":=", "=>", "==>", "->", "-->", "→", "⇒", "⟹", "⟶", "↦")
CONSTANTS = frozenset(("e", "pi", "inf", "nan", "∂", "∇", "𝟙", "T"))
PLACED = frozenset(("at", "bei", "en", "em", "in", "w", "в", "when", "for", "für", "pour", "para", "per"))  # x = 2
ABOUT = ("cerca", "pres")  # cerca de 5
BOUNDS = {"up", "down"}  # up to 5
UNIT = re.compile(r"(?:mol|rad|min|kg|Hz|Pa|Nm|Js|eV|Wb|lm|lx|px|[msgNJWVAKhCFTHΩ])[1-4]?")  # a prefix moves the point
STRUCK = re.compile(
    r"~~(?=\S).*?\S~~|<(?P<tag>s|del|strike)\b[^<>]*>.*?</(?P=tag)>|\\(?:sout|st)\{[^{}]*\}|(?:[^\n]\u0336)+", re.DOTALL
)
WRAPPED = re.compile(r"\s*(?P<mark>\*{1,3}|_{1,2}|`{1,3}|\"|'|\$\$?)(?P<inner>\S|\S.*\S)(?P=mark)\s*", re.DOTALL)
PROMPT = re.compile(r"\s*(?:>>>|(?:In|Out)\s*\[\d+\]\s*[:=]?|\[1\](?=\s+[-+.\d]))\s*")
PASTED = re.compile(r"<tf\.\w+[^<>]*?numpy=(?P<value>[^<>]*?)>", re.DOTALL)
COMMENT = re.compile(r"#[^\n]*")
BESIDE = ("mark", "separator", "row", "prime", "line", "dots")  # kinds of tokens between words
DASHES = ("-", "/", "//", "*", "**", "·")
DERIVED = re.compile(  # names of derivatives: `∂ₓz`, `y'`, `y'(1)`, `f''`
    r"[∂∇]_?\{?\w+\}?(?:\w+|\(\w+\))?|[^\W\d]\w*'{1,2}(?:\([-\w.,= ]+\))?"
)
SYMBOL = re.compile(
    rf"[^\W\d_\u3040-\ud7af](?:_?\d)?(?:_[{INDEX_LETTERS}]{{1,3}})?|[d∂][^\W\d_]\d?|∂|∇"
)  # a name that may be of a program, and no word
SHORT = 60


def is_short(word: str) -> bool:
    """Whether a word behind a number may be a unit: `5 in`, `5 [ma]`."""
    return len(word) < 3 and word.isascii()


def bare_text(text: str) -> str:
    """Return a text without a prompt before it, a comment behind it, the marks around it and what is struck out."""
    text = STRUCK.sub(" ", text) if "~~" in text or "\u0336" in text or "<" in text or "\\s" in text else text
    text = COMMENT.sub("", text) if "#" in text else text
    text = PASTED.sub(r"\g<value>", text) if "<tf" in text else text
    text = PROMPT.sub("", text, count=1).strip()
    for _ in range(4):
        wrapped = WRAPPED.fullmatch(text)
        if not wrapped or (wrapped["mark"] in wrapped["inner"] and wrapped["mark"] != "**"):
            break
        text = wrapped["inner"]
    return text


class Words:
    """Takes the words off the tokens of one answer. Raises UnreadableError with those that are not known."""

    def __init__(
        self,
        text: str,
        tokens: Sequence[Token],
        names: Collection[str],
        at: Collection[float] = (),
        question: str = "",
    ) -> None:
        self.text, self.names, self.at = text, frozenset(names), at
        self.question = "".join(plain_characters(question).split())
        self.tokens = list(tokens)

    def sentence(self) -> list[list[Token]]:
        """Return the members of a chain of equations without words around them, the last of which counts."""
        self.check_certain()
        self.tokens = self.without_places(self.tokens)
        self.tokens = self.without_reason(self.tokens)
        self.tokens = self.without_remarks(self.tokens)
        members = self.members(self.tokens)
        kept = (self.member(member, is_last=number == len(members) - 1) for number, member in enumerate(members))
        return [member for member in kept if member]

    def check_certain(self) -> None:
        """Raise UnreadableError where the answer is a guess: `7?`, `maybe 7`; `(2 points?)` asks for something else.

        A `!` behind a whole number, a name or a bracket may be a factorial.
        """
        for before, token in pairwise(self.tokens):
            is_whole = before.text.isdigit() or before.kind == "close" or self.is_symbol(before)
            if token.text == "!" and not token.gap and is_whole:
                raise UnreadableError(
                    f"two readings: {before.text} or the factorial {before.text}!: leave out the sign"
                )
            if before.text == "!" and not token.gap and token.kind not in BESIDE:
                raise self.refused([before, token])  # `!5` is not 5 in code
        doubts = [place for place, token in enumerate(self.tokens) if token.text in ("?", "¿")]
        counts = any(folded_word(word.text) in COUNT and word.text not in self.names for word in self.tokens[-3:])
        hedges = [word for word in self.tokens if word.kind == "name" and folded_word(word.text) in HEDGE]
        if (doubts and not counts) or HEDGING.search(self.text) or any(word.text not in self.names for word in hedges):
            raise UnreadableError("read as uncertain: write the one answer that you mean, and no doubt beside it")

    def is_symbol(self, token: Token) -> bool:
        return token.kind == "name" and (token.text in self.names or SYMBOL.fullmatch(token.text) is not None)

    def without_places(self, tokens: list[Token]) -> list[Token]:
        """Drop the points at which derivatives are taken, `|_{x=3}` and `|_{(3, 1)}`, if the question has them."""
        kept, place = list[Token](), 0
        while place < len(tokens):
            end = self.end_of_place(tokens, place) if tokens[place].text == "|" and kept else place
            kept += tokens[place : end + 1] if end == place else []
            place = end + 1
        return kept

    def end_of_place(self, tokens: Sequence[Token], bar: int) -> int:
        """Return where the point behind a bar ends, the bar itself where none stands there."""
        inner = bar + 1
        index = tokens[inner] if inner < len(tokens) else None
        if index is None or index.gap or sum(token.text == "|" for token in tokens[:bar]) % 2:
            return bar
        if index.kind == "name" and index.text == "_":
            inner += 1
        if inner < len(tokens) and tokens[inner].kind == "open":
            end = closing(tokens, inner)
        elif index.kind == "name" and tokens[inner + 1 : inner + 2] and tokens[inner + 1].text == "=":
            end = inner + 2 + any(token.text == "-" for token in tokens[inner + 2 : inner + 3])
        else:
            return bar
        numbers = [float(token.text) for token in tokens[inner : end + 1] if token.kind in ("number", "exponent")]
        is_given = all(any(abs(abs(at) - number) < 1e-9 for at in self.at) for number in numbers)
        return end if end < len(tokens) and numbers and is_given else bar

    def without_unit(self, tokens: list[Token]) -> list[Token]:
        """Drop a unit behind a number, `J/kg` or `kg m s^-1`, that stands in the text of the question."""
        start = len(tokens)
        while start and (
            tokens[start - 1].text in ("/", "·", "*", "^", "**", "(", ")", "-")
            or tokens[start - 1].kind == "exponent"
            or (tokens[start - 1].kind == "name" and UNIT.fullmatch(tokens[start - 1].text))
            or (tokens[start - 1].text in "1234" and start > 1 and tokens[start - 2].text in ("^", "**", "-"))
        ):
            start -= 1
        while start < len(tokens) and tokens[start].kind != "name":
            start += 1
        units = [token.text for token in tokens[start:] if token.kind == "name"]
        is_behind = start > 0 and tokens[start - 1].kind in ("number", "fraction", "exponent", "close")
        over_names = any(token.kind == "name" and token.text in self.names for token in tokens[:start])
        is_unit = bool(units) and not self.names.issuperset(units) and not over_names
        if not (is_behind and is_unit):
            return tokens
        self.check_unit(tokens[start:])
        return tokens[:start]

    def check_unit(self, tokens: Sequence[Token]) -> None:
        """Raise UnreadableError for a unit that the question does not name: 5 kg is no answer where 5 is right."""
        unit = quoted(tokens, self.text)
        if "".join(unit.split()) not in self.question:
            raise UnreadableError(f"the question has no unit {unit}: write the answer without a unit")

    def refused(self, tokens: Sequence[Token]) -> UnreadableError:
        text = quoted(tokens, self.text).strip()
        shown = text if len(text) <= SHORT else f"{text[: SHORT - 3]}..."
        return UnreadableError(f"{shown!r} is not understood: write the answer alone")

    def is_word(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether a token is a word, and no part of a formula over the names."""
        token, names = tokens[place], self.names
        text, plain = token.text, folded_word(token.text)
        follows = tokens[place + 1] if place + 1 < len(tokens) else END
        if text in ("s", "d") and follows.text in (".f", ".p"):
            return True  # significant figures, decimal places
        if token.kind != "name" or text in names or text in CONSTANTS or plain in MINUS:
            return False
        if indexed(text, names)[0] or (SUM.fullmatch(text) and (text[-1] not in "Σm" or follows.text[:1] in "_{")):
            return False
        if text[0] == "_" and INDEXED.fullmatch(f"x{text}"):
            return False
        if text[0] == "_" and text[1:2].isdigit():
            return False  # the index of a norm
        is_symbol = SYMBOL.fullmatch(text) is not None
        if is_symbol and is_harmless(text):  # a letter is a word beside one or two: `I think`, `c'est`
            beside = [*tokens[max(place - 2, 0) : place], *tokens[place + 1 : place + 3]]
            if any(word.kind == "name" and len(word.text) > 1 and is_harmless(word.text) for word in beside):
                return True
        if plain in CONDITION | ELSE | AND and place > 0:
            return False  # these join formulas, and are refused where they do not
        calls = follows.text in ("(", "^", "**") or (follows.text == "[" and text[:1].isupper())
        is_maker = text.lower() in MAKERS and follows.text == "("
        if calls and (function_of(text) or text in INDICATORS or is_maker):
            return False
        if (follows.kind == "attribute" and text.lower() in MODULES) or function_of(text) in UNARY:
            return False
        if matching(text, names) or is_symbol:
            return False
        return is_harmless(text) or not all(
            part in names or is_function(part) or part == "e" or "**" in part
            for part in spelled(text, names, calls=False)
        )

    def without_reason(self, tokens: list[Token]) -> list[Token]:
        """Drop what begins with `because` behind a value: there values may stand, too, and known words."""
        for place in outside(tokens):
            if place and tokens[place].kind == "name" and is_reason(tokens[place].text) and self.is_word(tokens, place):
                follows = tokens[place + 1].kind if place + 1 < len(tokens) else ""
                if follows in ("name", "open", "") and any(self.is_value(tokens, before) for before in range(place)):
                    self.check(tokens[place:], is_reason=True)
                    return tokens[:place]
        return tokens

    def is_value(self, tokens: Sequence[Token], place: int) -> bool:
        kind = tokens[place].kind
        return kind in ("number", "fraction", "close") or (kind == "name" and not self.is_word(tokens, place))

    def without_remarks(self, tokens: list[Token]) -> list[Token]:
        """Drop remarks in brackets behind the answer: `(rounded)`, `[1/m]`."""
        while True:
            while tokens and tokens[-1].kind in BESIDE and tokens[-1].kind not in ("dots", "prime"):
                tokens = tokens[:-1]
            start = next(
                (n for n in range(len(tokens)) if tokens[n].kind == "open" and closing(tokens, n) == len(tokens) - 1), 0
            )
            inner = tokens[start + 1 : -1]
            units = [token.text for token in inner if token.kind == "name"]
            if (
                start
                and tokens[start].text == "["
                and units
                and all(UNIT.fullmatch(unit) or (is_short(unit) and unit not in self.names) for unit in units)
            ):
                self.check_unit(inner)
                tokens = tokens[:start]
                continue
            if not start or not any(self.is_word(inner, n) for n in range(len(inner))):
                return tokens
            before = tokens[start - 1]
            if before.kind == "name" and not tokens[start].gap and not self.is_word(tokens, start - 1):
                return tokens  # the argument of a function
            self.check(inner, is_reason=any(token.kind == "name" and is_reason(token.text) for token in inner[:1]))
            tokens = tokens[:start]

    def check(self, tokens: Sequence[Token], *, is_reason: bool = False) -> None:
        """Raise UnreadableError where a remark holds more than known words, and numbers of digits, points or pages."""
        for place, token in enumerate(tokens):
            if token.kind == "name":
                fine = is_harmless(token.text) or token.text in self.names or (is_reason and len(token.text) <= 2)
                fine = fine or (
                    is_reason and not self.is_word(tokens, place) and folded_word(token.text) not in CONDITION | ELSE
                )
            elif token.kind in ("number", "fraction"):
                fine = is_reason or self.is_counted(tokens, place)
            elif token.kind == "attribute":
                fine = is_harmless(token.text[1:])
            elif token.kind == "prime":
                fine = place > 0 and tokens[place - 1].kind == "name"
            elif token.kind in BESIDE or token.text in DASHES:
                fine = True
            else:
                fine = is_reason and token.kind != "other"
            if not fine:
                raise self.refused(tokens)

    def is_counted(self, tokens: Sequence[Token], place: int) -> bool:
        before = folded_word(tokens[place - 1].text) if place else ""
        after = folded_word(tokens[place + 1].text) if place + 1 < len(tokens) else ""
        return after in COUNT or before in NUMBER

    def members(self, tokens: list[Token]) -> list[list[Token]]:
        """Return the members of a chain of equations, which stand outside of all brackets."""
        members, start = [], 0
        for place in outside(tokens):
            if (
                tokens[place].kind == "name"
                and folded_word(tokens[place].text) in CONDITION
                and tokens[place].text not in self.names
            ):
                break
            if tokens[place].kind == "relation" and tokens[place].text in CHAIN:
                members.append(tokens[start:place])
                start = place + 1
        if members and start == len(tokens) and any(members):
            raise self.refused(tokens[-1:])  # `5 =`, `~5~`
        return [part for part in (*members, tokens[start:]) if any(token.kind not in BESIDE for token in part)] or [[]]

    def member(self, tokens: list[Token], *, is_last: bool) -> list[Token]:
        """Return a member without the words before and behind it; none of one that only names what is computed."""
        tokens = self.without_unit(tokens)
        words = [place for place in outside(tokens) if self.is_word(tokens, place)]
        values = [place for place in range(len(tokens)) if self.is_value(tokens, place)]
        is_placed = not is_last and any(folded_word(tokens[place].text) in PLACED for place in words)  # `at x = 2`
        if not is_last and not is_placed and self.is_label(tokens):
            return []
        if not values:
            if words or is_last:
                raise self.refused(tokens)
            return []
        first = min(values)
        first = min(
            (n for n in range(first) if tokens[n].kind == "open" and closing(tokens, n) >= first), default=first
        )
        while first and tokens[first - 1].kind not in (*BESIDE, "name", "relation"):
            first -= 1  # a sign, a bracket, a root
        self.check(tokens[:first])
        lead = ["", "", *(folded_word(token.text) for token in tokens[:first] if token.kind == "name")]
        if (lead[-1] in NUMBER | OF | REASON | COUNT and lead[-2] not in ABOUT) or BOUNDS.intersection(lead):
            raise self.refused(tokens[:first])
        behind = [place for place in words if place > first]
        end = min(behind, default=len(tokens))
        self.check(tokens[end:])
        if is_placed or (tokens[end:] and folded_word(tokens[end].text) in COUNT):
            raise self.refused(tokens)
        last_words = [token.text for token in tokens[end:] if token.kind == "name"]
        if last_words and all(map(is_short, last_words)):
            raise self.refused(tokens[end:])  # `5 in` may have a unit
        if end in behind and tokens[end - 1].kind == "operator" and tokens[end - 1].text not in ("-", "//", "--"):
            raise self.refused(tokens[end - 1 :])
        tokens = tokens[first:end]
        while tokens and (
            tokens[-1].kind in ("mark", "separator", "row", "line")
            or (end in behind and tokens[-1].text in ("-", "//"))
        ):
            tokens = tokens[:-1]
        colon = next((place for place in outside(tokens) if tokens[place].text == ":"), 0)
        if colon:
            divided, by = quoted(tokens[:colon], self.text), quoted(tokens[colon + 1 :], self.text)
            raise UnreadableError(f"two readings: ({divided})/({by}) or {by} alone")
        return tokens

    def is_label(self, tokens: Sequence[Token]) -> bool:
        """Whether a member names what is computed, `dq/ds * ds/dx` or `upstream * local`, and has no value."""
        if DERIVED.fullmatch("".join(token.text for token in tokens)):
            return True
        if any(token.kind in ("number", "root", "other", "relation", "turned") for token in tokens):
            return self.is_called(tokens)
        texts = [token.text for token in tokens if token.kind == "name"]
        other = [text for text in texts if text not in self.names and not is_harmless(text)]
        is_doubtful = len(other) == 1 and len(other[0]) == 1 and other[0].isascii()  # `k = 5`
        are_known = all(INDEXED.fullmatch(text) or SYMBOL.fullmatch(text.translate(SUBSCRIPTS)) for text in other)
        return are_known and not is_doubtful and not all(text in self.names for text in texts)

    def is_called(self, tokens: Sequence[Token]) -> bool:
        """Whether it is one name with an argument: `f'(2)`."""
        text = "".join(token.text for token in tokens)
        return re.fullmatch(r"(?:d|∂)?[^\W\d]\w?'{0,2}\([-\w.,= ]+\)", text) is not None and not function_of(text[:1])
