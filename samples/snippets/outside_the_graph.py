# Four ways out of the graph: requires_grad_(False), detach(), no_grad(), and a decorated function.
# gradcli run samples/snippets/outside_the_graph.py --explain
import torch

t = torch.tensor(2.0, requires_grad=True)
print(t.requires_grad_(False))

t = torch.tensor(2.0, requires_grad=True)
copy = t.detach()
print(copy, copy.requires_grad, t.requires_grad)

with torch.no_grad():
    doubled = t * 2
print(doubled, doubled.requires_grad)


@torch.no_grad()
def evaluate(x):
    return x**3


print(evaluate(t).requires_grad, (t**3).requires_grad)
print((t**3).detach().requires_grad)
