import torch

print(torch.zeros(2, 3), torch.ones(2), torch.full((2,), 7), torch.full((2,), 7.5), sep="\n")
print(torch.arange(5), torch.arange(1, 2, 0.25), torch.linspace(-1, 1, 5), torch.logspace(0, 2, 3), sep="\n")
print(torch.eye(2, 3), torch.zeros_like(torch.tensor([1, 2])), torch.empty(0), sep="\n")
print(torch.tensor([[1, 2.5], [True, -3]]), torch.tensor([torch.tensor(1), 2]), torch.tensor((1, 2)).dtype)
x = torch.ones(2, dtype=torch.float64)
print(x.new_zeros(3), x.new_tensor([1, 2]), torch.ones_like(x, dtype=torch.int64))
for data in ([[1, 2], [3]], "text", None, [1, [2]]):
    try:
        torch.tensor(data)
    except (ValueError, TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
print(torch.Tensor([1, 2]), torch.FloatTensor([3]), torch.LongTensor([4]), torch.tensor(2).type())
