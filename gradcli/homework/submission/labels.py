"""The labels of an assignment: which question a heading names, and which quantity stands before an `=`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from itertools import product
from string import ascii_lowercase
from typing import TypeVar
from unicodedata import normalize

from gradcli.homework.assignment.assignments import Ask, Question
from gradcli.homework.assignment.quantities import WHOLE, Quantity, read_expression, read_quantity
from gradcli.homework.result_cache import Remembered
from gradcli.homework.submission.headings import PAID, Heading, heading_of
from gradcli.homework.submission.plain.names import INDEX_LETTERS, folded, function_of, matching
from gradcli.homework.submission.plain.prose import bare_text
from gradcli.homework.submission.plain.tokens import closing, plain_characters, tokens_of
from gradcli.homework.submission.plain.vocabulary import (
    DERIVED,
    HEADS,
    LEADS,
    OPENERS,
    ROLE,
    WITH_RESPECT,
    folded_word,
    is_harmless,
)

OPENS = re.compile(r"\\begin\b|[\[({]")
CLOSES = re.compile(r"\\end\b|[\])}]")
BULLET = re.compile(
    r"(?:[-*•–·>+○▪]\s*|\(?(?:[a-zA-Z]{1,2}|\d{1,2}|[ivx]{1,4})\)\s*|(?:[a-zA-Z]|\d{1,2})\.\s+"
    r"|\[(?:[a-z ]|\d{1,2})\]\s*|\\item\b\s*)"
)
OPENER = re.compile(
    rf"(?:(?:(?:{'|'.join(OPENERS.split())})\b[ ,:]*|d['’]où|[∴⇒⟹→]|==?>|->"
    r"|所以|因此|故|よって|したがって|ゆえに|따라서)\s*){1,3}(?=\S)",
    re.IGNORECASE,
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
        match = BULLET.match(line)
        if not match or match.end() == len(line):
            break
        line = line[match.end() :].strip()
        yield line
    opener = OPENER.match(line)
    if opener and opener.end() < len(line):
        yield line[opener.end() :]


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


KEPT = 2**12  # labels that are remembered: in a class they are the same
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
LOCAL = re.compile(r"[\s,(\[]*\blocal\b(?:\s+partial)?(?:\s+(?:derivative|gradient))?(?:\s+of)?[\s)\]]*", re.IGNORECASE)
AT = re.compile(
    r"\s*[(\[]?(?:\||@|\b(?:at|bei|in|en|für|for|pour|para|per|för|bij|w|в|при)\b(?=[^=]*=)|\bat\b).*$|(?<=[\w'])\s*\((?:[^()]*[\d=,][^()]*|[^\W\d]\w{0,7})\)$"
)  # dq/ds|_{x=2}, s(2)
ARGUMENTS = re.compile(r"(?<=[d∂][^\W\d])\([\w, ]+\)(?=\s*/)")  # ∂f(x, y)/∂x
ARTICLE = re.compile(
    r"^the\s+(?:partial\s+)?(?:derivative|gradient)\s+(?=[d∂∇])"
    r"|^(?:(?:my\s+|the\s+)?(?:answer|result|ans|value|solution)(?:\s+(?:for|of|to))?|the)\s*:?\s+(?=\S)",
    re.IGNORECASE,
)
ANSWER = re.compile(rf"^(?:(?:final|my|endgültige)\s+)?(?:{'|'.join(LEADS.split())})\s*[:：]\s*(?=\S)", re.IGNORECASE)
STARTS = re.compile(r"[\w∂∇(]")
SIMPLE = re.compile(r"[A-Za-z0-9_/∂ ]+")


NAME = re.compile(r"[^\W\d]\w*")
APPLIED = re.compile(  # d/dx(x² + 1), ∂ log|X| / ∂X
    r"[d∂]\s*/\s*[d∂]\s*(?P<by>\w+)\s*(?P<of>\S.*)|[d∂]\s*(?P<above>[^/]*[^/\s])\s*/\s*[d∂]\s*(?P<below>\w+)"
)
PART = re.compile(r"(?P<number>\d)\s*[.(]\s*(?P<part>[a-z])\)?$")  # 1.a and 1 (a) are 1a
BETWEEN = re.compile(r"[\s_-]+")  # the words of a question's name
Found = TypeVar("Found")


class Labels:
    """The names of the questions and quantities of an assignment, which must be typed as they stand if `is_strict`.

    Labels use the `names` of a program for nothing else; `codes` are the questions that ask for code.
    """

    def __init__(self, questions: Sequence[Question], *, is_strict: bool = False) -> None:
        self.is_strict = is_strict
        self.known: Remembered[Ask | None] = Remembered(KEPT)
        self.asked = {question.id: question.asks for question in questions}
        self.outputs = {question.id: question.output for question in questions}
        self.names = {question.id: question.names for question in questions}
        self.codes = [question.id for question in questions if question.code]
        self.ids = single((question_name(id), id) for id in self.asked)
        headings = {id: heading_of(id) for id in self.asked}  # `q1` is question 1
        self.numbers = single((head.number, id) for id, head in headings.items() if head and not head.rest)
        self.forms = {id: single((form(ask.quantity), ask) for ask in asks) for id, asks in self.asked.items()}
        used = {name for names in self.names.values() for name in names}
        self.spelled = {id: self.spellings_of(asks, self.outputs[id], used) for id, asks in self.asked.items()}

    @staticmethod
    def spellings_of(asks: Sequence[Ask], output: str, used: Set[str]) -> dict[str, Ask]:
        """Return the quantities of a question by the spellings of their labels, in small letters, too."""
        pairs = [(form, ask) for ask in asks for form in set(map(spelling_of, spellings(ask, output, used)))]
        exact_labels = single(
            (spelling_of(plain_label(text)), ask) for ask in asks for text in {ask.written, ask.label} - {""}
        )
        # a derivative of one step is its local one
        steps = [(f"d{quantity.of}d{quantity.by}", ask) for ask in asks if (quantity := ask.quantity).kind == "local"]
        folded_case = ((form.casefold(), ask) for form, ask in {*pairs, *exact_labels.items()})
        return {**single(folded_case), **single(steps), **single(pairs), **exact_labels}

    def names_of(self, id: str, quantity: Quantity) -> list[str]:
        """Return the labels of a quantity that are names: `dz`, `zbar`, `δ`."""
        return [
            text for text, ask in self.spelled[id].items() if ask.quantity == quantity and defined_name(text) == text
        ]

    def question(self, text: str) -> str | None:
        """Return the id of the question that a heading names."""
        text = normalize("NFC", text.strip())
        if text in self.asked or self.is_strict or len(text) > LONGEST:
            return text if text in self.asked else None
        plain, squeezed, question_id = bare(text), question_name(text), None
        if any(name in squeezed for name in self.ids):  # most texts have no name in them
            shorter = bare(WORDS.sub("", bare(POINTS.sub("", plain))))
            names = (text, shorter, bare(NUMBERED.sub("", shorter)), *IN_BRACKETS.findall(plain))
            question_id = next((self.ids[name] for name in map(question_name, names) if name in self.ids), None)
        heading = heading_of(text) if question_id is None else None
        is_whole = heading is not None and heading.number and not heading.rest
        is_whole = is_whole and heading is not None and (heading.is_in_words or not heading.part)
        return self.of_heading(heading) if heading and is_whole else question_id

    def of_heading(self, heading: Heading) -> str | None:
        """Return the id of the question whose number a heading has, or of which it has the letter."""
        number, part = heading.number, heading.part
        named = self.ids.get(number + part) or self.numbers.get(number)
        if named or any(re.search(r"\d", id) for id in self.asked):
            return named
        place = int(number) - 1 if number else heading.place  # of questions that have no numbers of their own
        return list(self.asked)[place] if 0 <= place < len(self.asked) else None

    def part(self, id: str, place: int) -> Ask | None:
        """Return the quantity that a part of a question asks for, or the only one where no part is named."""
        asks = self.asked.get(id, ())
        return asks[place] if 0 <= place < len(asks) else asks[0] if len(asks) == 1 and place < 0 else None

    def several(self, id: str, text: str) -> list[Ask]:
        """Return the derivatives by numbers that `∇z` and `grad z` stand for together, if no other label is that."""
        if id not in self.asked or not STARTS.match(plain_label(text)) or self.ask(id, text) is not None:
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
        names = {question_name(text), question_name(WORDS.sub("", bare(text)))}
        ids = {id for known, id in self.ids.items() for name in names if is_slip(name, known)}
        return ids.pop() if len(ids) == 1 else None

    def ask(self, id: str, text: str) -> Ask | None:
        """Return the quantity of a question that a label names."""
        return self.known.once((id, text), lambda: self.named_by(id, text)) if len(text) <= LONGEST else None

    def named_by(self, id: str, text: str) -> Ask | None:
        ask = self.exact(id, text)
        if ask is not None or self.is_strict or open_brackets(text):
            return ask
        label = ARTICLE.sub("", plain_label(ANSWER.sub("", text)))
        if not STARTS.match(label):
            return None
        label = f"local {LOCAL.sub(' ', label).strip()}" if LOCAL.search(label) else label
        plain = dict.fromkeys((label, AT.sub("", label), ARGUMENTS.sub("", AT.sub("", label)), unindexed(label)))
        return next(
            filter(None, (self.exact(id, name) or self.spelled_as(id, name) for name in plain if name.strip())), None
        )

    def spelled_as(self, id: str, label: str) -> Ask | None:
        """Return the quantity that a label names in another notation, `∇_w L`, `L_w`, `f'(2)`, or in words."""
        known, quantity = self.spelled[id], self.read(id, label)
        letters = (spelling_of(label), spelling_of(label.replace("_", "∇")), spelling_of(label).casefold())
        ask = (self.forms[id].get(form(quantity)) if quantity else None) or next(
            (known[spelling] for spelling in letters if spelling in known), None
        )
        if ask is not None:
            return ask
        gradients = [ask for ask in self.asked[id] if ask.quantity.kind == "gradient"]
        applied = APPLIED.fullmatch(label)
        if applied and not NAME.fullmatch((applied["of"] or applied["above"]).strip("( )")):
            by = applied["by"] or applied["below"]  # of the formula of the output
            of_output = (ask for ask in gradients if ask.quantity.of == self.outputs[id])
            return next((ask for ask in of_output if folded(ask.quantity.by) == folded(by)), None)
        names = {name for ask in self.asked[id] for name in (ask.quantity.of, ask.quantity.by, self.outputs[id])}
        in_words = told_in_words(label, {*names, *self.names[id]} - {""}, self.outputs[id])
        return known.get(spelling_of(in_words)) or (gradients[0] if in_words == "d" and len(gradients) == 1 else None)

    def is_indexed(self, id: str, text: str) -> bool:
        """Whether a label names the entries of a tensor by letters: `∂L/∂w_j`."""
        plain = plain_label(text) if "_" in text or not text.isascii() else ""
        return (
            plain != unindexed(plain) and id in self.asked and not (self.exact(id, plain) or self.spelled_as(id, plain))
        )

    def exact(self, id: str, text: str) -> Ask | None:
        quantity = self.read(id, text)
        return next((ask for ask in self.asked[id] if ask.quantity == quantity or ask.written == text.strip()), None)

    def read(self, id: str, text: str) -> Quantity | None:
        output = self.outputs[id]
        return read_quantity(text, output) if output else read_expression(text)

    def anywhere(self, text: str) -> str | None:
        """Return the one question that asks for a quantity; None where none does, or several do."""
        ids = [id for id in self.asked if self.ask(id, text) is not None]
        return ids[0] if len(ids) == 1 else None

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


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """Return the known text that is nearest, however far; "" where none has a letter in common."""
    from difflib import get_close_matches

    by_case = {word.lower(): word for word in known}
    close = get_close_matches(text.lower(), by_case, n=1, cutoff=NEAR)
    return by_case[close[0]] if close else ""


def plain_label(text: str) -> str:
    r"""Return a label without what sets it in LaTeX and Markdown: `∂L/∂w` for `$\\frac{\\partial L}{\\partial w}$`."""
    text = re.sub(r"\b[pP]artial\s+(?=\w+\s*/|\w+$)", "∂", plain_characters(bare_text(text)))
    text = CALLED.sub(r"d\1/d\2", DELTAS.sub(r"∂\1/∂\2", text))
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


def unindexed(label: str) -> str:
    """Return a plain label without the indices of entries: `∂p/∂z` for `∂p_i/∂z_j`."""
    return INDICES.sub("", label)


INDICES = re.compile(rf"(?<=[^\W_])_[{INDEX_LETTERS}]{{1,3}}(?!\w)|(?<=[)\]])_[{INDEX_LETTERS}]\b")
DELTAS = re.compile(r"[δΔ]\s*(\w+)\s*/\s*[δΔ]\s*(\w+)")  # many type δ for ∂
CALLED = re.compile(r"^(?:sp\.|sympy\.)?(?:diff|D|grad)\s*[\[(]\s*(\w+)\s*,\s*(\w+)\s*[\])]$")  # D[L, w]
RESERVED = frozenset(("T", "d", "e", "pi"))


def defined_name(label: str) -> str:
    r"""Return the name that stands for a label in later answers, `delta1` for `\delta^{(1)}`; "" where none can."""
    name = re.sub(r"\W", "", plain_label(label).replace("∂", "d")) if len(label) <= LONGEST else ""
    return name if NAME.fullmatch(name) and name not in RESERVED and not function_of(name) else ""


def single(pairs: Iterable[tuple[str, Found]]) -> dict[str, Found]:
    """Return a table without the keys that stand for several things."""
    values_of: dict[str, list[Found]] = {}
    for key, value in pairs:
        values_of.setdefault(key, []).append(value)
    return {key: values[0] for key, values in values_of.items() if values.count(values[0]) == len(values)}


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


def spellings(ask: Ask, output: str, names: Set[str]) -> Iterator[str]:
    """Yield the labels of a quantity: `∇_w L`, `∂_w L`, `L_w`, `f'`, `dW`, `δ2`, `output line 6`."""
    kind, of, by = ask.quantity
    if kind == "printed":
        words = ("line", "printed", "prints", "print", "output", "outputline")
        yield from (f"{word}{place}" for word in words for place in {of, ""})
    elif kind == "raises":
        yield from ("raise", "raised", "error", "exception")
    elif kind == "entry":
        for first in (0, 1):  # as programs count, and as mathematics does
            yield of + "".join(str(int(part) + first) for part in by.split(","))
    elif kind == "local":
        yield f"{of}'"
    elif kind == "higher":
        yield from (f"{of}{by}", of + "'" * (by.count(",") + 1))
    elif kind in WHOLE:
        letter = {"jacobian": "J", "hessian": "H"}.get(kind, "∇")
        more = {"jacobian": (f"D{of}", f"d{of}d{by}"), "hessian": (f"∇2{of}", "∇2"), "gradients": ("gradient", "grad")}
        labels = (letter, f"{letter}{of}", kind, f"{kind}of{of}", f"{kind}matrix", *more.get(kind, ()))
        yield from (label for label in labels if label not in names)
    is_of_output = (kind == "gradient" and of == output) or (kind == "snippet" and of.endswith(".grad"))
    by = of.removesuffix(".grad") if kind == "snippet" else by
    if kind == "gradient":
        called = (other for other in OUTPUTS if of == output and names.isdisjoint((other, other.casefold())))
        for name, x in product((of, folded(of), *called), dict.fromkeys((by, folded(by)))):
            yield from (f"d{name}d{x}", f"dd{x}{name}", f"dd{x}{name}{x}", f"{name}'{x}{x}", f"∇{x}{name}")
            yield from (f"grad{x}{name}", f"d{x}{name}", f"D{x}{name}", f"{name}∇{x}", f"{name}'", f"{name}'{x}")
            yield f"d{name}d{x}T"
    if is_of_output:
        yield from (f"∇{of}", f"grad{of}", f"D{of}")
        for x in dict.fromkeys((by, folded(by))):
            yield from (f"∇{x}", f"grad{x}", f"{x}grad", f"d{x}", re.sub(r"(?<=\D)(?=\d*$)", "bar", x, count=1))
        layer = re.fullmatch(r"z(\d*)", by)
        if layer:
            yield f"δ{layer[1]}"


def spelling_of(label: str) -> str:
    """Return what spellings of a label share: its letters, digits, `∇` and primes."""
    letters = re.sub(r"[^\w∇']|_", "", label.replace("∂", "d"))
    return "".join(folded(letter) if not letter.isascii() else letter for letter in letters)


DERIVED_SIGNS = re.compile("(?:偏?导数|梯度|偏?微分|勾配|기울기|미분)")
PIECES = re.compile(r"[\u3040-\ud7af]+|[^\W_\u3040-\ud7af]+(?:_\w+)?")
WRT = re.compile(r"\bw\.?\s?r\.?\s?t\b\.?", re.IGNORECASE)


def told_in_words(label: str, names: Collection[str], output: str) -> str:
    """Return `dLdw` for `the derivative of L with respect to w`, in any language, `d` for `the derivative` alone.

    "" stands for any other text.
    """
    pieces = PIECES.findall(WRT.sub(" ", label))
    named = [piece for piece in pieces if matching(piece, names)]
    if len(named) > 2:  # `a derivada de L em relação a w`, of a program that has an `a`, too
        named = [piece for piece in named if piece not in ROLE]
    given = [matching(piece, names) for piece in named]
    words = [piece for piece in pieces if piece not in named]
    is_derived = any(folded_word(word) in DERIVED or DERIVED_SIGNS.search(word) for word in words)
    is_known = all(
        folded_word(word) in DERIVED | ROLE
        or (is_harmless(word) and (len(word) > 1 or word in "adl"))
        or DERIVED_SIGNS.search(word)
        or (not word.isascii() and len(word) < 5)
        for word in words
    )
    is_derived |= len(given) == 2 and any(folded_word(word) in WITH_RESPECT for word in words)
    if not is_derived or not is_known or len(given) > 2:
        return ""
    if not given or given == [output]:
        return "d"
    return f"d{given[0]}d{given[1]}" if len(given) == 2 else f"d{output}d{given[0]}" if output else f"∇{given[0]}"


def squeezed(text: str) -> str:
    return "".join(text.split()).replace("∂", "d")
