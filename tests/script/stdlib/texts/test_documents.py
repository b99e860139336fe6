from __future__ import annotations

from tests.script.agreement import REFUSED, agree, limited, programs


@programs(
    r"""print(json.dumps({"a": [1, 2.5, None, True, "x\"é"], "b": {"c": 1}}), json.dumps("é", ensure_ascii=False))""",
    'print(json.dumps({"b": 1, "a": [2]}, indent=2, sort_keys=True), json.dumps([1, 2], separators=(",", ":")))',
    """print(json.loads('{"a": [1, 2.0, null, false]}'))\nrefused(lambda: json.loads("{bad"))""",
    "refused(lambda: json.dumps({1, 2}))\ntry:\n    json.loads('[')\nexcept json.JSONDecodeError as e:\n"
    "    print(e, e.pos)",
    "pprint.pprint({'b': 1, 'a': [1, 2, 3]}); pprint.pprint(list(range(40)), compact=True); "
    "pprint.pp({'b': 1, 'a': 2})",
    "p = pprint.PrettyPrinter(width=20); p.pprint({'bbbbbb': 1, 'a': [1, 2, 3]}); print(p.pformat([1]))",
    "pprint.pprint({f'key{i}': 'value' * 3 for i in range(6)}, width=40); print(pprint.pformat([1]))",
    "print(textwrap.dedent('\\n    a\\n      b\\n"
    "'), textwrap.fill('aaa bbb ccc ddd', 7), textwrap.indent('a\\nb', '> '))",
    "print(textwrap.shorten('hello world foo', 12), textwrap.wrap('aa bb cc', 5))",
)
def test_texts_are_pythons(program: str) -> None:
    agree(f"import json, pprint, textwrap\n{REFUSED}\n{program}")


@programs(
    "import json\njson.dumps(['a' * 10**6] * 10**5)",
    "import json\njson.dumps([1], indent=10**9)",
    "import textwrap\ntextwrap.indent('\\n' * 10**6, 'x' * 10**6)",
    "import io\nb = io.StringIO()\nwhile True:\n    b.write('x' * 10**5)",
    "import re\nre.sub('(.*)', r'\\1' * 10**6, 'x' * 10**6)",
    "import timeit\ntimeit.timeit(lambda: 1, number=10**12)",
)
def test_texts_do_not_run_away(program: str) -> None:
    limited(program)
