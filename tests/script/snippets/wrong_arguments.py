import torch

x = torch.tensor([1.0, 2.0, 3.0])
attempts = [
    lambda: torch.exp(2.0),
    lambda: x.exp(1),
    lambda: torch.matmul(x, 3),
    lambda: x.reshape(2.5),
    lambda: x.transpose(0, 1),
    lambda: torch.stack([x, x[:2]]),
    lambda: torch.cat([x, 1]),
    lambda: torch.zeros(2, -1),
    lambda: x.unsqueeze(3),
    lambda: x.softmax(dim=1),
    lambda: x.add("one"),
    lambda: x + "one",
    lambda: torch.arange(0, 3, 0),
    lambda: torch.tensor([1.0]).to("cuda"),
    lambda: x.masked_fill(x, 0),
    lambda: x.grad.zero_(),
]
for attempt in attempts:
    try:
        attempt()
        print("fine?")
    except Exception as error:
        print(type(error).__name__, "-", error)
