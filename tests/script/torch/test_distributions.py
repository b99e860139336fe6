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
n.sample((3,))
n.mean
n.variance
n.batch_shape
Normal(0,1)
Normal(0.,1.).log_prob(0.)
Normal(torch.zeros(2),torch.tensor([1.,-1.]))
Normal('a',1)
d.rsample().sum().backward(); (mu.grad,s.grad)
d
k.sample()
k.log_prob(torch.tensor(2))
k.entropy()
k.logits; k
c.sample()
c.probs
c.mean
Categorical()
Categorical(torch.tensor(1.))
c.log_prob(torch.tensor([3,1]))
Categorical(logits=torch.tensor([float('nan'),1.]))
b.sample()
b.log_prob(torch.tensor([1.,0.]))
b.entropy()
b.variance
b.log_prob(torch.tensor([2.,0.]))
Bernoulli(logits=torch.tensor([0.5])).probs
Bernoulli(0.5)
u.sample((2,))
u.log_prob(torch.tensor(1.))
u.entropy()
u.log_prob(torch.tensor(3.))
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
kl_divergence(i,i)
isinstance(n,D.Distribution)
Normal(torch.zeros(3),torch.ones(3)).log_prob(torch.zeros(2))
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_prints_as_torch_does(expression: str) -> None:
    compare("; ".join([*START, expression]))
