"""How far apart two results are, as torch.testing tells it."""

import torch
from torch.testing import assert_close


def told(*arguments, **options):
    try:
        print(assert_close(*arguments, **options))
    except (AssertionError, TypeError, ValueError) as error:
        print(type(error).__name__, error)


one = torch.ones(2, 2)
told(one, one)
told(one, one * 1.5)
told(one, one * 1.5, rtol=0, atol=0)
told(one, one * 1.1, rtol=0.2, atol=0.0)
told(one, one, rtol=0.2)
told(one, one.double())
told(one, one.double(), check_dtype=False)
told(one, one[0])
told(torch.tensor([1, 2]), torch.tensor([1, 4]))
told(torch.tensor([True, False]), torch.tensor([True, True]))
told(torch.tensor(1.0), torch.tensor(1.25))
told(torch.tensor([float("nan")]), torch.tensor([float("nan")]))
told(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)
told(1.0, 1.1)
told(1, 2)
told(one, one * 2, msg="the gradients differ")
told(one, one * 2, msg=lambda message: f"of w: {message}")
