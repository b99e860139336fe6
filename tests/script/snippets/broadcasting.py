import torch

column = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
row = torch.tensor([10.0, 20.0], requires_grad=True)
table = column * row
print(table)
print(table.shape, column.shape, row.shape)
table.sum().backward()
print(column.grad)
print(row.grad)

scalar = torch.tensor(2.0, requires_grad=True)
(torch.ones(2, 3) * scalar).sum().backward()
print(scalar.grad)
try:
    torch.ones(2, 3) + torch.ones(2)
except RuntimeError as error:
    print(error)
print(torch.broadcast_shapes((3, 1), (1, 4)), (column + row).mean(dim=0))
