import torch
from torch import nn


class Pinball(nn.Module):
    """Costs more to be below a value than above it, so that the best answer is a quantile."""

    def __init__(self, share):
        super().__init__()
        self.share = share

    def forward(self, guess, value):
        error = value - guess
        return torch.maximum(self.share * error, (self.share - 1) * error).mean()

    def extra_repr(self):
        return f"share={self.share}"


waiting = torch.tensor([2.0, 3.0, 3.0, 4.0, 5.0, 5.0, 6.0, 8.0, 11.0, 19.0])
print(Pinball(0.9))
for share in (0.5, 0.9):
    loss_of, guess = Pinball(share), torch.tensor(1.0, requires_grad=True)
    for step in range(600):
        guess.grad = None
        loss_of(guess, waiting).backward()
        with torch.no_grad():
            guess -= 0.2 * guess.grad
    print(f"{share:.0%} wait less than {guess.item():.1f}; between two values:", f"{waiting.quantile(share):.1f}")
exact = torch.tensor(5.0, requires_grad=True)
Pinball(0.5)(exact, torch.tensor([5.0, 5.0])).backward()
print("on a kink", exact.grad)
