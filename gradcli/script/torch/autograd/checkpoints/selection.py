"""Selective checkpoints: the results of some operations are kept, and the others are computed again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from gradcli.engine.memory.views import writable
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent, text
from gradcli.script.python.values.attributes import Facade
from gradcli.script.python.values.builtins import type_of
from gradcli.script.stdlib.data.enumerations import DefinedEnum, Enum
from gradcli.script.torch.autograd.checkpoints.overloads import OpOverload, OpOverloadPacket, overload_of

LEVELS = "MUST_SAVE PREFER_SAVE MUST_RECOMPUTE PREFER_RECOMPUTE MUST_CPU_OFFLOAD PREFER_CPU_OFFLOAD"
CheckpointPolicy: Any = DefinedEnum(
    "CheckpointPolicy",
    (Enum,),
    {"__module__": "torch.utils.checkpoint", **{name: number for number, name in enumerate(LEVELS.split())}},
)
PACKET = (
    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, change "
    "it to `torch.ops.aten.mm.default`."
)
MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)
MUTATED = "Tensor cached during selective activation checkpoint has been mutated"
EXTRA = (
    "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
    "activation checkpoint."
)
Key = tuple[OpOverload, int]


class SelectiveCheckpointContext(Facade):
    """The facts that a policy is told of an operation beside its arguments."""

    __module__ = "torch.utils.checkpoint"

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class Kept:
    """The results of one operation, each with the version that it had; consumed when the second run has come by.

    An operation in place counts its change afterwards, so that its result is never what it was.
    """

    def __init__(self, results: list[Tensor], in_place: bool) -> None:
        self.results = [x.detach() for x in results]
        self.versions = [len(x.shared_history()) - in_place for x in self.results]
        self.consumed = False


def starts(application: Application) -> bool:
    """Tell whether this is the first of the results of torch's operation."""
    return not application.primitive.number and not application.options.get("index", 0) * (
        application.primitive.name == "split_part"
    )


class Run(Facade, ABC):
    """One run of the function, which listens to the operations in it."""

    def __init__(self) -> None:
        self._counts: Counter[OpOverload] = Counter()

    def __enter__(self) -> None:
        self._counts.clear()
        listen(self)

    def __exit__(self, kind: Any, *_: Any) -> None:
        leave(self)

    @abstractmethod
    def append(self, application: Application) -> None:
        """Take an operation that has been computed."""

    def key(self, operation: OpOverload) -> Key:
        """Return the operation and how often it was called before."""
        self._counts[operation] += 1
        return operation, self._counts[operation] - 1


class FirstRun(Run):
    """The first run: asks the policy of each operation, once it is known whether it was in place."""

    def __init__(self, policy: Callable[..., Any], storage: dict[Key, Kept | None], strict: bool) -> None:
        super().__init__()
        self._policy, self._storage = policy, storage
        self._strict = strict  # whether the policy is the snippet's own, to be asked of everything
        self._random: Any = None
        self._last: list[Application] = []  # the latest operation, which may have several results
        self._target: Tensor | None = None  # where its result was written to

    def __enter__(self) -> None:
        super().__enter__()
        self._random = running.machine.generator.get_state()

    def __exit__(self, kind: Any, *rest: Any) -> None:
        super().__exit__(kind, *rest)
        if kind is None:
            self._ask()
        if self._strict and running.machine.generator.has_moved(self._random):
            raise UnsupportedError("random numbers in a checkpoint with a policy are not supported here")

    def append(self, application: Application) -> None:
        if starts(application):
            self._ask()
        self._last.append(application)

    def written(self, target: Tensor, result: Tensor) -> Callable[[], None]:
        """Note that the latest operation was one in place."""
        if self._last and self._last[-1].out is result:
            self._target = target
        return lambda: None

    def _ask(self) -> None:
        if not self._last:
            return
        applications, target, self._last, self._target = self._last, self._target, [], None
        operation = overload_of(applications[0], target is not None, strict=self._strict)
        results = [target] if target is not None else [x.out for x in applications]
        output = results[0] if len(results) == 1 else tuple(results)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=output)
        found = self._policy(context, operation, *applications[0].inputs)
        saves = found is True or found in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
        self._storage[self.key(operation)] = Kept(results, target is not None) if saves else None


class SecondRun(Run):
    """The second run: what was kept stands in the place of a result."""

    def __init__(self, storage: dict[Key, Kept | None], mutable: bool) -> None:
        super().__init__()
        self._storage, self._mutable = storage, mutable
        self._application: Application | None = None  # the latest operation
        self._error = ""  # what is wrong with it, unless the run ends before torch would compute it
        self._rest: Iterator[Tensor] = iter(())  # what was kept of its other results

    def __exit__(self, kind: Any, *rest: Any) -> None:
        super().__exit__(kind, *rest)
        if kind is None or (self._application is not None and self._application.primitive.saves_out):
            self._refuse()

    def append(self, application: Application) -> None:
        self._refuse()
        if starts(application):
            self._application, self._rest = application, iter(())
            self._look_up(overload_of(application), application.out)
        else:
            for kept in self._rest:
                writable(application.out.array)[...] = kept.value
                break

    def written(self, target: Tensor, result: Tensor) -> Callable[[], None]:
        """Look the latest operation up as one in place; what was kept of that is not what it writes to."""
        if self._application is not None and result is self._application.out:
            self._counts[overload_of(self._application)] -= 1
            self._error = ""
            self._look_up(overload_of(self._application, True), result, target)
        return lambda: None

    def _look_up(self, operation: OpOverload, out: Tensor, target: Tensor | None = None) -> None:
        key = self.key(operation)
        if key in self._storage:
            self._take(self._storage[key], out, target)
        elif not str(operation).startswith("aten. "):
            known = any(op == operation for op, _ in self._storage)
            place = f"invocation index {key[1]} encountered" if known else "encountered"
            self._error = f"{operation} {place} during backward but not found in storage. {MISMATCH}"

    def _refuse(self) -> None:
        error, self._error = self._error, ""
        if error:
            raise RuntimeError(error)

    def _take(self, kept: Kept | None, out: Tensor, target: Tensor | None) -> None:
        """Give the result the values that were kept, which have changed only where that is allowed."""
        if kept is None:
            return
        if kept.consumed:
            self._error = EXTRA
            return
        kept.consumed = True
        if not self._mutable and [len(x.shared_history()) for x in kept.results] != kept.versions:
            self._error = MUTATED
        writable(out.array)[...] = (kept.results[0] if target is None else target).value
        self._rest = iter(kept.results[1:])


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[FirstRun, SecondRun]:
    """Return the contexts of the two runs of a function, for `checkpoint(context_fn=)`."""
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                more = PACKET if isinstance(op, OpOverloadPacket) else ""
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {text(op)} of type "
                    f"{represent(type_of(op))}. {more}"
                )

        def policy(_: Any, op: OpOverload, *__: Any) -> Any:
            return op in policy_fn_or_list
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Key, Kept | None] = {}
    return FirstRun(policy, storage, not isinstance(policy_fn_or_list, list)), SecondRun(
        storage, allow_cache_entry_mutation
    )


MEMBERS: dict[str, Any] = {
    "CheckpointPolicy": CheckpointPolicy,
    "SelectiveCheckpointContext": SelectiveCheckpointContext,
    "create_selective_checkpoint_contexts": create_selective_checkpoint_contexts,
}
