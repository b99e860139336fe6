# Only leaves that require grad keep a gradient; a result keeps one when it is asked to.
# gradcli run samples/snippets/who_gets_a_grad.py --explain
import torch

price = torch.tensor(5.0, requires_grad=True)
count = torch.tensor(4.0)
rebate = torch.tensor(0.5, requires_grad=True)

gross = price * count
gross.retain_grad()
net = gross * rebate
net.backward()

for name, x in [("price", price), ("count", count), ("gross", gross), ("rebate", rebate)]:
    print(f"{name:7} leaf={x.is_leaf!s:6} requires_grad={x.requires_grad!s:6} grad={x.grad}")
print(net.grad)
