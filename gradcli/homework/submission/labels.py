"""The labels of an assignment: which question a heading names, and which quantity stands before an `=`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from string import ascii_lowercase
from typing import Protocol, TypeVar
from unicodedata import normalize

from gradcli.homework.assignment.quantities import WHOLE, Quantity, read_expression, read_quantity
from gradcli.homework.result_cache import Remembered
from gradcli.homework.submission.headings import PAID, Heading, heading_of
from gradcli.homework.submission.plain.names import folded, matching
from gradcli.homework.submission.plain.prose import bare_text
from gradcli.homework.submission.plain.tokens import closing, plain_characters, tokens_of
from gradcli.homework.submission.plain.vocabulary import DERIVED, HEADS, ROLE, WITH_RESPECT, folded_word, is_harmless

OPENS = re.compile(r"\\begin\b|[\[({]")
CLOSES = re.compile(r"\\end\b|[\])}]")
BULLET = re.compile(
    r"(?:[-*•–·>+○▪]\s*|\(?(?:[a-zA-Z]{1,2}|\d{1,2}|[ivx]{1,4})\)\s*|(?:[a-zA-Z]|\d{1,2})\.\s+"
    r"|\[(?:[a-z ]|\d{1,2})\]\s*|\\item\b\s*)"
)
BULLETS = 3  # before one another: `- [x] a)`
BRACKETED = re.compile(r"\[[^\[\]]+\]|\([^()]+\)")
SECTION = re.compile(r"\\(?:(?:sub)*section|paragraph|textbf|textit|underline|emph)\*?\{(?P<name>[^{}]*)\}:?\s*$")
SETTING = re.compile(
    r"\s*\\(?:begin|end)\{(?:align|equation|gather|document|itemize|enumerate|multline|split|aligned|center)\*?\}(?:\[[^\]]*\])?"
    r"|\s*\\(?:documentclass|usepackage|maketitle|newpage|noindent|bigskip|medskip|title|author|date)\b.*"
)
DISPLAYED = re.compile(r"\s*(?P<opens>\\\[|\\\(|\$\$)\s*(?P<inner>.*?)\s*(?:\\\]|\\\)|\$\$)[.,]?\s*$")
ALIGNED = re.compile(r"^(?P<label>[^&=]*)&\s*(?P<sign>=|\\approx\b|:=)\s*&?(?P<answer>.*)$")
ROW_END = re.compile(r"[,;]?\s*(?:\\\\)+$")


LISTED = re.compile(r"\\(?P<side>begin|end)\{(?P<kind>enumerate|itemize)\}|\\item\b(?!\s*\[)")


def enumerated(lines: Iterable[str]) -> Iterator[str]:
    r"""Yield lines in which each `\item` of a list that LaTeX numbers has the number or letter that it prints."""
    counts: list[int] = []  # of the lists that are open; -1 for one without numbers

    def counted(mark: re.Match[str]) -> str:
        if mark["side"] == "begin":
            counts.append(0 if mark["kind"] == "enumerate" else -1)
        elif mark["side"]:
            del counts[-1:]
        elif counts and 0 <= counts[-1] < len(ascii_lowercase):
            counts[-1] += 1
            is_outer = sum(count >= 0 for count in counts) == 1
            return f"{counts[-1]}. " if is_outer else f"({ascii_lowercase[counts[-1] - 1]}) "
        return mark[0]

    for line in lines:
        yield LISTED.sub(counted, line) if "\\" in line else line


def untexed(line: str) -> str:
    """Return a line without the commands of LaTeX that only set it: a section's name, `x &= 3 \\\\` as `x = 3`."""
    if "\\" not in line and "&" not in line and "$$" not in line:
        return line
    line = SETTING.sub("", line)
    section = SECTION.fullmatch(line.strip())
    displayed = DISPLAYED.match(line)
    aligned = ALIGNED.match(line)
    if section:
        return section["name"]
    if displayed:
        return displayed["inner"]
    if aligned:
        sign = "≈" if "approx" in aligned["sign"] else "="
        return f"{aligned['label'].strip()} {sign} {ROW_END.sub('', aligned['answer'].strip())}"
    return line


def open_brackets(text: str) -> int:
    return len(OPENS.findall(text)) - len(CLOSES.findall(text))


def bulleted(line: str) -> Iterator[str]:
    """Yield a line as it stands, and without the bullet, number or letter before it."""
    yield line
    for _ in range(BULLETS):
        found = BULLET.match(line)
        if not found or found.end() == len(line):
            break
        line = line[found.end() :].strip()
        yield line


def unmarked(text: str) -> str:
    """Return a label without the marks of Markdown and LaTeX around it."""
    text = text.strip()
    text = text.strip("*`_$ ").strip() if text[:1] in "*`_$" or text[-1:] in "*`$" else text
    return text[1:-1] if BRACKETED.fullmatch(text) else text


def closing_mark(text: str, place: int, answer: str) -> str:
    """Drop the mark that closes one which the label has opened: `$dp/dx = 3$`."""
    for mark in ("$", "`"):
        if text.startswith(mark) and text.count(mark, 0, place) == 1 and answer.rstrip().endswith(mark):
            return answer.rstrip()[:-1]
    return answer


KEPT = 2**12  # labels that are remembered
NEAR = 0.3  # a share of the letters in common
LONGEST = 80  # characters of a label
LETTERS = 5  # of a name that is known with a slip in it
WORDS = re.compile(
    rf"^(?:(?:my\s+|the\s+)?\w+\s+(?:to|for|of|zu|à|a)\s+)?(?:(?:{HEADS})\s*[-.:#]?\s*)?(?=\w)", re.IGNORECASE
)
POINTS = re.compile(f"{PAID.pattern}$", re.IGNORECASE)
NUMBERED = re.compile(r"^(?P<number>\d{1,2})?[a-z]?\s*(?:[-–—.:)(]|\s)+\s*(?=\w)", re.IGNORECASE)
IN_BRACKETS = re.compile(r"[(\[\"“]([^()\[\]\"“”]+)[)\]\"”]?$")
EDGES = re.compile(r"^[\s#*_>/\[\](){}`<=\"'«“„~–—-]+|[\s#*_\[\](){}`:.,<>=\"'»“”~–—-]+$")
UNDERSCORED = re.compile(r"(?P<local>[Ll]ocal\s+)?[d∂]_?(?P<of>\w+?)_+[d∂]_?(?P<by>\w+)")
GRADIENT = re.compile(
    r"(?:∇_?|(?:the\s+)?grad(?:ient)?(?:\s+(?:of|von|de|di|da|van)\s+|[\s_(]+))(?P<first>\w+)\)?|(?P<last>\w+)_grad|d_?(?P<short>[^\W\d_]\w*)",
    re.IGNORECASE,
)
LOCAL = re.compile(r"^(?P<local>local)\s+(?:partial\s+)?(?:derivative|gradient)\s*(?:of\s+)?(?=\S)", re.IGNORECASE)
PRIME = re.compile(r"(?P<of>\w+)['′]\((?P<by>[^\W\d]\w*)\)")
AT = re.compile(
    r"\s*[(\[]?(?:\||@|\b(?:at|bei|in|en|für|for|pour|para|per|för|bij|w|в|при)\b(?=[^=]*=)|\bat\b).*$|(?<=[\w'])\s*\((?:[^()]*[\d=,][^()]*|[a-z])\)$"
)  # dq/ds|_{x=2}, s(2)
NAMED = re.compile(r"[\w∂]")
ARTICLE = re.compile(
    r"^(?:(?:my\s+|the\s+)?(?:answer|result|ans|value|solution)(?:\s+(?:for|of|to))?|the)\s*:?\s+(?=\S)", re.IGNORECASE
)
BEHIND = re.compile(r"^(?P<of>.*\S)\s*[,(\[]\s*(?P<local>local)(?:\s+derivative)?\s*[)\]]?$", re.IGNORECASE)


SIMPLE = re.compile(r"[A-Za-z0-9_/∂ ]+")


class Asked(Protocol):
    """The part of a quantity's question that a label is compared with."""

    @property
    def quantity(self) -> Quantity: ...
    @property
    def written(self) -> str: ...


PART = re.compile(r"(?P<number>\d)\s*[.(]\s*(?P<part>[a-z])\)?$")  # 1.a and 1 (a) are 1a
BETWEEN = re.compile(r"[\s_-]+")  # the words of a question's name
Found = TypeVar("Found")


class Labels:
    """The names of the questions and quantities of an assignment, which must be typed as they stand if `is_strict`.

    `names` are those of the programs, which labels do not use for anything else; `codes` are the questions that ask for
    code.
    """

    def __init__(
        self,
        asked: Mapping[str, Sequence[Asked]],
        outputs: Mapping[str, str],
        *,
        is_strict: bool = False,
        names: Mapping[str, Collection[str]] | None = None,
        codes: Collection[str] = (),
    ) -> None:
        self.asked, self.outputs, self.is_strict, self.names = asked, outputs, is_strict, names or {}
        self.codes = codes
        self.named: Remembered[str | None] = Remembered(KEPT)
        self.known: Remembered[Asked | None] = Remembered(KEPT)
        self.ids = single((question_name(id), id) for id in asked)
        headings = {id: heading_of(id) for id in asked}  # `q1` is question 1
        self.numbers = single((head.number, id) for id, head in headings.items() if head and not head.rest)
        others = {id: {name for other, own in self.names.items() if other != id for name in own} for id in asked}
        self.forms = {id: single((form(ask.quantity), ask) for ask in asks) for id, asks in asked.items()}
        self.spelled = {
            id: single(
                (form, ask)
                for ask in asks
                for form in set(spellings(ask.quantity, outputs[id], {*self.names.get(id, ()), *others[id]}))
            )
            for id, asks in asked.items()
        }

    def question(self, text: str) -> str | None:
        """Return the id of the question that a heading names."""
        text = normalize("NFC", text.strip())
        if text in self.asked or self.is_strict or len(text) > LONGEST:
            return text if text in self.asked else None
        return self.named.once(("", text), partial(self._question, text))

    def _question(self, text: str) -> str | None:
        plain, squeezed, found = bare(text), question_name(text), None
        if any(name in squeezed for name in self.ids):  # most texts have no name in them
            shorter = bare(WORDS.sub("", bare(POINTS.sub("", plain))))
            names = (text, shorter, bare(NUMBERED.sub("", shorter)), *IN_BRACKETS.findall(plain))
            found = next((self.ids[name] for name in map(question_name, names) if name in self.ids), None)
        heading = heading_of(text) if found is None else None
        is_whole = heading is not None and heading.number and not heading.rest
        is_whole = is_whole and heading is not None and (heading.is_in_words or not heading.part)
        return self.of_heading(heading) if heading and is_whole else found

    def of_heading(self, heading: Heading) -> str | None:
        """Return the id of the question whose number a heading has, or of which it has the letter."""
        number, part = heading.number, heading.part
        named = self.ids.get(number + part) or self.numbers.get(number)
        if named or any(re.search(r"\d", id) for id in self.asked):
            return named
        place = int(number) - 1 if number else heading.place  # of questions that have no numbers of their own
        return list(self.asked)[place] if 0 <= place < len(self.asked) else None

    def part(self, id: str, place: int) -> Asked | None:
        """Return the quantity that a part of a question asks for, or the only one where no part is named."""
        asks = self.asked.get(id, ())
        return asks[place] if 0 <= place < len(asks) else asks[0] if len(asks) == 1 and place < 0 else None

    def several(self, id: str, text: str) -> list[Asked]:
        """Return the derivatives by numbers that `∇z` and `grad z` stand for together, if no other label is that."""
        if id not in self.asked:
            return []
        asks = [ask for ask in self.asked[id] if ask.quantity.kind == "gradient"]
        names = [ask.quantity.by for ask in asks if ask.quantity.of == self.outputs[id]]
        letters = spelling_of(plain_label(AT.sub("", text))) if len(names) > 1 and len(text) < LONGEST else ""
        called = (f"{mark}{of}" for mark in ("∇", "grad", "gradient", "gradientof") for of in (self.outputs[id], ""))
        return asks if len(names) == len(asks) and names == sorted(names) and letters in set(called) - {""} else []

    def meant(self, text: str) -> str | None:
        """Return the id of the question that a heading names, or nearly names."""
        return self.question(text) or self.misspelt(text)

    def misspelt(self, text: str) -> str | None:
        """Return the id of the one question from which a heading is a slip away: a letter more, less or other."""
        if self.is_strict or len(text) > LONGEST:
            return None
        return self.named.once(("misspelt", text), partial(self._misspelt, text))

    def _misspelt(self, text: str) -> str | None:
        names = {question_name(text), question_name(WORDS.sub("", bare(text)))}
        found = {id for known, id in self.ids.items() for name in names if is_slip(name, known)}
        return found.pop() if len(found) == 1 else None

    def ask(self, id: str, text: str) -> Asked | None:
        """Return the quantity of a question that a label names."""
        return self.known.once((id, text), partial(self._ask, id, text)) if len(text) <= LONGEST else None

    def _ask(self, id: str, text: str) -> Asked | None:
        if not text.strip():
            return None
        asks = self.asked[id]
        found = self.exact(id, text)
        if found is not None or self.is_strict:
            return found
        special = [ask for ask in asks if squeezed(text).casefold() in special_labels(ask)]
        if len(special) == 1:
            return special[0]
        plain = ARTICLE.sub("", plain_label(text))
        plain = BEHIND.sub(r"\g<local> \g<of>", LOCAL.sub(r"\g<local> ", plain))
        for spelling in (plain, underscored(plain), gradient(plain), in_words(plain)):
            found = self.exact(id, spelling) if spelling else None
            if found is not None:
                return found
        quantity = next(
            filter(None, (self.read(id, one) for one in (underscored(plain), gradient(plain), plain) if one)), None
        )
        if quantity is None:
            return self.nearly(id, plain) or self.otherwise(id, text)
        found = self.forms[id].get(form(quantity))
        if found is None and quantity.kind == "gradient":  # a derivative of one step is its local one
            found = self.forms[id].get(form(Quantity("local", quantity.of, quantity.by)))
        return found or self.nearly(id, plain) or self.otherwise(id, text)

    def otherwise(self, id: str, text: str) -> Asked | None:
        """Return the quantity that a label names in another notation, `∇_w L`, `L_w`, `f'(2)`, or in words."""
        if not self.outputs[id] or open_brackets(text) or not re.match(r"[\w∂∇(\\$]", text.strip()):
            return None
        known = self.spelled[id]
        for plain in dict.fromkeys((plain_label(text), AT.sub("", plain_label(text)))):
            own = spelling_of(plain)
            found = (
                known.get(own)
                or known.get(spelling_of(plain.replace("_", "∇")))
                or single((form.casefold(), ask) for form, ask in known.items()).get(own.casefold())
            )
            if found is not None:
                return found
            gradients = [ask for ask in self.asked[id] if ask.quantity.kind == "gradient"]
            names = {name for ask in self.asked[id] for name in (ask.quantity.of, ask.quantity.by) if name}
            in_words = told_in_words(plain, names | {self.outputs[id]}, self.outputs[id])
            said = known.get(spelling_of(in_words))
            if said is not None or (in_words == "d" and len(gradients) == 1):
                return said or gradients[0]
        return None

    def nearly(self, id: str, plain: str) -> Asked | None:
        """Return the one quantity whose name has the same letters, or has them but for the place: `dLdW`, `s(2)`."""
        if not NAMED.match(plain) or open_brackets(plain) or "'" in plain:
            return None
        for text in dict.fromkeys((plain, AT.sub("", plain))):
            for letters in (lettered, lambda one: lettered(one).casefold()):
                found = [ask for ask in self.asked[id] if letters(ask.written) == letters(text)]
                if len(found) == 1:
                    return found[0]
        shorter = AT.sub("", plain)
        return self.ask(id, shorter) if shorter and shorter != plain else None

    def exact(self, id: str, text: str) -> Asked | None:
        quantity = self.read(id, text)
        return next((ask for ask in self.asked[id] if ask.quantity == quantity or ask.written == text.strip()), None)

    def read(self, id: str, text: str) -> Quantity | None:
        output = self.outputs[id]
        return read_quantity(text, output) if output else read_expression(text)

    def anywhere(self, text: str) -> str | None:
        """Return the one question that asks for a quantity; None where none does, or several do."""
        found = [id for id in self.asked if self.ask(id, text) is not None]
        return found[0] if len(found) == 1 else None

    def no_question(self, text: str) -> str:
        """Say that a heading names no question, and which one is nearest."""
        if not text:
            return "no [question] stands above it"
        close = did_you_mean(bare(text)[:LONGEST], self.asked) or (
            next(iter(self.asked)) if len(self.asked) == 1 else ""
        )
        return f"there is no such question{f'; did you mean [{close}]?' if close else ''}"

    def not_asked(self, id: str, text: str) -> str:
        """Say that a label names nothing that was asked, and what is nearest."""
        written = {squeezed(ask.written): ask.written for ask in self.asked[id]}
        gradients = (
            ask for ask in self.asked[id] if ask.quantity.kind == "gradient" and ask.quantity.of == self.outputs[id]
        )
        written |= {f"{ask.quantity.by}.grad": ask.written for ask in gradients}
        close = did_you_mean(squeezed(text)[:LONGEST], written)
        return f"this was not asked{f'; did you mean {written[close]}?' if close else ''}"


def special_labels(ask: Asked) -> tuple[str, ...]:
    """Return the labels of an answer in words, without spaces."""
    own = squeezed(ask.written).casefold()
    line = ask.quantity.of
    if ask.quantity.kind == "printed":
        words = ("line", "printed", "prints", "print", "output", "outputline")
        return (own, *(f"{word}{place}" for word in words for place in {line, ""}))
    if ask.quantity.kind == "raises":
        return (own, "raise", "raised", "error", "exception")
    return (own,) if ask.quantity.kind == "choice" else ()


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """Return the known text that is nearest, however far; "" where none has a letter in common."""
    from difflib import get_close_matches

    by_case = {one.lower(): one for one in known}
    close = get_close_matches(text.lower(), by_case, n=1, cutoff=NEAR)
    return by_case[close[0]] if close else ""


def plain_label(text: str) -> str:
    r"""Return a label without what sets it in LaTeX and Markdown: `∂L/∂w` for `$\\frac{\\partial L}{\\partial w}$`."""
    text = re.sub(r"\b[pP]artial\s+(?=\w+\s*/|\w+$)", "∂", plain_characters(bare_text(text)))
    if SIMPLE.fullmatch(text):
        return text
    tokens = tokens_of(text, "separator")
    parts: list[str] = []
    slashes: set[int] = set()  # the places behind which a numerator ends
    for place, token in enumerate(tokens):
        if token.text == "frac" and token.kind == "fraction":
            slashes.add(closing(tokens, place + 1))
        elif token.kind not in ("mark", "line") and token.text not in ("{", "}"):
            parts += [" "] * (token.gap and bool(parts)) + [token.text]
        if place in slashes:
            parts.append("/")
    return "".join(parts).strip(" =≈~")


def single(pairs: Iterable[tuple[str, Found]]) -> dict[str, Found]:
    """Return a table without the keys that stand for several things."""
    found: dict[str, list[Found]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: values[0] for key, values in found.items() if len(values) == 1}


def bare(text: str) -> str:
    """Return a heading without the marks around it."""
    return EDGES.sub("", text)


def question_name(text: str) -> str:
    """Return the form that spellings of a question's name share."""
    name = normalize("NFKC", bare(text)).casefold()
    return BETWEEN.sub("", PART.sub(r"\g<number>\g<part>", name))


def is_slip(name: str, known: str) -> bool:
    """Whether two long names differ by one letter, or by two neighbours that changed places; digits never differ."""
    if min(len(name), len(known)) < LETTERS or abs(len(name) - len(known)) > 1:
        return False
    if re.sub(r"\D", "", name) != re.sub(r"\D", "", known):
        return False
    start = next((place for place, (a, b) in enumerate(zip(name, known, strict=False)) if a != b), len(name))
    a, b = name[start:], known[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def form(quantity: Quantity) -> str:
    """Return the form that spellings of a quantity share."""
    return " ".join((quantity.kind, folded(quantity.of), folded(quantity.by)))


OUTPUTS = ("L", "J", "E", "C", "loss", "cost", "ℓ", "ℒ", "f", "y")  # what the output of a program is called in labels


def spellings(quantity: Quantity, output: str, names: Collection[str]) -> Iterator[str]:
    """Yield the forms of the labels of a derivative: `∇_w L`, `∂_w L`, `L_w`, `f'`, `dW`, `δ2`."""
    of, by = quantity.of, quantity.by
    if quantity.kind == "entry":
        digits = [int(part) for part in quantity.by.split(",")]
        for first in (0, 1):  # as programs count, and as mathematics does
            yield spelling_of(quantity.of + "".join(str(place + first) for place in digits))
    elif quantity.kind in WHOLE:
        letter = {"jacobian": "J", "hessian": "H"}.get(quantity.kind, "∇")
        primes = "'" * (by.count(",") + 1)
        own = (f"{of}{by}", f"{of}{primes}") if quantity.kind == "higher" else (
            letter, f"{letter}{of}", quantity.kind, f"{quantity.kind}of{of}", f"{quantity.kind}matrix")  # fmt: skip
        more = {"jacobian": (f"D{of}", f"d{of}d{by}"), "hessian": (f"∇2{of}", "∇2"), "gradients": ("gradient", "grad")}
        named = (one for one in (*own, *more.get(quantity.kind, ())) if one not in names)
        yield from map(spelling_of, named)
    if quantity.kind != "gradient":
        return
    for name in (of, *(other for other in OUTPUTS if of == output and other not in names)):
        patterns = (
            f"d{name}d{by}",
            f"dd{by}{name}",
            f"dd{by}{name}{by}",
            f"{name}'{by}{by}",
            f"∇{by}{name}",
            f"grad{by}{name}",
            f"d{by}{name}",
            f"D{by}{name}",
            f"{name}∇{by}",
        )
        yield from map(spelling_of, (*patterns, f"{name}'", f"{name}'{by}", f"d{name}d{by}T"))
    if of == output:
        yield from map(
            spelling_of, (f"∇{by}", f"grad{by}", f"{by}grad", f"d{by}", f"{by}bar", f"∇{of}", f"grad{of}", f"D{of}")
        )
        layer = re.fullmatch(r"[za](\d*)", by)
        if layer and by.startswith("z"):
            yield spelling_of(f"δ{layer[1]}")


def spelling_of(label: str) -> str:
    """Return what spellings of a label share: its letters, digits, `∇` and primes."""
    letters = re.sub(r"[^\w∇']|_", "", label.replace("∂", "d"))
    return "".join(folded(one) if not one.isascii() else one for one in letters)


DERIVED_SIGNS = re.compile("(?:偏?导数|梯度|偏?微分|勾配|기울기|미분)")
PIECES = re.compile(r"[\u3040-\ud7af]+|[^\W_\u3040-\ud7af]+(?:_\w+)?")
WRT = re.compile(r"\bw\.?\s?r\.?\s?t\b\.?", re.IGNORECASE)


def told_in_words(label: str, names: Collection[str], output: str) -> str:
    """Return `dLdw` for `the derivative of L with respect to w`, in any language, `d` for `the derivative` alone.

    "" stands for any other text.
    """
    pieces = PIECES.findall(WRT.sub(" ", label))
    given = [name for piece in pieces if (name := matching(piece, names))]
    words = [piece for piece in pieces if not matching(piece, names)]
    is_derived = any(folded_word(word) in DERIVED or DERIVED_SIGNS.search(word) for word in words)
    is_known = all(
        folded_word(word) in DERIVED | ROLE
        or is_harmless(word)
        or DERIVED_SIGNS.search(word)
        or (not word.isascii() and len(word) < 5)
        for word in words
    )
    is_derived |= len(given) == 2 and any(folded_word(word) in WITH_RESPECT for word in words)
    if not is_derived or not is_known or len(given) > 2:
        return ""
    if not given or given == [output]:
        return "d"
    return f"d{given[0]}d{given[1]}" if len(given) == 2 else f"d{output}d{given[0]}"


def squeezed(text: str) -> str:
    return "".join(text.split()).replace("∂", "d")


def lettered(text: str) -> str:
    """Return the letters and digits of a label."""
    return re.sub(r"[\W_]+", "", text.replace("∂", "d"))


def in_words(text: str) -> str:
    """`dq/dx` for `q'(x)`; "" for any other text."""
    found = PRIME.fullmatch(text)
    return f"d{found['of']}/d{found['by']}" if found else ""


def underscored(text: str) -> str:
    """`df/dx` for `df_dx`; "" for any other text."""
    found = UNDERSCORED.fullmatch(text)
    return f"{found['local'] or ''}d{found['of']}/d{found['by']}" if found else ""


def gradient(text: str) -> str:
    """`w.grad` for `grad w`; "" for any other text."""
    found = GRADIENT.fullmatch(text)
    return f"{found['first'] or found['last'] or found['short']}.grad" if found else ""
