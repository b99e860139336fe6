"""Reads all files that a process may need later: where there is no wall around files, a locked process opens none."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType

from gradcli.source import hold_shipped

PACKAGE = Path(__file__).parents[2]
UNLOCKED = ("__main__", "cli", "dask", "engines", "live", "notebook", "spark")  # rooms that never work behind a wall
PACKAGES = (*sys.stdlib_module_names, "numpy", "lark", "rich", "typer")  # installed wherever gradcli is
LAZY = ("numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random")  # modules that numpy imports on first use
IMPORT = dis.opmap["IMPORT_NAME"]


@cache
def make_ready() -> None:
    """Import every module of gradcli and all that its functions would import, and keep the files that they read."""
    for path in sorted(PACKAGE.rglob("*.py")):
        first, *others = path.relative_to(PACKAGE).with_suffix("").parts
        if first not in UNLOCKED:
            import_module(".".join(("gradcli", first, *others)).removesuffix(".__init__"))
    hold_shipped(PACKAGE, PACKAGE.parent / "grammars")
    modules = [module for name, module in sys.modules.items() if name.startswith("gradcli.")]
    for name in {*LAZY, *(name for module in modules for name in imported_names(module))}:
        if name.partition(".")[0] in PACKAGES:
            with suppress(ImportError):  # of another version of Python, or another system
                import_module(name)
    from rich.cells import cell_len

    cell_len("∂")  # its table of widths is a module chosen by its version


def imported_names(module: ModuleType) -> Iterator[str]:
    """Yield the names of the modules that a module and its functions import."""
    assert module.__spec__ is not None
    codes = [module.__spec__.loader.get_code(module.__name__)]  # type: ignore[union-attr]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        yield from (
            code.co_names[argument]
            for kind, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True)
            if kind == IMPORT
        )
