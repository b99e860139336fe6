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
                other["z z"] = 1  # which a look at a dict refuses
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
    *("type({})({{}})", "collections.abc.Mapping.__or__({}, thief)", "{}.popitem()"),
    *("{}._held", "getattr({}, '_held')", "{}.mapping", "vars({})", "{}.__dict__", "{}.__or__(thief)", "{}.__class__"),
    *("{}.clear()", "operator.attrgetter('_held')({})"),
]
STATEMENTS = [
    "stolen = {}\nstolen |= thief",
    "stolen = thief\nstolen |= {}",
    "match {}:\n  case {{'x': x, **stolen}}: pass",
    "for stolen in {}: thief.take(stolen)",
    "first, *stolen = {}",
    "raise ValueError({}) from None",
    "def f(**named): thief.take(named)\nf(**{})",
    "def f(*stolen): thief.take(*stolen)\nf(*{})",
    "stolen = (lambda: (yield {}))().send(None)",
]


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_nothing_hands_out_the_dict_itself(source: str) -> None:
    for use in some([f"stolen = {use}" for use in USES] + STATEMENTS, 18, start=SOURCES.index(source)):
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
print(isinstance(v, dict), type(v).__name__)
print(list(v.items()), f"{v}", "%(x)s" % v, "{x}".format(**v))
match v:
    case {"x": x, **rest}: print(x, rest)
"""
    assert ours(text).splitlines() == [
        "{'x': 1, 'y': 2} 2 2 True 3 ['x', 'y'] ['y', 'x'] True True",
        "{'x': 1, 'y': 2, 'z': 3} {'z': 3, 'x': 1, 'y': 2} {'x': 1, 'y': 2} {'x': 1, 'y': 2} True True",
        "True dict",
        "[('x', 1), ('y', 2)] {'x': 1, 'y': 2} 1 1",
        "1 {'y': 2}",
    ]


def test_attributes_are_written_by_plain_names_alone() -> None:
    text = """
class Own: pass
own = Own()
own.__dict__["x"] = 1
vars(own).update(y=2, z=3)
print(own.x, own.y, vars(own).pop("z"), vars(own).setdefault("x", 5), own.__dict__)
del own.__dict__["x"]
print(hasattr(own, "x"))
own.__dict__["__class__"] = int
"""
    assert ours(text).splitlines() == [
        "1 2 3 1 {'x': 1, 'y': 2}",
        "False",
        "Error: AttributeError: '__class__' as the name of an attribute is not supported here",
    ]


@pytest.mark.parametrize("use", ["setdefault('z', 1)", "update(z=1)", "pop('x')", "__setitem__('x', 1)"])
def test_members_are_not_written(use: str) -> None:
    printed = ours(f"import enum\nclass Color(enum.Enum):\n    RED = 1\nColor.__members__.{use}\n")
    assert printed.startswith("Error: AttributeError: ")
