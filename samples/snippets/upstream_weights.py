# An output with several entries needs an upstream gradient: how much each entry counts.
# gradcli run samples/snippets/upstream_weights.py --explain
import torch

marks = torch.zeros(3, requires_grad=True)
scores = marks * 2 + 1
try:
    scores.backward()
except RuntimeError as error:
    print(error)
scores.backward(torch.tensor([0.2, 0.3, 0.5]))
print(marks.grad)
total = (marks * 4).sum()
total.backward(torch.tensor(10.0))
print(marks.grad)
