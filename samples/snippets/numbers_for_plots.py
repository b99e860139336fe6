# A tensor in the graph has to be detached before numpy may have it.
# gradcli run samples/snippets/numbers_for_plots.py
import torch

curve = torch.linspace(0, 1, 5).requires_grad_()
heights = curve**2
try:
    heights.numpy()
except RuntimeError as error:
    print(error)
points = heights.detach().numpy()
print(points, points.shape, points.dtype)
print(heights.detach().cpu().tolist())
print(curve.sum().item())
