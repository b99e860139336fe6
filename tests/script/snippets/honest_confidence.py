import torch
import torch.nn.functional as F

logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 5.0, 1.0], [6.0, 0.0, 2.0], [0.0, 3.0, 3.5], [5.0, 0.0, 0.0]])
labels = torch.tensor([0, 1, 2, 1, 0])
print("confidence", F.softmax(logits, 1).amax(1))
print("accuracy  ", (logits.argmax(1) == labels).float().mean())

log_temperature = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.Adam([log_temperature], lr=0.1)
for step in range(60):
    optimizer.zero_grad()
    loss = F.cross_entropy(logits / log_temperature.exp(), labels)
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"{step:2d} {loss.item():.4f} {log_temperature.exp().item():.4f}")
cooled = F.softmax(logits / log_temperature.exp(), 1)
print("confidence", cooled.amax(1))
print("the order stays:", torch.equal(cooled.argmax(1), logits.argmax(1)))
print(F.cross_entropy(logits, labels, label_smoothing=0.1), F.cross_entropy(logits, labels, reduction="none"))
