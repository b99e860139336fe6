"""Classes of a snippet whose attributes Python itself does not see."""

from __future__ import annotations

from typing import Any

from gradcli.script.python.values.kinds import Defined


class Looked(Defined):
    """The class of classes of a snippet whose attributes and those of their values are found by the class of classes.

    So Python, and what computes with the values, see nothing of what the snippet has defined in them.
    """

    def look(self, value: Any, name: str) -> Any:
        """Return `value.name`."""
        raise NotImplementedError

    def look_in_class(self, name: str) -> Any:
        """Return `cls.name`."""
        raise NotImplementedError

    def look_after(self, value: Any, name: str) -> Any:
        """Return `super().name`."""
        raise NotImplementedError

    def put(self, value: Any, name: str, new: Any) -> None:
        """Set `value.name`."""
        raise NotImplementedError

    def take(self, value: Any, name: str) -> None:
        """Delete `value.name`."""
        raise NotImplementedError
