import math

import torch


def lands_at(angle, speed=9.0, step=0.02):
    """Where a ball comes down, by small steps through the air with some drag."""
    x, y = torch.zeros(()), torch.zeros(())
    vx, vy = speed * torch.cos(angle), speed * torch.sin(angle)
    while True:
        drag = 0.05 * torch.sqrt(vx * vx + vy * vy)
        vx, vy = vx - step * drag * vx, vy - step * (9.81 + drag * vy)
        nx, ny = x + step * vx, y + step * vy
        if ny < 0:
            share = y / (y - ny)
            return x + share * (nx - x)
        x, y = nx, ny


angle = torch.tensor(math.radians(20), requires_grad=True)
for attempt in range(6):
    distance = lands_at(angle)
    (slope,) = torch.autograd.grad(distance, angle)
    print(f"{math.degrees(angle.item()):6.2f} degrees: {distance.item():.3f} m, {slope.item():+.3f} m/rad")
    with torch.no_grad():
        angle += (5.0 - distance) / slope
print(distance.grad_fn.name(), angle.grad)
