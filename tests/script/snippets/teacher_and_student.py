import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(4)
teacher = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3)).eval()
student = nn.Linear(2, 3)
x = torch.randn(32, 2)
with torch.no_grad():
    wanted = F.softmax(teacher(x) / 2, dim=1)
print(wanted[:2], wanted.requires_grad)
divergence = nn.KLDivLoss(reduction="batchmean")
optimizer = torch.optim.AdamW(student.parameters(), lr=0.05)
for step in range(61):
    told = F.log_softmax(student(x) / 2, dim=1)
    loss = 4 * divergence(told, wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        agree = (student(x).argmax(1) == wanted.argmax(1)).float().mean()
        print(f"{step:2d} {loss.item():.4f} agree {agree:.2f}")
print(loss.grad_fn.name(), told.grad_fn.name(), teacher[0].weight.grad)
print(sum(p.numel() for p in student.parameters()), "of", sum(p.numel() for p in teacher.parameters()), "numbers")
