# Gradient descent finds the slope of a line: y = 3x, so the slope goes to 3.
# gradcli run samples/snippets/learn_a_slope.py
import torch
from torch import nn

hours = torch.tensor([1, 2, 3], dtype=torch.float32)
pages = torch.tensor([3, 6, 9], dtype=torch.float32)
slope = torch.tensor(0, dtype=torch.float32, requires_grad=True)

criterion = nn.MSELoss()
optimizer = torch.optim.SGD([slope], lr=0.05)

for step in range(40):
    error = criterion(slope * hours, pages)
    error.backward()
    optimizer.step()
    if step < 2 or step == 39:
        print(f"step {step}: slope {slope:.4f}, error {error:.6f}, gradient {slope.grad:.4f}")
    optimizer.zero_grad()
print(slope, slope.grad)
