from __future__ import annotations

import warnings

import pytest

from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from tests.script.agreement import REFUSED_BY_KIND, agree

START = f"""import torch
from torch.optim.lr_scheduler import *
{REFUSED_BY_KIND}
def trace(make, steps=12, lr=0.1, measure=None):
    o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=lr)
    s = make(o)
    rates = [o.param_groups[0]["lr"]]
    for i in range(steps):
        o.step()
        s.step(measure(i)) if measure else s.step()
        rates.append(o.param_groups[0]["lr"])
    print(rates, s.get_last_lr(), s.last_epoch)
    print(type(s).__name__)
o = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
""".replace(
    "import *",
    "import StepLR, MultiStepLR, ExponentialLR, CosineAnnealingLR, LambdaLR, LinearLR, "
    "ReduceLROnPlateau, LRScheduler, SequentialLR",
)
SNIPPETS = [
    "trace(lambda o: MultiStepLR(o, milestones=[2, 5, 5]))",
    "trace(lambda o: ExponentialLR(o, 0.9))",
    "trace(lambda o: LambdaLR(o, lambda e: 0.95 ** e))",
    "trace(lambda o: LinearLR(o, start_factor=0.5, total_iters=4))",
    "trace(lambda o: ReduceLROnPlateau(o, patience=2), 20, measure=lambda i: max(1.0, 5.0 - i))",
    "trace(lambda o: ReduceLROnPlateau(o, 'max', factor=0.5, patience=1, "
    "min_lr=0.02),"
    " 20, measure=lambda i: torch.tensor(3.0))",
    "s = StepLR(o, 2); o.step(); s.step(); o.step(); s.step(); t = StepLR(o, 2); t.load_state_dict(s.state_dict())\n"
    "print(t.last_epoch, t.get_last_lr(), t.base_lrs, o)",
    "class Mine(LRScheduler):\n    def get_lr(self): return [b / (1 + self.last_epoch) for b in self.base_lrs]\n"
    "trace(lambda o: Mine(o), 3)",
    "from torch.optim.lr_scheduler import OneCycleLR\n"
    "s = OneCycleLR(o, 0.5, total_steps=12, cycle_momentum=False)\n"
    "for _ in range(11): o.step(); s.step(); print(s.get_last_lr())",
    "trace(lambda o: SequentialLR(o, [LinearLR(o, 0.1, total_iters=3), CosineAnnealingLR(o, 5)], [3]))",
    "refused(lambda: StepLR(3, 1)); "
    "refused(lambda: ReduceLROnPlateau(o, 'x'))",
    "refused(lambda: ReduceLROnPlateau(o, factor=1.0)); refused(lambda: LambdaLR(o, [])); "
    "refused(lambda: LinearLR(o, 0)); refused(lambda: LinearLR(o, end_factor=2)); "
    "refused(lambda: ReduceLROnPlateau(3))",
    "refused(lambda: ReduceLROnPlateau(o, min_lr=[1, 2]))",
]  # fmt: skip


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_schedules_are_torchs(snippet: str) -> None:
    agree(START + snippet)


@pytest.mark.parametrize("before", ["", "o.step()\n"])  # a step before the schedule is made does not count
def test_a_schedule_ahead_of_its_optimizer_is_told(before: str) -> None:
    from gradcli.script.interpreter import run
    from gradcli.source import Source

    told: list[tuple[str, int]] = []
    machine = Machine(Limits(), lambda text: None, lambda kind, message, source, line: told.append((message, line)))
    program = f"{START}{before}s = StepLR(o, 2)\ns.step()\n"
    with warnings.catch_warnings():
        run([Source(program, "snippet.py")], machine)
    ((message, line),) = told
    assert message.startswith("Detected call of `lr_scheduler.step()` before `optimizer.step()`.")
    assert line == program.count("\n")
