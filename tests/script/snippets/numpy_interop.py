import numpy as np
import torch

array = np.array([[1.0, 2.0], [3.0, 4.0]])
shared = torch.from_numpy(array)
copied = torch.tensor(array)
array[0, 0] = 50
print(shared)
print(copied.dtype, copied[0, 0])

x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    x.numpy()
except RuntimeError as error:
    print(error)
print(x.detach().numpy(), type(x.detach().numpy()).__name__)
print(float(np.mean(x.detach().numpy())), torch.as_tensor(np.arange(3)).dtype)
print(x.tolist(), x[0].item())
