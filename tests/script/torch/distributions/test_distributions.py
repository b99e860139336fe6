"""`torch.distributions`: parameters, samples, log-probabilities and divergences, printed as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

START = [
    "import torch.distributions as D",
    "from torch.distributions import Bernoulli, Categorical, Independent",
    "from torch.distributions import Normal, Uniform, kl_divergence",
    "torch.manual_seed(0)",
    "n = Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 2.0]))",
    "mu, s = torch.tensor([0.5], requires_grad=True), torch.tensor([0.2], requires_grad=True)",
    "d = Normal(mu, s.exp())",
    "k = Categorical(torch.tensor([0.1, 0.2, 0.7]))",
    "c = Categorical(logits=torch.zeros(2, 3, requires_grad=True))",
    "b = Bernoulli(torch.tensor([0.3, 0.5]))",
    "u = Uniform(0.0, 2.0)",
    "i = Independent(n, 1)",
]
EXPRESSIONS = r"""
n
repr(n)
n.sample()
n.sample((3,))
n.rsample(torch.Size([2]))
n.log_prob(torch.tensor([0.5,0.5]))
n.entropy()
n.mean
n.variance
n.stddev
n.batch_shape
n.event_shape
Normal(0.,1.).sample()
Normal(0,1)
Normal(0,1).sample([2,2])
Normal(0.,1.).log_prob(0.)
Normal(torch.tensor([float('nan'),1.]),torch.ones(2))
Normal(torch.zeros(2),torch.tensor([1.,-1.]))
Normal('a',1)
d.rsample().sum().backward(); (mu.grad,s.grad)
d.log_prob(torch.tensor([1.]))
d
d.entropy()
d.sample().requires_grad
k
k.sample()
k.sample((5,))
k.log_prob(torch.tensor(2))
k.entropy()
k.logits
k.probs
k.logits; k
c
c.sample()
c.log_prob(torch.tensor([0,1]))
c.entropy()
c.probs
c.mean
Categorical(torch.tensor([0.1,-0.2]))
Categorical()
Categorical(torch.tensor(1.))
c.log_prob(torch.tensor([3,1]))
c.log_prob(torch.tensor([0,1,1]))
Categorical(torch.tensor([float('nan'),1.]))
Categorical(logits=torch.tensor([float('nan'),1.]))
b
b.sample()
b.log_prob(torch.tensor([1.,0.]))
b.entropy()
b.mean
b.variance
b.log_prob(torch.tensor([2.,0.]))
Bernoulli(1.5)
Bernoulli(logits=torch.tensor([0.5])).probs
Bernoulli(0.5)
u
u.sample()
u.sample((2,))
u.log_prob(torch.tensor(1.))
u.entropy()
u.log_prob(torch.tensor(3.))
Uniform(2.,1.)
u.mean
i
i.log_prob(torch.zeros(2))
i.sample().shape
i.event_shape
i.entropy()
kl_divergence(Normal(0.,1.),Normal(1.,2.))
D.kl.kl_divergence(c,Categorical(torch.tensor([[.1,.2,.7],[0.,.5,.5]])))
kl_divergence(b,Bernoulli(torch.tensor([.5,.5])))
kl_divergence(u,Uniform(0.,3.))
kl_divergence(Uniform(0.,3.),u)
kl_divergence(d,Normal(torch.zeros(1),torch.ones(1)))
kl_divergence(i,i)
type(n)
isinstance(n,D.Distribution)
n.has_rsample
c.has_rsample
n.support
c.support
b.support
u.support
n.arg_constraints
c.arg_constraints
Normal(torch.zeros(3),torch.ones(3)).log_prob(torch.zeros(2))
n.loc
n.scale
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_prints_as_torch_does(expression: str) -> None:
    compare("; ".join([*START, expression]))
