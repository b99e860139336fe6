"""Questions on code: `engine = "Value"`, or `function = "affine_backward"` with the program that it differentiates.

In place of a program a function may have `cases = [{ args = [...], returns = [...] }]`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.errors import UsageError
from gradcli.homework.code.cases import ASKS, USUAL, Code, is_array
from gradcli.homework.code.layers import QUANTITIES as LAYERS

KEYS = ("engine", "layer", "args", "function", "takes", "returns", "upstream", "shapes", "cases")
EXAMPLE = (
    'takes = ["dout", "x", "W"], returns = ["dx", "dW"], shapes = { dout = ["n", "k"], x = ["n", "d"], W = ["d", "k"] }'
)
CASE = "cases = [{ args = [[1.0, 2.0], 3.0], returns = [[0.5, 0.1]] }]"
Refuse = Callable[[str, str, str], UsageError]  # from the key at fault, a message and a help


def read_code(table: Mapping[str, Any], refuse: Refuse) -> Code | None:
    """Read what code a question asks for; None where it asks for none. Raises UsageError at the key at fault."""
    if "engine" in table:
        return Code(name_of(table, "engine", "Value", refuse), is_engine=True)
    if "layer" in table:
        return of_layer(table, refuse)
    if "function" not in table:
        return None
    name, program = name_of(table, "function", "affine_backward", refuse), table.get("program")
    if "cases" in table:
        return of_cases(name, table, refuse)
    if not isinstance(program, str) or "=" not in program:
        raise refuse("program", "a function is the backward pass of a program", 'write program = "y = x @ W + b"')
    takes, returns = (names_of(table, key, refuse) for key in ("takes", "returns"))
    shapes = table.get("shapes")
    if not isinstance(shapes, dict) or not all(map(is_shape, shapes.values())):
        raise refuse("shapes", "each variable has a shape", f"write {EXAMPLE}")
    upstream = table.get("upstream", takes[0] if takes[0] in shapes and takes[0] not in program else "")
    if upstream and upstream not in shapes:
        raise refuse("upstream", f"{upstream!r:.40} has no shape", f"write {EXAMPLE}")
    for one in returns:
        if one[:1] != "d" or one[1:] not in shapes or one[1:] == upstream:
            raise refuse("returns", f"{one} is no gradient of a variable with a shape", f"write {EXAMPLE}")
    try:
        ast.parse(program.strip())
    except SyntaxError:
        raise refuse("program", "the program is not Python", 'write program = "y = x @ W + b"') from None
    return Code(name, is_engine=False, program=program, takes=takes, returns=returns, upstream=upstream, shapes=shapes)


def of_layer(table: Mapping[str, Any], refuse: Refuse) -> Code:
    """Return a class of layers, that is made with `args` and called with inputs of some shapes."""
    name, shapes, arguments = name_of(table, "layer", "Linear", refuse), table.get("shapes"), table.get("args", [])
    example = 'write layer = "Linear", args = ["d", "k"], shapes = { x = ["n", "d"] }'
    if not isinstance(shapes, dict) or not shapes or not all(map(is_shape, shapes.values())):
        raise refuse("shapes", "each input of the forward pass has a shape", example)
    if not isinstance(arguments, list) or not is_data(arguments):
        raise refuse("args", "args are what the class is made with", example)
    return Code(
        name,
        is_engine=False,
        takes=tuple(shapes),
        shapes=shapes,
        returns=LAYERS,
        is_layer=True,
        arguments=tuple(arguments),
    )


def of_cases(name: str, table: Mapping[str, Any], refuse: Refuse) -> Code:
    """Return a function that is tried with arguments whose results are given, each with the same number of them."""
    cases = table["cases"]
    is_list = isinstance(cases, list) and cases and all(isinstance(case, dict) for case in cases)
    pairs = [(case.get("args"), case.get("returns")) for case in cases] if is_list else []
    if not pairs or not all(isinstance(values, list) and is_data(values) for pair in pairs for values in pair):
        help = f'write {CASE}; of objects of classes ask with layer = "Linear"'
        raise refuse("cases", "each case has the arguments of a call and the values that it returns", help)
    takes = names_of(table, "takes", refuse) if "takes" in table else ()
    count = len(pairs[0][1])
    usual = ("result",) if count == 1 else tuple(f"result_{number + 1}" for number in range(count))
    returns = names_of(table, "returns", refuse) if "returns" in table else usual
    for arguments, values in pairs:
        if len(values) != len(returns) or not values or len(arguments) != len(takes or pairs[0][0]):
            raise refuse("cases", "the cases differ in how many values they take or return", f"write {CASE}")
        if not all(is_array(value) for value in values):
            raise refuse("cases", "what a case returns is a number or an array", f"write {CASE}")
    return Code(
        name, is_engine=False, takes=takes, returns=returns, cases=tuple((tuple(a), tuple(r)) for a, r in pairs)
    )


def is_data(value: object) -> bool:
    """Tell whether a value of TOML is a number, a text, or a list or table of such."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list | dict):
            waiting += item.values() if isinstance(item, dict) else item
        elif not isinstance(item, bool | int | float | str):
            return False
    return True


def name_of(table: Mapping[str, Any], key: str, example: str, refuse: Refuse) -> str:
    name = table[key]
    if not isinstance(name, str) or not name.isidentifier():
        raise refuse(key, f"{name!r:.40} is no name", f'write {key} = "{example}"')
    return name


def names_of(table: Mapping[str, Any], key: str, refuse: Refuse) -> tuple[str, ...]:
    names = table.get(key)
    if (
        not isinstance(names, list)
        or not names
        or not all(isinstance(one, str) and one.isidentifier() for one in names)
    ):
        raise refuse(key, f"{key} is a list of names", f"write {EXAMPLE}")
    return tuple(names)


def is_shape(shape: object) -> bool:
    return isinstance(shape, list) and all(
        (type(one) is int and 1 <= one <= 64) or (isinstance(one, str) and one) for one in shape
    )


def usual_asks(code: Code) -> list[str]:
    """Return what is asked for where the assignment does not say it."""
    return list(USUAL if code.is_engine else code.returns)


def known_asks(code: Code) -> list[str]:
    return list(ASKS if code.is_engine else code.returns)


def stub(code: Code) -> str:
    """Return what students see of the code that they are to write."""
    if code.kind == "class":
        return f"class {code.name}:\n    ...\n"
    if code.cases:
        return f"def {code.name}({', '.join(code.takes) or '*args'}):\n    ...\n"
    lines = code.program.strip().splitlines()
    return "".join(f"# {line}\n" for line in lines) + (
        f"def {code.name}({', '.join(code.takes)}):\n    ...\n    return {', '.join(code.returns)}\n"
    )
