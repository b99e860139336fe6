import torch
from torch import nn

# Bits that move.
print(torch.tensor([1]) << 3, 16 >> torch.tensor(2), torch.tensor([8, 9]) >> torch.tensor([1, 2]))
x = torch.arange(3)
x <<= 1
print(x)
try:
    torch.ones(2) << 1
except Exception as error:
    print(type(error).__name__)

# A slice cannot go backwards.
try:
    torch.arange(4)[::-1]
except ValueError as error:
    print(error)

# What does not fit is told from the outermost module inwards.
saved = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ReLU(), nn.Linear(3, 1)).state_dict()
other = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
try:
    other.load_state_dict(saved)
except RuntimeError as error:
    print(error)
print(other.load_state_dict({"0.weight": torch.zeros(4, 2), "9.x": 1, "0.y": 2, "0.z.q": 3}, strict=False))

# Handles are named as torch's.
print(str(other.register_forward_hook(lambda *_: None)).split(" at ")[0])

# Devices that are not there can be named, not used.
print(torch.device("cuda:0"), repr(torch.device("cuda", 1)), torch.device("cpu") == torch.zeros(1).device)
for use in (
    lambda: torch.ones(1).to(torch.device("cuda")),
    lambda: torch.zeros(2, device="cuda:0"),
    lambda: nn.Linear(1, 1).to("cuda"),
):
    try:
        use()
    except Exception as error:
        print(type(error).__name__, error)

# A whole alpha leaves integers whole; a fraction is refused.
q = torch.tensor([1, 2])
print(q.add(1, alpha=2), torch.sub(q, q, alpha=3), q.add_(q, alpha=2), torch.tensor([1.0]).add(q, alpha=0.5))
try:
    q.add(1, alpha=0.5)
except RuntimeError as error:
    print(error)

# The first entry that is no probability is the one that is told.
for p, y in (([2.0], [2.0]), ([0.5, 2.0], [2.0, 0.5]), ([2.0, 0.5], [0.5, 2.0])):
    try:
        nn.functional.binary_cross_entropy(torch.tensor(p), torch.tensor(y))
    except RuntimeError as error:
        print(error)
