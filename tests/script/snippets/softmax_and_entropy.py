import torch

logits = torch.tensor([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3]], requires_grad=True)
target = torch.tensor([0, 2])
p = torch.softmax(logits, dim=1)
print(p, p.sum(dim=1))
loss = -p[torch.arange(2), target].log().mean()
print(loss)
loss.backward()
print(logits.grad)

one_hot = torch.zeros(2, 3).scatter(1, target.unsqueeze(1), 1.0)
print((p.detach() - one_hot) / 2)
print(torch.log_softmax(logits, dim=1).gather(1, target.view(-1, 1)).squeeze(), torch.logsumexp(logits, 1))
print(p.argmax(dim=-1), (p.argmax(dim=-1) == target).float().mean())
