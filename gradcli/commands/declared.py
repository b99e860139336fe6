"""What a command takes, as facts: `Option` and `Argument` are typer's, made when typer reads a command line.

typer takes a seventh of a short command; a line that is nothing but a program and values is read without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typer import Argument as Argument
    from typer import Option as Option
else:

    class Declared:
        """An option or argument with what typer is told of it."""

        def __init__(self, *names: str, **settings: Any) -> None:
            self.names, self.settings = names, settings

        def made(self) -> Any:
            """Return what typer has for it."""
            import typer

            return getattr(typer, type(self).__name__)(*self.names, **self.settings)

    class Option(Declared):
        """An option, as `typer.Option`."""

    class Argument(Declared):
        """An argument, as `typer.Argument`."""
