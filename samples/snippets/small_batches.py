# Gradients of several small batches add up before one step: backward() accumulates.
# gradcli run samples/snippets/small_batches.py --explain
import torch

scale = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([scale], lr=0.01)
data = [(2.0, 8.0), (1.0, 4.0), (3.0, 12.0), (2.0, 8.0)]
every = 2

for number, (x, target) in enumerate(data, start=1):
    loss = (scale * x - target) ** 2 / every
    loss.backward()
    print(number, "gradient so far", scale.grad.item())
    if number % every == 0:
        optimizer.step()
        optimizer.zero_grad()
        print("after the step", scale)
