"""The tasks in jax, compiled beforehand."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax

from tests.benchmarks.libraries import jax_eager
from tests.benchmarks.tasks import ELEMENTWISE

COMPILED: dict[str, Any] = {name: jax_eager.MAKERS[name] for name in ("network", "convolution", *ELEMENTWISE)}
MAKERS = {name: partial(maker, compile=jax.jit) for name, maker in COMPILED.items()}
