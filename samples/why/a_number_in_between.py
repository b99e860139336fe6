# item() gives a number of Python, which has no history.
import torch

price = torch.tensor(3.0, requires_grad=True)
tax = torch.tensor(0.2, requires_grad=True)
gross = price.item() * (1 + tax)
gross.backward()
print(price.grad, tax.grad)
