# Logistic regression on one message, by hand: the gradient of the logits is sigmoid(z) - y, over their number.
# gradcli run samples/snippets/spam_or_not.py
import torch
import torch.nn.functional as F

torch.manual_seed(7)
words = torch.ones(4)
labels = torch.tensor([1.0, 0.0])
weight = torch.randn(4, 2, requires_grad=True)
bias = torch.zeros(2, requires_grad=True)

logits = words @ weight + bias
loss = F.binary_cross_entropy_with_logits(logits, labels)
print(weight)
print(logits, loss)
loss.backward()
print(bias.grad)
print(weight.grad)
by_hand = (torch.sigmoid(logits) - labels) / 2
print(torch.allclose(bias.grad, by_hand.detach()))
print(words.grad)
