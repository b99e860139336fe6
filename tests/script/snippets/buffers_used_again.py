import torch

x, y = torch.arange(3.0), torch.full((3,), 2.0)
out = torch.empty(3)
result = torch.mul(x, y, out=out)
print(result is out, out)
torch.add(out, 1, out=out)
print(out, out._version)
table = torch.zeros(2, 3)
torch.exp(x, out=table[1])
print(table)
values, places = torch.empty(2), torch.empty(2, dtype=torch.long)
torch.max(table, 1, out=(values, places))
print(values, places)

w = torch.ones(3, requires_grad=True)
for action in (lambda: torch.mul(w, x, out=out), lambda: torch.mul(x, y, out=torch.empty(3, dtype=torch.int64))):
    try:
        action()
    except RuntimeError as error:
        print(error)
with torch.no_grad():
    print(torch.mul(w, x, out=out), out.requires_grad)
