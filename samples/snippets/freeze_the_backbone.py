# Fine-tuning: the convolution is frozen, only the classifier learns.
# gradcli run samples/snippets/freeze_the_backbone.py
import torch
from torch import nn

torch.manual_seed(0)
photos = torch.rand(4, 1, 8, 8)
backbone = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten())
classifier = nn.Linear(3 * 6 * 6, 2)

for parameter in backbone.parameters():
    parameter.requires_grad = False

scores = classifier(backbone(photos))
print(scores.shape, scores.requires_grad, backbone(photos).requires_grad)
print(type(scores.grad_fn).__name__)
nn.CrossEntropyLoss()(scores, torch.tensor([0, 1, 0, 1])).backward()
for name, parameter in [*backbone.named_parameters(), *classifier.named_parameters()]:
    print(name, tuple(parameter.shape), parameter.requires_grad, parameter.grad is None)
print(classifier.bias.grad)
