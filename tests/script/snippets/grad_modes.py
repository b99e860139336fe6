import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
with torch.no_grad():
    inside = x * 2
    print(inside.requires_grad, torch.is_grad_enabled())
    with torch.enable_grad():
        print((x * 2).requires_grad)
print(inside.is_leaf, (x * 2).requires_grad)


@torch.no_grad()
def predict(t):
    return t.sum() * 10


print(predict(x))

for flag in (True, False):
    with torch.set_grad_enabled(flag):
        print(flag, (x + 1).grad_fn is not None)

torch.set_grad_enabled(False)
print((x**2).requires_grad)
torch.set_grad_enabled(True)
print((x**2).requires_grad)
with torch.inference_mode():
    print(x.exp())
