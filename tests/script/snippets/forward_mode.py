import torch
import torch.autograd.forward_ad as fwAD

primal = torch.tensor([1.0, 2.0, 3.0])
tangent = torch.tensor([1.0, 0.0, 0.0])


def fn(x):
    return x**2


with fwAD.dual_level():
    dual_input = fwAD.make_dual(primal, tangent)
    print(dual_input)
    dual_output = fn(dual_input)
    print(dual_output)
    jvp = fwAD.unpack_dual(dual_output).tangent
    print(jvp)
    p, t = fwAD.unpack_dual(dual_output)
    print(p, t)
    print(fwAD.unpack_dual(primal))
    print(fwAD.unpack_dual(dual_output))

try:
    fwAD.make_dual(torch.ones(1), torch.ones(1))
except RuntimeError as e:
    print(e)
with fwAD.dual_level():
    try:
        fwAD.make_dual(torch.ones(1), torch.ones(2))
    except RuntimeError as e:
        print(e)
    try:
        fwAD.make_dual(torch.tensor([1]), torch.ones(1))
    except Exception as e:
        print(type(e).__name__, e)
    x = fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0))

    z = torch.stack([x, x * 2]).sum()
    print(z)
    print(torch.relu(x), torch.sigmoid(x), torch.tanh(x), x.sqrt(), x.log())
    try:
        with fwAD.dual_level():
            pass
    except RuntimeError as e:
        print(e)
from torch.func import jvp

torch.manual_seed(0)
x = torch.rand(3, 3) + 0.5
v = torch.rand(3, 3)
import torch.nn.functional as F

fs = dict(
    exp=torch.exp,
    log=torch.log,
    sin=torch.sin,
    tanh=torch.tanh,
    sig=torch.sigmoid,
    relu=torch.relu,
    soft=lambda t: F.softmax(t, 1),
    ls=lambda t: F.log_softmax(t, 0),
    mm=lambda t: t @ t.T,
    sum=lambda t: t.sum(0),
    mean=torch.mean,
    mx=lambda t: t.max(1)[0],
    mx2=torch.max,
    prod=lambda t: t.prod(0),
    norm=torch.norm,
    inv=torch.inverse,
    det=torch.det,
    cat=lambda t: torch.cat([t, t * 2]),
    st=lambda t: torch.stack([t, t**2]),
    idx=lambda t: t[0, 1:],
    wh=lambda t: torch.where(t > 1, t, t**2),
    cl=lambda t: t.clamp(0.6, 1.0),
    cs=lambda t: t.cumsum(0),
    v=lambda t: t.var(),
    sd=lambda t: t.std(0),
    sq=torch.sqrt,
    ab=torch.abs,
    pw=lambda t: t**3,
    dv=lambda t: 1 / t,
    gelu=F.gelu,
    sp=F.softplus,
    ln=lambda t: F.layer_norm(t, (3,)),
    lse=lambda t: t.logsumexp(1),
    tr=torch.trace,
    dg=torch.diag,
    fl=lambda t: t.flip(0),
    srt=lambda t: t.sort()[0],
    mse=lambda t: F.mse_loss(t, torch.ones(3, 3)),
    ce=lambda t: F.cross_entropy(t, torch.tensor([0, 1, 2])),
    ein=lambda t: torch.einsum("ij,jk->ik", t, t),
    perm=lambda t: t.permute(1, 0).reshape(9),
    fr=torch.floor,
    out=lambda t: torch.outer(t[0], t[1]),
    dt=lambda t: t[0].dot(t[1]),
    const=lambda t: torch.ones(2),
)
for k, f in fs.items():
    try:
        o, t = jvp(f, (x,), (v,))
        print(k, t)
    except Exception as e:
        print(k, type(e).__name__, e)
