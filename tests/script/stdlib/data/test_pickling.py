"""`pickle` in snippets, and what neither it nor `torch.save` can save, against Python and torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

TEXT = """
import io, pickle, re
import torch; torch.manual_seed(0)
from torch import nn
def t(f):
    try: print("ok", f())
    except Exception as e: print(type(e).__name__, re.sub('0x[0-9a-f]+', '0x', str(e)))
x=torch.randn(3,requires_grad=True)
x.grad=torch.ones(3)
y=pickle.loads(pickle.dumps(x)); print(y, y.grad, y.is_leaf, y._version)
p=nn.Parameter(torch.ones(2)); q=pickle.loads(pickle.dumps(p)); print(type(q).__name__, q.requires_grad, q)
m=nn.Linear(2,2); m2=pickle.loads(pickle.dumps(m)); print(m2, torch.equal(m.weight,m2.weight), m2.weight is m.weight)
a=torch.ones(4); v=a[1:]; a2,v2=pickle.loads(pickle.dumps([a,v])); v2.zero_(); print(a2)
t(lambda: pickle.loads(pickle.dumps(x*2)))
t(lambda: pickle.dumps(lambda x: x))
d={"a":[1,(2,3)],"b":{1,2}}; print(pickle.loads(pickle.dumps(d))==d)
def f():
    class L: pass
    return L()
t(lambda: pickle.dumps(f()))
b=io.BytesIO(); pickle.dump([1,2],b); b.seek(0); print(pickle.load(b))
print(pickle.loads(pickle.dumps(torch.float32)) is torch.float32, pickle.loads(pickle.dumps(torch.Size([1,2]))))
s=nn.Sequential(nn.Linear(2,2),nn.ReLU()); print(pickle.loads(pickle.dumps(s)))
o=torch.optim.SGD(m.parameters(),lr=0.1); print(pickle.loads(pickle.dumps(o)))
h=x.register_hook(lambda g: g); t(lambda: pickle.dumps(x) and 1)
t(lambda: pickle.loads(pickle.dumps(ValueError("a"))))
z=torch.ones(2); l=pickle.loads(pickle.dumps([z,z])); print(l[0] is l[1])
t(lambda: pickle.loads(3));
n=nn.Linear(1,1); n.register_forward_hook(lambda m,i,o: o); t(lambda: pickle.dumps(n) and 1)
t(lambda: torch.save({"a": lambda x: x}, io.BytesIO()))
t(lambda: torch.save(m.state_dict(), io.BytesIO()))
"""


def test_pickled_objects_are_copies() -> None:
    """Tensors of one memory are apart then; functions and classes within functions are refused."""
    assert ours(TEXT) == torchs(TEXT)
