"""Assignments: what TOML can say in how many ways, and every mistake refused at its place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.grading import Grader
from gradcli.source import Source

WHOLE = """\
title = "Week 1"
[[question]]
id = "a"
program = "q = x**2"
at = { x = 2 }
ask = ["q"]
"""
SCRIPT = """\
[[question]]
id = "s"
script = '''
import torch
a = torch.ones(2)
'''
ask = ["a"]
"""


def read(text: str) -> Assignment:
    return read_assignment(Source(text, "week1.toml"))


def refused(text: str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        Grader(read(text))
    assert caught.value.exit_code == 2
    assert caught.value.help
    assert caught.value.source is not None
    assert caught.value.source.text == text
    return caught.value


# What is replaced, by what, the code, what the caret is under, a word of the message or the help.
MISTAKES = [
    ('"Week 1"', "3", "E021", "3", "text in quotes"),
    ("title", "titel", "E021", "titel", "did you mean title?"),
    ("[[question]]", "[question]", "E021", "[question]", "start one with [[question]]"),
    ("[[question]]", "[grading]\nrtol = -1\n[[question]]", "E021", "-1", "1e-5"),
    ("[[question]]", "[grading]\natol = nan\n[[question]]", "E021", "nan", "atol"),
    ("[[question]]", "[grading]\nrtol = '1'\n[[question]]", "E021", "'1'", "a number"),
    ("[[question]]", "[grading]\nrtoll = 1\n[[question]]", "E021", "rtoll", "did you mean rtol?"),
    ("[[question]]", "[grading]\nprecision = 0\n[[question]]", "E021", "0", "digits from 1 to 15"),
    ("[[question]]", "[grading]\nprecision = true\n[[question]]", "E021", "true", '"auto"'),
    ("[[question]]", "[grading]\ncarry_forward = 1\n[[question]]", "E021", "1", "true or false"),
    ("[[question]]", "grading = 3\n[[question]]", "E021", "grading", "write [grading]"),
    ('"a"', '""', "E021", '""', 'id = "chain"'),
    ('"a"', "3", "E021", "3", "id is a text"),
    ('"a"', '"a]"', "E021", '"a]"', "cannot be an id"),
    ('"a"', '"a\\nb"', "E021", '"a\\nb"', "cannot be an id"),
    ('"a"', '"\\u0007"', "E021", '"\\u0007"', "cannot be an id"),
    ("program", "progam", "E021", "progam", "did you mean program?"),
    ('program = "q = x**2"\n', "", "E021", "[[question]]", "neither a program nor a script"),
    ("program", 'script = "a = 1"\nprogram', "E021", "script", "both a program and a script"),
    ('"q = x**2"', "2", "E021", "2", "program is a text"),
    ("{ x = 2 }", "5", "E021", "5", "{ x = 2 }"),
    ("{ x = 2 }", '{ x = "1/" }', "E021", '"', "missing value after '/'"),
    ("{ x = 2 }", '{ x = "\\u0031 + y" }', "E021", "y", "y is a name"),
    ("{ x = 2 }", "{ x = 1979-05-27 }", "E021", "1979-05-27", "neither a number"),
    ("{ x = 2 }", "{ x = { y = 1 } }", "E021", "1", "{ choose = [1.3, 1.7, 2.2] }"),
    ("{ x = 2 }", "{ x = { choose = [2] } }", "E021", "[2]", "fewer than two values"),
    ("{ x = 2 }", "{ x = { choose = [2, [3]] } }", "E021", "[2, [3]]", "values of one shape"),
    ("{ x = 2 }", "{ x = { choose = [2, 'a'] } }", "E021", "a", "a is a name"),
    ("{ x = 2 }", "{ x = { choose = [2, 3], step = 1 } }", "E021", "1", "no step beside it"),
    ("{ x = 2 }", "{ x = { random = [2] } }", "E021", "x", "its smallest and its largest"),
    ("{ x = 2 }", "{ x = { random = [0], from = [1, 2] } }", "E021", "[0]", "the shape of x"),
    ("{ x = 2 }", "{ x = { random = [9, 9], from = [1, 2] } }", "E021", "[9, 9]", "more than 64 entries"),
    ("{ x = 2 }", "{ x = { from = [2, 1] } }", "E021", "[2, 1]", "from = [-2, 2]"),
    ("{ x = 2 }", "{ x = { from = [1, 2], step = 0 } }", "E021", "0", "the step of x is 0"),
    ("[[question]]", "[grading]\nattempt_penalty = 2\n[[question]]", "E021", "2", "from 0 to 1"),
    ("{ x = 2 }", "{ x = [1, [2]] }", "E021", "[1, [2]]", "rows of one length"),
    ("{ x = 2 }", "{ y = 1, x = 2 }", "E022", "y", "does not use y"),
    ("{ x = 2 }", '{ x = 1, "no name" = 2 }', "E022", '"no name"', "does not use no name"),
    ("at = { x = 2 }", "", "E022", "x", "write at = { x = 2 }"),
    ("{ x = 2 }", "{ α = 2 }", "E020", "α", '"α" = 2'),
    ('["q"]', '"q"', "E021", "ask", "no list"),
    ('["q"]', "[]", "E021", "ask", "asks for nothing"),
    ('ask = ["q"]\n', "", "E021", "[[question]]", 'write ask = ["q", "dq/dx"]'),
    ('["q"]', "[3]", "E021", "3", "dq/dx"),
    ('["q"]', '[""]', "E021", '""', "dq/dx"),
    ('["q"]', "[{ points = 2 }]", "E021", "{", "there is no quantity"),
    ('["q"]', "[{ quantity = 3 }]", "E021", "3", "no quantity"),
    ('["q"]', '["q", "q"]', "E021", '"q"', "asked for twice"),
    ('["q"]', '["dq/dx", "x.grad"]', "E021", '"x.grad"', "dq/dx is asked for twice"),
    ('["q"]', '["dq dx"]', "E021", '"dq dx"', "dq/ds"),
    ('["q"]', '["q = 3"]', "E021", '"q = 3"', "no quantity"),
    ('["q"]', '["dq/dz"]', "E022", '"dq/dz"', "the program has no z"),
    ('["q"]', '["qq"]', "E022", '"qq"', "did you mean q?"),
    ('["q"]', '["local dx/dq"]', "E022", '"local dx/dq"', "does not depend on q"),
    ('["q"]', '["q", { quantity = "dq/dx", form = "x" }]', "E021", '"x"', '"number" or "expression"'),
    ('["q"]', '[{ quantity = "q", point = 2 }]', "E021", "point", "did you mean points?"),
    ('["q"]', '[{ quantity = "q", points = "2" }]', "E021", '"2"', "points = 1"),
    ('["q"]', '[{ quantity = "q", points = -1 }]', "E021", "-1", "points = 1"),
    ('["q"]', '[{ quantity = "q", points = true }]', "E021", "true", "points = 1"),
    ('["q"]', '[{ quantity = "q", points = inf }]', "E021", "inf", "points = 1"),
    ('"q = x**2"', '""', "E022", '"', "no expression"),
    ('"q = x**2"', '"q = x**"', "E022", '"', "missing value after '**'"),
    ('"q = x**2"', '"q = x**2 + foo(x)"', "E022", "foo", "no function 'foo'"),
    ('"q = x**2"', '"\\u0071 = x**2\\n\\tfoo(x)"', "E022", "foo", "no function 'foo'"),
    ('"q = x**2"', '"""\nq = x**2 \\\n   * foo(x)"""', "E022", "foo", "no function 'foo'"),
    ('"q = x**2"', "'''\nq = x**2\nfoo(x)'''", "E022", "foo", "no function 'foo'"),
    ('"q = x**2"', "'''\np = [[question]]\n'''", "E022", "question", "no value for question"),
    ('"q = x**2"', '"θ = x; é = bar(x)"', "E022", "bar", "no function 'bar'"),
    ('["q"]', '[{ quantity = "q", form = "expression" }]\n[[question]]\nid = "a"', "E021", '"a"', "two questions"),
    (
        '"q = x**2"\nat = { x = 2 }\nask = ["q"]',
        '"sqrt(x - 9)"\nat.x = 10\nask = [{ quantity = "output", form = "expression" }]',
        "E022",
        '"output"',
        'form = "number"',
    ),
]
SCRIPT_MISTAKES = [
    ("torch.ones(2)", "torch.ones(2", "E022", "(", "never closed"),
    ("torch.ones(2)", "torch.onez(2)", "E022", "torch.onez", "did you mean ones?"),
    ("torch.ones(2)", "torch.ones(2) @ torch.ones(3)", "E022", "torch.ones(2) @ torch.ones(3)", "size"),
    ("import torch", "open('/etc/passwd')", "E022", "open", "open"),
    ('"a"', '"b.grad"', "E022", '"b.grad"', "'b' is not defined"),
    ('"a"', '"a ="', "E021", '"a ="', "a.grad"),
    ('"a"', '"f(x=1)"', "E021", '"f(x=1)"', "give it a name"),
    ('"a"', '"[a]"', "E021", '"[a]"', "give it a name"),
    ('"a"', '"torch"', "E022", '"torch"', "nothing that one can type"),
    ('["a"]', '[{ quantity = "a", form = "expression" }]', "E021", '"expression"', 'form = "number"'),
    ("ask", "at = { a = 1 }\nask", "E021", "1", "remove a, or write { choose"),
    ("ask", "at.x = { choose = [1, 2] }\nask", "E021", "at.x", "write x = torch.tensor(1.5) in it"),
]
CASES = [(WHOLE, *one) for one in MISTAKES] + [(SCRIPT, *one) for one in SCRIPT_MISTAKES]


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("whole", "old", "new", "code", "under", "says"), CASES, ids=[repr(c[2])[:40] for c in CASES])
def test_every_mistake_is_refused_at_its_place(
    whole: str, old: str, new: str, code: str, under: str, says: str, ends: str
) -> None:
    text = whole.replace(old, new, 1).replace("\n", ends)
    error = refused(text)
    assert error.code == code
    assert error.span is not None
    assert text.startswith(under, error.span.start)
    assert says in f"{error.message} {error.help}"
    # the last of several places that look the same, for what came second is what is too much
    if text.count(under) > 1 and "twice" in says:
        assert error.span.start == text.rindex(under)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("title = 'x", 1, 11),
        ("\r\nquestion = [3]", 2, 13),
        (f"{WHOLE}x = {'9' * 5000}", 7, 5),
        (f"{WHOLE}x = {'[' * 5000}", 7, 5),
    ],
)
def test_what_is_no_toml_is_refused(text: str, line: int, column: int) -> None:
    error = refused(text)
    assert error.code in ("E020", "E021")
    assert error.span is not None
    assert Source(text).position(error.span.start) == (line, column)


def test_the_ways_to_write_one_assignment() -> None:
    """Dotted keys, inline tables, headers below headers, arrays over lines, literal texts: all the same."""
    ways = [
        WHOLE,
        WHOLE.replace("at = { x = 2 }", "at.x = 2"),
        WHOLE.replace("at = { x = 2 }\n", "") + "[question.at]\nx = 2\n",
        WHOLE.replace('"q = x**2"', "'''\nq = x**2\n'''"),
        WHOLE.replace('"q = x**2"', '"\\u0071 = x**2"'),
        WHOLE.replace('["q"]', '[\n  "q", # the output\n]'),
        WHOLE.replace('["q"]', '[{ quantity = "q", points = 1, form = "number" }]'),
        WHOLE.replace("{ x = 2 }", "{ x = '4/2' }"),
        'title = "Week 1"\nquestion = [{ id = "a", program = "q = x**2", at = { x = 2 }, ask = ["q"] }]',
        f"# comment [x]\n{WHOLE}# [[question]]",
    ]
    first, *others = [[(q.id, q.at, [(a.quantity, a.points) for a in q.asks]) for q in read(w).questions] for w in ways]
    assert first == [("a", {"x": 2.0}, [(Quantity("value", "q"), 1.0)])]
    assert all(other == first for other in others)
    for way in ways:
        assert [key.expected for key in Grader(read(way)).keys.values()] == [{Quantity("value", "q"): 4.0}]


def texts() -> st.SearchStrategy[str]:
    pieces = st.sampled_from(
        ['"', "'", "\\", "\n", "#", "[", "]", "{", "}", ",", "=", ".", "a", " ", "\t", "é", "\U0001f600"]
    )
    return st.lists(pieces, max_size=12).map("".join)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{basic(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[\n" + ", # ]\n".join(map(toml, value)) + "\n]"
    return basic(value) if isinstance(value, str) else repr(value)


def basic(text: str) -> str:
    plain = "".join(f"\\u{ord(c):04x}" if c in '"\\\n\t' else c for c in text)
    if "'''" not in text and not text.endswith("'") and len(text) % 2:
        return f"'''{text}'''" if not text.startswith("\n") else f"'''\n{text}'''"
    return f'"""\n{plain}"""' if len(text) % 3 == 0 else f'"{plain}"'


def leaves(value: Any, path: tuple[str | int, ...]) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path, value
    else:
        for key, item in items:
            yield from leaves(item, (*path, key))
