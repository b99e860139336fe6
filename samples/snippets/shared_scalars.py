# Scalars that are broadcast over a matrix: their gradient is a sum over its entries.
# gradcli run samples/snippets/shared_scalars.py --explain
import torch

grid = torch.full((2, 3), 2.0)
gain = torch.tensor(3.0, requires_grad=True)
shift = torch.tensor(-1.0, requires_grad=True)

scaled = grid * gain
moved = scaled + shift
product = moved * scaled
mean = product.mean()

scaled.retain_grad()
handle = product.register_hook(lambda g: print("arrives at the product:", g[0]))
print(gain.data, gain.grad, gain.grad_fn)
print(type(scaled.grad_fn).__name__, type(mean.grad_fn).__name__)
mean.backward()
handle.remove()
print(gain.grad, shift.grad)
print(scaled.grad)
print(mean.grad, moved.grad)
