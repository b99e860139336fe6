"""Questions on code: `engine = "Value"`, or `function = "affine_backward"` with the program that it differentiates.

In place of a program a function may have `cases = [{ args = [...], returns = [...] }]`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradcli.homework.assignment.places import Table
from gradcli.homework.code.cases import Code, is_array
from gradcli.homework.code.layers import QUANTITIES as LAYERS
from gradcli.homework.solve.properties import PROPERTIES

KEYS = ("engine", "layer", "args", "function", "takes", "returns", "upstream", "shapes", "cases")
EXAMPLE = (
    'takes = ["dout", "x", "W"], returns = ["dx", "dW"], shapes = { dout = ["n", "k"], x = ["n", "d"], W = ["d", "k"] }'
)
CASE = "cases = [{ args = [[1.0, 2.0], 3.0], returns = [[0.5, 0.1]] }]"
PROGRAM = 'write program = "y = x @ W + b"'


def read_code(table: Table) -> Code | None:
    """Read what code a question asks for; None where it asks for none. Raises UsageError at the key at fault."""
    if "engine" in table:
        return Code(name_of(table, "engine", "Value"), is_engine=True)
    if "layer" in table:
        return of_layer(table)
    if "function" not in table:
        return None
    name, program = name_of(table, "function", "affine_backward"), table.get("program")
    if "cases" in table:
        return of_cases(name, table)
    if not isinstance(program, str) or "=" not in program:
        raise table.refuse_key("a function is the backward pass of a program", PROGRAM, "program")
    takes, returns = (names_of(table, key) for key in ("takes", "returns"))
    shapes = table.get("shapes")
    if not isinstance(shapes, dict) or not all(map(is_shape, shapes.values())):
        raise table.refuse_key("each variable has a shape", f"write {EXAMPLE}", "shapes")
    upstream = table.get("upstream", takes[0] if takes[0] in shapes and takes[0] not in program else "")
    if upstream and upstream not in shapes:
        raise table.refuse_key(f"{upstream!r:.40} has no shape", f"write {EXAMPLE}", "upstream")
    for gradient in returns:
        if gradient[:1] != "d" or gradient[1:] not in shapes or gradient[1:] == upstream:
            message = f"{gradient} is no gradient of a variable with a shape"
            raise table.refuse_key(message, f"write {EXAMPLE}", "returns")
    try:
        names = [node for node in ast.walk(ast.parse(program.strip())) if isinstance(node, ast.Name)]
    except SyntaxError:
        raise table.refuse_key("the program is not Python", PROGRAM, "program") from None
    assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    for name_read in (node.id for node in names if node.id not in (*assigned, *shapes, "torch")):
        if f"{name_read}(" not in program:
            help = "give it a shape, or write what it is: the number of rows of X is X.shape[0]"
            raise table.refuse_key(f"{name_read} in the program has no shape", help, "program")
    code = Code(name, is_engine=False, program=program, takes=takes, returns=returns, upstream=upstream, shapes=shapes)
    return replace(code, given=read_properties(table, shapes))


def of_layer(table: Table) -> Code:
    """Return a class of layers, that is made with `args` and called with inputs of some shapes."""
    name, shapes, arguments = name_of(table, "layer", "Linear"), table.get("shapes"), table.get("args", [])
    example = 'write layer = "Linear", args = ["d", "k"], shapes = { x = ["n", "d"] }'
    if not isinstance(shapes, dict) or not shapes or not all(map(is_shape, shapes.values())):
        raise table.refuse_key("each input of the forward pass has a shape", example, "shapes")
    if not isinstance(arguments, list) or not is_data(arguments):
        raise table.refuse_key("args are what the class is made with", example, "args")
    return Code(
        name,
        is_engine=False,
        takes=tuple(shapes),
        shapes=shapes,
        returns=LAYERS,
        is_layer=True,
        arguments=tuple(arguments),
        given=read_properties(table, shapes),
    )


def read_properties(table: Table, shapes: Mapping[str, Sequence[int | str]]) -> Mapping[str, str]:
    """Return which property the values drawn for a variable have, `given = { T = "one_hot" }`."""
    properties: dict[str, str] = table.typed("given", dict, {})
    for name, known in properties.items():
        axes = shapes.get(name, ())
        least = PROPERTIES[known][0] if isinstance(known, str) and known in PROPERTIES else len(axes) + 1
        if name not in shapes or len(axes) < least or (least == 2 and axes[-1] != axes[-2]):
            help = f"write given = {{ NAME = PROPERTY }}, with one of {', '.join(PROPERTIES)}"
            raise table.refuse_key(f"{name} has no property {known!r:.40} here", help, "given")
    return properties


def of_cases(name: str, table: Table) -> Code:
    """Return a function that is tried with arguments whose results are given, each with the same number of them."""
    cases = table.get("cases")
    is_list = isinstance(cases, list) and cases and all(isinstance(case, dict) for case in cases)
    pairs = [(case.get("args"), case.get("returns")) for case in cases] if is_list else []
    if not pairs or not all(isinstance(values, list) and is_data(values) for pair in pairs for values in pair):
        message = "each case has the arguments of a call and the values that it returns"
        help = f'write {CASE}; an object is {{ new = "Value", args = [2.0] }}'
        raise table.refuse_key(message, help, "cases")
    count = len(pairs[0][1])
    usual = ("result",) if count == 1 else tuple(f"result_{number + 1}" for number in range(count))
    takes = names_of(table, "takes") if "takes" in table else ()
    returns = names_of(table, "returns") if "returns" in table else usual
    for arguments, values in pairs:
        if len(values) != len(returns) or not values or len(arguments) != len(takes or pairs[0][0]):
            message = "the cases differ in how many values they take or return"
            raise table.refuse_key(message, f"write {CASE}", "cases")
        if not all(map(is_array, values)):
            raise table.refuse_key("what a case returns is a number or an array", f"write {CASE}", "cases")
    tried = tuple((tuple(arguments), tuple(values)) for arguments, values in pairs)
    return Code(name, is_engine=False, takes=takes, returns=returns, cases=tried)


def is_data(value: object) -> bool:
    """Tell whether a value of TOML is a number, a text, or a list or table of such."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict) and "new" in item and not is_name(item["new"]):
            return False
        if isinstance(item, list | dict):
            waiting += item.values() if isinstance(item, dict) else item
        elif not isinstance(item, bool | int | float | str):
            return False
    return True


def is_name(value: object) -> bool:
    return isinstance(value, str) and value.isidentifier()


def name_of(table: Table, key: str, example: str) -> str:
    name: str = table.get(key)
    if not is_name(name):
        raise table.refuse_key(f"{name!r:.40} is no name", f'write {key} = "{example}"', key)
    return name


def names_of(table: Table, key: str) -> tuple[str, ...]:
    names = table.get(key)
    if not isinstance(names, list) or not names or not all(map(is_name, names)):
        raise table.refuse_key(f"{key} is a list of names", f"write {EXAMPLE}", key)
    return tuple(names)


def is_shape(shape: object) -> bool:
    return isinstance(shape, list) and all(
        (type(size) is int and 1 <= size <= 64) or (isinstance(size, str) and size) for size in shape
    )


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
