"""Explain a small model of torch: each node of its graph, each gradient as a formula, and whether the rules agree."""

import sys

import torch
from torch import nn

import gradcli

model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
with torch.no_grad():
    for parameter in model.parameters():
        parameter.copy_(torch.linspace(-1, 1, parameter.numel()).reshape(parameter.shape))
x = torch.tensor([[0.5, -1.0], [2.0, 1.0]])
y = torch.tensor([[1.0], [0.25]])
hidden = model[1](model[0](x))
loss = nn.functional.mse_loss(model[2](hidden), y)

explanation = gradcli.from_torch(loss)
print(explanation.program)
for leaf in explanation.leaves:
    print(leaf.name, leaf.gradient.tolist())
print([note.message for note in explanation.notes if note.code == "differs"])

loss.backward()  # the graph is as it was
for leaf in explanation.leaves:
    assert torch.allclose(torch.tensor(leaf.gradient), model.get_parameter(leaf.name.removeprefix("model.")).grad)

for path in sys.argv[1:]:  # lesson.html, lesson.json, graph.svg, ...
    explanation.save(path)
