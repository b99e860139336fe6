"""The attributes of an object and the members of an enumeration: no operation hands out the dict that holds them."""

from __future__ import annotations

import pytest

from gradcli.script.python.values.special import DEFINABLE
from tests.programs import some
from tests.script.running import ours

LEFT_OUT = ("__init__", "__new__", "__init_subclass__", "__class_getitem__", "__set_name__", "__hash__", "__iter__")
TAKING = " = ".join(sorted(DEFINABLE.difference(LEFT_OUT, ("__getattr__", "__setattr__", "__delattr__", "__repr__"))))
BEFORE = f"""
import collections, copy, enum, functools, itertools, json, math, operator, pprint, types
import numpy as np, torch
class Thief:
    def take(self, *others, **named):
        for other in others:
            if isinstance(other, dict):
                other["z"] = 1
                try: other.clear()
                except Exception: pass
        return True
    {TAKING} = take
    def __hash__(self): return hash("x")
    def __iter__(self): return iter([self])
class Own:
    def __init__(self): self.x = 1
class Color(enum.Enum):
    RED = 1
own, thief = Own(), Thief()
"""
AFTER = """
except Exception: pass
try: thief.take(stolen)
except Exception: pass
print(list(vars(own)), list(Color.__members__), Color(1))
"""
SOURCES = ["vars(own)", "own.__dict__", "Color.__members__", "vars(own).keys()", "vars(own).items()", "[vars(own)]"]
ARITHMETIC = ("|", "&", "-", "^", "+", "*", "%", "@", "**", "//", "/", "<<", ">>")
OPERATORS = (*ARITHMETIC, "==", "!=", "<", "<=", ">", ">=")
USES = [
    *(f"{{}} {operator} thief" for operator in OPERATORS),
    *(f"thief {operator} {{}}" for operator in OPERATORS),
    *(f"operator.{name}({{}}, thief)" for name in ("or_", "eq", "lt", "contains", "concat", "getitem", "ior")),
    *("divmod({}, thief)", "pow(thief, {}, {})", "max({}, thief)", "min(thief, {})", "sorted([thief, {}])"),
    *("{} in [thief]", "[thief].index({})", "[thief].count({})", "[thief].remove({})", "({},) < (thief,)"),
    *("[{}] == [thief]", "dict(a={}) == dict(a=thief)", "collections.deque([{}]) == collections.deque([thief])"),
    *("f'{{{}!r:5}}'", "format({}, thief)", "'%s' % {}", "'%(x)s' % {}", "'{{0}}'.format({})", "'{{0[x]}}'.format({})"),
    *("str({})", "repr({})", "print({}, file=thief)", "pprint.pformat({})", "pprint.pprint({}, thief)"),
    *("dict({}, t=thief)", "{{**{}}}", "{{}}.update({})", "{{}} | {}", "{} | {{}}", "collections.Counter({})"),
    *("collections.OrderedDict({})", "collections.deque({})", "collections.defaultdict(thief, {})", "list({})"),
    *("thief(**{})", "thief(*{})", "thief[{}]", "thief.take({})", "thief.take(*[{}])", "getattr({}, 'copy')()"),
    *(
        "copy.copy({})",
        "copy.deepcopy({})",
        "json.dumps({})",
        "json.dumps({}, default=thief)",
        "json.dumps([thief, {}])",
    ),
    *("functools.reduce(lambda a, b: a | b, [{}, thief])", "functools.partial(thief, {})()", "map(thief, {})"),
    *("list(itertools.chain({}, thief))", "list(zip({}, thief))", "sum([{}], thief)", "isinstance({}, Thief)"),
    *("{}.get(thief, thief)", "{}.get('x')", "{}[thief]", "{}.copy()", "{}.keys()", "{}.items() & thief", "len({})"),
    *("set({}) | thief", "set({}).union(thief)", "{}.isdisjoint(thief)", "reversed({})", "iter({})", "hash({})"),
    *("np.array({})", "np.array([1]) == {}", "torch.tensor({})", "torch.ones(1) == {}", "math.floor({})", "bool({})"),
    *("type({})({{}})", "types.MappingProxyType({})", "collections.abc.Mapping.__or__({}, thief)", "{}.popitem()"),
    *("{}._held", "getattr({}, '_held')", "{}.mapping", "vars({})", "{}.__dict__", "{}.__or__(thief)", "{}.__class__"),
    *("{}.setdefault('z', 1)", "{}.update(z=1)", "{}.pop('x')", "{}.clear()", "operator.attrgetter('_held')({})"),
]
STATEMENTS = [
    "stolen = {}\nstolen |= thief",
    "stolen = thief\nstolen |= {}",
    "match {}:\n  case {{'x': x, **stolen}}: pass",
    "match {}:\n  case dict() as stolen: pass",
    "match {}:\n  case types.MappingProxyType(_held=stolen): pass",
    "for stolen in {}: thief.take(stolen)",
    "first, *stolen = {}",
    "{}['z'] = 1",
    "del {}['x']",
    "raise ValueError({}) from None",
    "def f(**named): thief.take(named)\nf(**{})",
    "def f(*stolen): thief.take(*stolen)\nf(*{})",
    "stolen = (lambda: (yield {}))().send(None)",
]


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_nothing_hands_out_the_dict_itself(source: str) -> None:
    for use in some([f"stolen = {use}" for use in USES] + STATEMENTS, 6, start=SOURCES.index(source)):
        body = use.format(source, source).replace("\n", "\n    ")
        printed = ours(f"{BEFORE}\nstolen = None\ntry:\n    {body}{AFTER}")
        ended = printed.splitlines()[-1].startswith("Error: ")  # by an attribute that no snippet may ask for
        assert ended or printed.endswith("['x'] ['RED'] Color.RED\n"), f"{body}\n{printed}"


def test_it_reads_as_a_mapping() -> None:
    text = """
import collections, types
class Own:
    def __init__(self): self.x = 1
own = Own()
v = vars(own)
own.y = 2
print(v, len(v), v["y"], "x" in v, v.get("z", 3), list(v), [*reversed(v)], v == {"x": 1, "y": 2}, v != vars(Own()))
print(v | {"z": 3}, {"z": 3} | v, {**v}, v.copy(), v == v, isinstance(v, collections.abc.Mapping))
print(isinstance(v, types.MappingProxyType), type(v).__name__, list(v.items()), f"{v}", "%(x)s" % v, "{x}".format(**v))
match v:
    case {"x": x, **rest}: print(x, rest)
try: v["x"] = 5
except TypeError as error: print(error)
"""
    assert ours(text).splitlines() == [
        "{'x': 1, 'y': 2} 2 2 True 3 ['x', 'y'] ['y', 'x'] True True",
        "{'x': 1, 'y': 2, 'z': 3} {'z': 3, 'x': 1, 'y': 2} {'x': 1, 'y': 2} {'x': 1, 'y': 2} True True",
        "True mappingproxy [('x', 1), ('y', 2)] {'x': 1, 'y': 2} 1 1",
        "1 {'y': 2}",
        "'mappingproxy' object does not support item assignment",
    ]
