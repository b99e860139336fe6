from __future__ import annotations

from tests.script.running import ours


def test_bars_go_through_what_they_are_given() -> None:
    program = """
from tqdm.auto import tqdm, trange
import tqdm as module
print([x for x in tqdm(range(3), desc="x", leave=False)], [i for i in trange(2)], len(tqdm([1, 2])))
bar = tqdm(total=10)
bar.update(3); bar.set_description("a"); bar.set_postfix(loss=1.0); bar.close()
with module.tqdm([1, 2]) as inner:
    for x in inner:
        inner.set_postfix({"x": x})
tqdm.write("between"); print(bar.n, bar.total)
for i, x in enumerate(tqdm(iter("ab"))): print(i, x)
"""
    assert ours(program) == "[0, 1, 2] [0, 1] 2\nbetween\n3 10\n0 a\n1 b\n"
