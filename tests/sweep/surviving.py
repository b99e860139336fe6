"""The verdicts of samples, made in a child: torch itself dies of some, which is then the verdict on those alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection

from tests.sweep.running import Verdict, ran_here, verdict
from tests.sweep.samples import Sample


def verdicts(samples: Iterable[Sample]) -> Iterator[Verdict]:
    """Give the verdict on each sample, from one child until it dies, and from another after that."""
    left = list(samples)
    alone = False
    while left:
        for found in from_child(left, alone=alone):
            yield found
            left, alone = left[1:], False
        if alone and left:  # it died of that too
            yield Verdict(left[0], left[0].text, "differs", "gradcli crashes")
            left = left[1:]
        alone = not alone


def from_child(samples: list[Sample], *, alone: bool) -> Iterator[Verdict]:
    """Give verdicts as long as the child lives; `alone`, the first sample runs here without torch."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=answer, args=(samples, there, alone))
    child.start()
    there.close()
    with here:
        while True:
            try:
                yield here.recv()
            except EOFError:
                break
    child.join()


def answer(samples: list[Sample], there: Connection, alone: bool) -> None:
    for number, sample in enumerate(samples):
        if alone and number == 0:
            ran_here(sample.text)
            there.send(Verdict(sample, sample.text, "crashed", "torch crashes"))
            continue
        try:
            there.send(verdict(sample))
        except Exception as error:  # of the comparison itself
            there.send(Verdict(sample, sample.text, "differs", "no verdict", repr(error)))
