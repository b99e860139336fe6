from __future__ import annotations

from tests.script.agreement import REFUSED, agree, limited, programs
from tests.script.running import ours


@programs(
    "d = defaultdict(list); d['a'].append(1); d['b']; print(d, dict(d), d.default_factory, len(d), "
    "d == {'a': [1], 'b': []})",
    "d = defaultdict(lambda: 5); print(d[3], list(d.items()), d.get(4))",
    "d = defaultdict(int, {'x': 1}, y=2); d['z'] += 1; print(d, [d], isinstance(d, dict), type(d))",
    "c = Counter('mississippi'); print(c, c.most_common(2), c['s'], c['zz'], c.total(), sorted(c.elements()))",
    "c = Counter('abca'); print(c + Counter('ss'), c - Counter('a'), Counter(), Counter(a=1, b=2), c.most_common()[0])",
    "c = Counter('aab'); c.update('bb'); c.subtract({'a': 1}); print(c, dict(c), Counter([1, 1, 2]))",
    "o = OrderedDict([('a', 1), ('b', 2)]); o['c'] = 3; o.move_to_end('a'); print(list(o), o.popitem(), OrderedDict())",
    "q = deque([1, 2, 3], maxlen=3); q.append(4); q.appendleft(0); print(q, q[0], len(q), q.maxlen, deque('ab'))",
    "q = deque(range(5)); q.extend([7, 8]); q.extendleft('ab'); q.rotate(1); print(q, q.pop(), q.popleft(), list(q))",
    "q = deque(); q += [1, 2]; print(q * 2, [q, q], q.count(1), q.index(2))",
    "P = namedtuple('P', 'x y'); p = P(1, y=2); x, y = p; print(p, p.x, p[1], x, y, p == (1, 2), P, "
    "isinstance(p, tuple))",
    "P = namedtuple('P', ['x', 'y'], defaults=[7]); p = P(1); print(p, p._replace(x=5), p._asdict(), "
    "P._fields, P._make([3, 4]))",
    "refused(lambda: namedtuple('Q', 'x')()); refused(lambda: deque().pop())",
    "refused(lambda: OrderedDict().popitem()); refused(lambda: defaultdict(3))",
)
def test_containers_are_pythons(program: str) -> None:
    agree(f"from collections import OrderedDict, defaultdict, Counter, namedtuple, deque{REFUSED}{program}")


@programs(
    "deque(range(10**9))",
    "deque(iter(range(10**9)))",
    "deque().extend(range(10**9))",
    "Counter(range(10**9))",
    "list(Counter(a=10**12).elements())",
    "deque([0] * 1000) * 10**9",
    "d = deque([0] * 1000); d *= 10**9",
)
def test_growth_stays_within_the_limits(program: str) -> None:
    limited(f"from collections import deque, Counter\n{program}")


def test_ordered_dicts_are_written_as_pairs_under_every_python() -> None:
    assert (
        ours("from collections import OrderedDict\nprint(OrderedDict(b=2, c=[3]))")
        == "OrderedDict([('b', 2), ('c', [3])])\n"
    )
