import torch

w = torch.tensor([1.0, 4.0], requires_grad=True)
for change in ("add", "item", "view"):
    try:
        if change == "add":
            w += 1
        elif change == "item":
            w[0] = 0.0
        else:
            w.view(2, 1).mul_(2)
    except RuntimeError as error:
        print(change, "->", error)

root = w.sqrt()
root.add_(1)
try:
    root.sum().backward()
except RuntimeError as error:
    print(error)

square = w**2
square.add_(1)
square.sum().backward()
print(w.grad, square, square._version)

with torch.no_grad():
    w -= 0.1 * w.grad
print(w, w._version)
