# Changing what the backward pass needs is an error; changing what it does not need is none.
# gradcli run samples/snippets/changed_in_place.py --explain
import torch

side = torch.tensor([2.0, 5.0], requires_grad=True)
area = side + 1
total = (area * area).sum()
print("version", area._version)
area[1] = 100.0
print("version", area._version)
try:
    total.backward()
except RuntimeError as error:
    print(error)

for attempt in (lambda: side.add_(1), lambda: side.mul_(2), lambda: side.zero_()):
    try:
        attempt()
    except RuntimeError as error:
        print(error)
try:
    side[0] = 3.0
except RuntimeError as error:
    print(error)

with torch.no_grad():
    side += 1
print(side, side.is_leaf, side._version)
side.data.mul_(10)
print(side, side._version)

fresh = torch.ones(2, requires_grad=True)
shifted = fresh * 3
result = shifted + 1
shifted[0] = 0.0
result.sum().backward()
print(fresh.grad)
