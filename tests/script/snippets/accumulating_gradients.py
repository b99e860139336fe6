import torch

# Gradients add up in .grad until somebody clears them.
price = torch.tensor(4.0, requires_grad=True)
for day in range(1, 4):
    cost = price * day + price**2
    cost.backward()
    print(f"day {day}: cost {cost.item():.1f}, grad so far {price.grad}")

price.grad.zero_()
(price * 10).backward()
print("after zero_:", price.grad)

price.grad = None
print("after None:", price.grad)
(price**3).backward()
print("fresh:", price.grad)
