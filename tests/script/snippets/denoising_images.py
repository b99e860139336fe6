"""An autoencoder with a border that mirrors, groups that are normalized, and pooling that remembers where."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(1, 4, 3), nn.GroupNorm(4, 4))
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.enlarge = nn.Upsample(scale_factor=2)
        self.leave = nn.ConvTranspose2d(4, 1, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.enter(x))
        x, _ = self.pool(x)
        return self.leave(self.enlarge(x))


clean = torch.zeros(4, 1, 8, 8)
for i in range(4):
    clean[i, 0, 2 * i] = 1
    clean[i, 0, :, 2 * i] = 1
noisy = clean + 0.3 * torch.randn_like(clean)
model = Denoiser()
print(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(20):
    optimizer.zero_grad()
    loss = F.mse_loss(model(noisy), clean)
    loss.backward()
    optimizer.step()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: {loss.item():.4f}")

values, places = model.pool(clean[:1])
print(values.shape, places[0, 0])
print(F.interpolate(clean[:1], scale_factor=0.5, mode="bilinear")[0, 0])
columns = F.unfold(clean[:1], 2, stride=2)
print(columns.shape, torch.equal(F.fold(columns, 8, 2, stride=2), clean[:1]))
