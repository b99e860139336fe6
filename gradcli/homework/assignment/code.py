"""Questions on code: `engine = "Value"`, or `function = "affine_backward"` with the program that it differentiates."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.errors import UsageError
from gradcli.homework.code.cases import GRAPHS, USUAL, Code

KEYS = ("engine", "function", "takes", "returns", "upstream", "shapes")
EXAMPLE = (
    'takes = ["dout", "x", "W"], returns = ["dx", "dW"], shapes = { dout = ["n", "k"], x = ["n", "d"], W = ["d", "k"] }'
)
Refuse = Callable[[str, str, str], UsageError]  # from the key at fault, a message and a help


def read_code(table: Mapping[str, Any], refuse: Refuse) -> Code | None:
    """Read what code a question asks for; None where it asks for none. Raises UsageError at the key at fault."""
    if "engine" in table:
        return Code(name_of(table, "engine", "Value", refuse), is_engine=True)
    if "function" not in table:
        return None
    name, program = name_of(table, "function", "affine_backward", refuse), table.get("program")
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
    return list(GRAPHS if code.is_engine else code.returns)


def stub(code: Code) -> str:
    """Return what students see of the code that they are to write."""
    if code.is_engine:
        return f"class {code.name}:\n    ...\n"
    lines = code.program.strip().splitlines()
    return "".join(f"# {line}\n" for line in lines) + (
        f"def {code.name}({', '.join(code.takes)}):\n    ...\n    return {', '.join(code.returns)}\n"
    )
