import torch
from torch.optim.lr_scheduler import OneCycleLR

for settings in (
    dict(total_steps=10),
    dict(epochs=2, steps_per_epoch=5),
    dict(total_steps=7, anneal_strategy="linear", pct_start=0.5),
):
    for kind in (torch.optim.SGD, torch.optim.Adam):
        optimizer = kind([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
        schedule = OneCycleLR(optimizer, max_lr=0.5, **settings)
        for _ in range(schedule.total_steps):
            group = optimizer.param_groups[0]
            momentum = group["betas"][0] if "betas" in group else group["momentum"]
            print(f"{schedule.get_last_lr()[0]:.10f} {momentum:.10f}")
            optimizer.step()
            schedule.step()
        try:
            schedule.step()
        except ValueError as error:
            print(error)
for settings in (
    {},
    {"total_steps": 0},
    {"total_steps": 3, "pct_start": 2.0},
    {"total_steps": 3, "anneal_strategy": "x"},
):
    try:
        OneCycleLR(optimizer, 0.1, **settings)
    except ValueError as error:
        print(error)
try:
    OneCycleLR(torch.optim.Adagrad([torch.nn.Parameter(torch.zeros(1))]), 0.1, total_steps=3)
except ValueError as error:
    print(error)
