"""`argparse`: the options of a snippet, which is called with none, have their defaults."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.stdlib.data.kinds import SimpleNamespace

OPTIONS = ("type", "default", "help", "action", "choices", "required", "nargs", "dest", "metavar", "const")


class Parser(argparse.ArgumentParser):
    """Python's parser, whose errors end the snippet with their message."""

    def error(self, message: str) -> NoReturn:
        """End the snippet, whose options are wrong."""
        raise SystemExit(f"error: {message}")

    def _print_message(self, message: str, file: Any = None) -> None:
        raise UnsupportedError("help on options is not printed here")


class Options(SimpleNamespace):
    """The options by name."""

    _shown_as = "Namespace"


class ArgumentParser(Facade):
    """The parser of a snippet."""

    def __init__(self, *_: Any, description: Any = None, **__: Any) -> None:
        self._parser = Parser(prog="snippet.py", add_help=False)

    def add_argument(self, *names: str, **options: Any) -> None:
        """Declare an option."""
        for name, given in options.items():
            if name not in OPTIONS or (name == "action" and not isinstance(given, str)):
                raise UnsupportedError(f"add_argument({name}=...) is not supported here", python=TypeError)
        self._parser.add_argument(*names, **options)

    def add_argument_group(self, *_: Any, **__: Any) -> ArgumentParser:
        """Return the parser itself, for only help would show the group."""
        return self

    def parse_args(self, args: Any = None, _: Any = None) -> Options:
        """Return the options as they were given; a snippet is given none."""
        return Options(**vars(self._parser.parse_args([] if args is None else list(args))))

    def parse_known_args(self, args: Any = None) -> tuple[Options, list[str]]:
        """Return the options, and the arguments that are none."""
        known, rest = self._parser.parse_known_args([] if args is None else list(args))
        return Options(**vars(known)), rest

    def set_defaults(self, **defaults: Any) -> None:
        """Set the values of options that are not given."""
        self._parser.set_defaults(**defaults)


def namespace(name: str) -> Namespace:
    """`argparse`."""
    return Namespace(name, {"ArgumentParser": ArgumentParser, "Namespace": Options})
