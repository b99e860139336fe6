"""The memory of a tensor as a sequence: `x.untyped_storage()` and the deprecated `x.storage()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.memory.layout import owner
from gradcli.engine.memory.views import writable
from gradcli.engine.modes import warn_once
from gradcli.engine.tensor import Tensor
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.tensor.dtypes import BY_NUMPY

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


class Typed:
    """The numbers in memory, which the views of a tensor share."""

    kind = "TypedStorage"

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.row = array.reshape(-1) if array.flags.c_contiguous else array.T.reshape(-1)

    def __len__(self) -> int:
        return self.row.size

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self.row[self._index(place)].item()

    def __setitem__(self, place: Any, value: Any) -> None:
        self.row[place if isinstance(place, slice) else self._index(place)] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.row.tolist())

    def _index(self, place: int) -> int:
        if not -len(self) <= place < len(self):
            raise IndexError(f"index {place} out of range for storage of size {len(self)}")
        return place

    def text(self) -> str:
        return self._listed(f"dtype={BY_NUMPY[self.row.dtype]}, ")

    def _listed(self, dtype: str) -> str:
        numbers = "\n ".join(represent(number) for number in self.row.tolist())
        return f" {numbers}\n[torch.storage.{self.kind}({dtype}device=cpu) of size {len(self)}]"


class Untyped(Typed):
    """The bytes in memory."""

    kind = "UntypedStorage"

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        super().__init__(array)
        self.row = self.row.view(np.uint8)

    def text(self) -> str:
        return self._listed("")


def storage(x: Tensor) -> Typed:
    warn_once(DEPRECATED)
    return Typed(writable(owner(x.array)))


def untyped_storage(x: Tensor) -> Untyped:
    return Untyped(writable(owner(x.array)))


METHODS: dict[str, Any] = {
    "data_ptr": lambda storage: int(storage.row.ctypes.data) if storage.row.size else 0,
    "nbytes": lambda storage: storage.row.nbytes,
    "size": len,
    "tolist": lambda storage: storage.row.tolist(),
    "element_size": lambda storage: storage.row.itemsize,
}
for kind in (Typed, Untyped):
    getters = {"dtype": lambda storage: BY_NUMPY[storage.row.dtype]} if kind is Typed else {}
    describe(kind, methods=METHODS, getters=getters)
    TYPES[kind] = BuiltinType(kind.kind, kind, module="torch.storage")
    REPRESENTATIONS[kind] = kind.text
