import torch

x = torch.arange(6.0, requires_grad=True)
m = x.reshape(2, 3)
print(m.shape, m.size(), m.size(1), m.ndim, m.numel(), m.stride())
print(m.t().shape, m.unsqueeze(0).shape, m[None, ..., None].shape, m.flatten().shape)
print(m.permute(1, 0).is_contiguous(), m.transpose(0, 1).contiguous().stride())
print(torch.cat([m, m], dim=1).shape, torch.stack([m, m]).shape)
print([part.shape for part in m.split(2, dim=1)], [c.tolist() for c in m.chunk(3, dim=1)])
print(m.expand(4, 2, 3).shape, m.repeat(2, 1).shape, m.squeeze().shape)
shape = m.shape
print(shape[0] * shape[1], list(shape), shape + shape[:1], shape == torch.Size([2, 3]))
for attempt in (lambda: x.view(4), lambda: x.reshape(-1, 4), lambda: m.expand(3, 3), lambda: torch.cat([m, x[:2]])):
    try:
        attempt()
    except RuntimeError as error:
        print(error)
m.unbind()[1].sum().backward()
print(x.grad)
