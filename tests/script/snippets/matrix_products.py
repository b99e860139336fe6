import torch

A = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]], requires_grad=True)
B = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]], requires_grad=True)
C = A @ B
print(C, C.T, sep="\n")
C.sum().backward()
print(A.grad, B.grad, sep="\n")
v = torch.tensor([1.0, 2.0, 3.0])
print(A @ v, torch.dot(v, v), torch.outer(v[:2], v), v @ v)
print(torch.einsum("ij,kj->ik", A, A))
batch = torch.ones(4, 2, 3)
print((batch @ B).shape, torch.bmm(batch, batch.transpose(1, 2)).shape, (batch @ v).shape)
for left, right in ((A, A), (A, v[:2]), (v, A.T[:2])):
    try:
        left @ right
    except RuntimeError as error:
        print(error)
