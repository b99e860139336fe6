import torch


def payment(amount, rate, years):
    """What is paid back each month."""
    monthly = rate / 12
    return amount * monthly / (1 - (1 + monthly) ** (-12 * years))


amount = torch.tensor(200_000.0, dtype=torch.float64, requires_grad=True)
rate = torch.tensor(0.04, dtype=torch.float64, requires_grad=True)
years = torch.tensor(25.0, dtype=torch.float64, requires_grad=True)
each = payment(amount, rate, years)
each.backward()
print(f"{each:.2f} a month")
print(f"one more percent:    {0.01 * rate.grad:+.2f}")
print(f"one more year:       {years.grad:+.2f}")
print(f"one thousand more:   {1000 * amount.grad:+.2f}")
print(f"exactly one percent: {payment(amount, rate + 0.01, years) - each:+.2f}")
elasticity = {name: (x.grad * x / each).item() for name, x in [("amount", amount), ("rate", rate), ("years", years)]}
print({name: round(value, 3) for name, value in elasticity.items()})
(slope,) = torch.autograd.grad(payment(amount, rate, years), rate, create_graph=True)
print(slope, torch.autograd.grad(slope, rate)[0].item() > 0)
