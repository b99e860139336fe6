from __future__ import annotations

from tests.script.agreement import REFUSED, agree, limited, programs


@programs(
    r"""print(json.dumps({"a": [1, 2.5, None, True, "x\"é"], "b": {"c": 1}}), json.dumps("é", ensure_ascii=False))""",
    'print(json.dumps({"b": 1, "a": [2]}, indent=2, sort_keys=True), json.dumps([1, 2], separators=(",", ":")))',
    """print(json.loads('{"a": [1, 2.0, null, false]}'))\nrefused(lambda: json.loads("{bad"))""",
    "refused(lambda: json.dumps({1, 2}))\ntry:\n    json.loads('[')\nexcept json.JSONDecodeError as e:\n"
    "    print(e, e.pos)",
)
def test_texts_are_pythons(program: str) -> None:
    agree(f"import json\n{REFUSED}\n{program}")


@programs(
    "import json\njson.dumps(['a' * 10**6] * 10**5)",
    "import json\njson.dumps([1], indent=10**9)",
    "import io\nb = io.StringIO()\nwhile True:\n    b.write('x' * 10**5)",
)
def test_texts_do_not_run_away(program: str) -> None:
    limited(program)
