"""`torch.autograd.gradcheck`: gradients against finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.script.errors import UnsupportedError, python_class
from gradcli.script.machine import running
from gradcli.script.torch.autograd.functional.derivatives import units
from gradcli.script.torch.autograd.undefined import undefined
from gradcli.script.torch.random.sampling import rand
from gradcli.script.torch.tensor.printing import tensor_text
"""
