import torch

w = torch.tensor([0.5, -1.5, 2.0], requires_grad=True)
view = w.detach()
copy = w.detach().clone()
view[0] = 9
copy[1] = 7
print(w)
print(view, view.requires_grad)
print(copy)

y = (w * w).sum()
fixed = (w.detach() * w).sum()
y.backward()
print("both factors:", w.grad)
w.grad = None
fixed.backward()
print("one factor: ", w.grad)
