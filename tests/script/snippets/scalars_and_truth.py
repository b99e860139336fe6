import torch

x = torch.tensor([4.0])
print(float(x), int(x), bool(x), x.item(), len(x), x.shape == (1,))
several = torch.tensor([1.0, 2.0])
for convert in (float, bool, lambda t: t.item()):
    try:
        convert(several)
    except (RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
if torch.tensor(0.0):
    print("never")
print(torch.tensor(3) == 3, torch.equal(several, several.clone()), 2.0 in several, 5 in several)
print(list(range(torch.tensor(3))), ["a", "b", "c"][torch.tensor(1)])
print(max([torch.tensor(1.0), torch.tensor(3.0)]), sum([torch.tensor(1.0), torch.tensor(3.0)]))
print({torch.Size([2]): "size"}[several.shape], several.size(0), several.dim(), several.numel())
for row in torch.eye(2):
    print(row, row.argmax().item())
a, b = several
print(a + b, 10 - a, 2**b, 1 / b, 7 % b)
