import torch

base = torch.arange(6.0)
matrix = base.view(2, 3)
first = matrix[0]
print(base._version, matrix._version, first._version)
first += 10
print(base, base._version, matrix._version)
base.data[5] = -1
print(matrix, matrix._version)
print(matrix._base is base, first._base is base, base._base)
print(matrix.is_contiguous(), matrix.t().is_contiguous(), matrix.t().stride())
try:
    matrix.t().view(6)
except RuntimeError as error:
    print(error)
print(matrix.t().reshape(6))
print(matrix.t().contiguous().view(6).storage_offset(), first[1:].storage_offset())
