"""`argparse`: the options of a snippet, which is called with none, have their defaults."""

from __future__ import annotations

from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.special import exact
from gradcli.script.stdlib.data.kinds import SimpleNamespace

OPTIONS = ("type", "default", "help", "action", "choices", "required", "nargs", "dest", "metavar", "const")
UNSET = {"store": None, "append": None, "store_true": False, "store_false": True}


class Options(SimpleNamespace):
    """The options by name."""

    _shown_as = "Namespace"


class ArgumentParser(Facade):
    """The parser of a snippet."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._defaults: dict[str, Any] = {}
        self._types: dict[str, Any] = {}
        self._required: list[str] = []

    def add_argument(self, *names: str, **options: Any) -> None:
        """Declare an option."""
        action = options.get("action", "store")
        for name in options:
            if name not in OPTIONS or type(action) is not str or action not in UNSET:
                raise UnsupportedError(f"add_argument({name}=...) is not supported here", python=TypeError)
        flags = [exact(name) for name in names]
        is_option = not flags or flags[0].startswith("-")
        first = next((flag for flag in flags if flag.startswith("--")), flags[0] if flags else "")
        place = exact(options.get("dest") or first.lstrip("-").replace("-", "_"))
        self._defaults.setdefault(place, options.get("default", UNSET[action]))
        self._types[place] = options.get("type")
        if options.get("required") or not (is_option or options.get("nargs") in ("?", "*")):
            self._required.append(first if is_option else place)

    def parse_args(self, args: Any = None, _: Any = None) -> Options:
        """Return the defaults, for a snippet is given no options; a text goes through the type of its option."""
        if args is not None and len(list(args)):
            raise UnsupportedError("reading options is not supported here", help="give add_argument a default")
        if self._required:
            raise SystemExit(f"error: the following arguments are required: {', '.join(self._required)}")
        values = {
            name: self._types[name](value) if isinstance(value, str) and self._types.get(name) else value
            for name, value in self._defaults.items()
        }
        return Options(**values)


def namespace(name: str) -> Namespace:
    """`argparse`."""
    return Namespace(name, {"ArgumentParser": ArgumentParser, "Namespace": Options})
