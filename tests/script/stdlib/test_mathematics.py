from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree, limited, programs

NAMES = (
    "s"
    "in cos tan asin acos atan sinh cosh tanh asinh atanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt erf erfc gamma "
    "lgamma floor ceil trunc degrees radians isnan isinf isfinite fabs modf frexp ulp"
)


@pytest.mark.parametrize("name", NAMES.split())
def test_functions_of_a_number(name: str) -> None:
    agree(f"import math\nprint(math.{name}(0.3))")


@programs(
    "print(math.pi, math.e, math.tau, math.inf, math.nan)",
    "print(math.factorial(20), math.comb(10, 3), math.comb(3, 5))",
    "print(math.gcd(12, 18), math.isqrt(17))",
    "print(math.prod([1, 2, 3.5]), math.prod([2, 3], start=5), math.prod([]))",
    "print(math.hypot(3, 4), math.dist([0, 0], [3, 4]), math.fsum([0.1] * 10), math.isclose(0.1 + 0.2, 0.3))",
    "print(math.copysign(1, -0.0), math.fmod(7, 3), math.remainder(7, 4), math.ldexp(0.5, 3), math.nextafter(1, 2))",
    "refused(lambda: math.factorial(-1)); refused(lambda: math.factorial(1.5)); refused(lambda: math.sqrt(-1))",
    "refused(lambda: math.log(0)); refused(lambda: math.exp(1000)); refused(lambda: math.comb(-1, 2))",
)
def test_mathematics_is_pythons(program: str) -> None:
    agree(f"import math{REFUSED}{program}")


@pytest.mark.slow
@programs(
    "math.factorial(10**9)",
    "math.factorial(10**400)",
    "math.comb(10**7, 5 * 10**6)",
    "math.prod([2**1000] * 10**4)",
)
def test_whole_numbers_stay_within_the_limits(program: str) -> None:
    limited(f"import math\n{program}")
