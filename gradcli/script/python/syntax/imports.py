"""`import`: a table of modules as snippets see them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import missing_error
from gradcli.script.python.syntax.compiler import Closure, Unit, compiles, refusal
from gradcli.script.python.syntax.names import store_name
from gradcli.script.python.syntax.scopes import Env, Scope
from gradcli.script.python.values.attributes import Namespace
from gradcli.source import Source

# What lessons import beside torch, often without a use for it; whatever else is not there is a mistake in the name.
PACKAGES = """
IPython PIL captum cv2 d2l datasets einops google graphviz gym gymnasium h5py ipywidgets jax keras lightning
networkx numba optuna pandas plotly pytorch_lightning requests scipy sklearn skimage sympy tensorboard tensorboardX
tensorflow timm tokenizers torchaudio torchdata torchinfo torchmetrics torchsummary torchtext torchvision torchviz
transformers wandb yaml
"""


MODULES_INSTEAD = {
    "pathlib": "write os.path.join(folder, name), or the name of the file itself",
    "re": "write text.split(), strip() and replace()",
    "statistics": "write torch.tensor(x).mean(), .std() and .median()",
    "timeit": "read time.perf_counter() before and after",
}


class Absent(Namespace):
    """A module without support, or a name of it: it can be imported, and is refused where it is used."""

    def get(self, name: str, *, imported: bool = False) -> Any:
        if name == "__name__":
            return self.name
        if imported:
            return Absent(f"{self.name}.{name}")
        raise refused(self.name)

    def __call__(self, *arguments: object, **keywords: object) -> None:
        raise refused(self.name)


def refused(name: str) -> UnsupportedError:
    help = MODULES_INSTEAD.get(name.partition(".")[0], f"leave out what {name} is used for")
    return UnsupportedError(f"the module {name} is not supported in snippets", help=help)


def module_named(modules: Namespace, dotted: str, *, is_tried: bool = False) -> Any:
    """Return the module of a dotted name from the table of all modules.

    One that is not supported is `Absent`, or raises ModuleNotFoundError if it `is_tried`, for then the snippet can do
    without.
    """
    first, *rest = dotted.split(".")
    if first not in modules.names:
        is_pythons = first in sys.stdlib_module_names
        if not is_pythons and (is_tried or first not in PACKAGES.split()):
            raise ModuleNotFoundError(f"No module named {first!r}", name=first)
        if is_tried:
            supported = ", ".join(sorted(modules.names))
            message = f"the module {first} is not supported in snippets"
            raise UnsupportedError(message, python=ModuleNotFoundError, help=f"there are {supported}")
        return Absent(dotted)
    module: Any = modules.get(first)
    path = first
    for name in rest:
        if not isinstance(module, Namespace):
            raise ModuleNotFoundError(f"No module named {dotted!r}; {path!r} is not a package", name=dotted)
        path = f"{path}.{name}"
        try:
            module = module.get(name, imported=True)
        except AttributeError as error:
            if first == "torch" and path.count(".") > 1:  # torch may have it, and not import it by itself
                raise UnsupportedError(
                    f"the module {path} is not supported in snippets", python=ModuleNotFoundError
                ) from error
            raise ModuleNotFoundError(f"No module named {path!r}", name=path) from error
    return module


def is_tried(node: ast.stmt, source: Source) -> bool:
    """Return whether an import stands where its failure is caught."""
    return any(
        isinstance(around, ast.Try) and around.body[0].lineno <= node.lineno <= (around.body[-1].end_lineno or 0)
        for around in ast.walk(ast.parse(source.text))
    )


def member(owner: Any, module: str, name: str) -> Any:
    """Return the value of `from module import name`."""
    if not isinstance(owner, Namespace):
        raise missing_error(module, name, (), "{} is no module")
    try:
        return owner.get(name, imported=isinstance(owner, Absent))
    except AttributeError as error:
        raise ImportError(f"cannot import name {name!r} from {module!r}", name=name) from error


def importer(node: ast.stmt, unit: Unit) -> Callable[[str], Any]:
    """Return the function that imports a module for a statement."""
    modules, source = unit.machine.modules, unit.source

    def load(dotted: str) -> Any:
        module = module_named(modules, dotted)
        return module_named(modules, dotted, is_tried=is_tried(node, source)) if isinstance(module, Absent) else module

    return load


@compiles(ast.Import)
def compile_import(node: ast.Import, scope: Scope, unit: Unit) -> Closure:
    tried = importer(node, unit)
    stores = [
        (alias.name, alias.asname, store_name(alias.asname or alias.name.partition(".")[0], scope, unit))
        for alias in node.names
    ]

    def run(env: Env) -> None:
        for dotted, renamed, store in stores:
            module = tried(dotted)
            store(env, module if renamed else tried(dotted.partition(".")[0]))

    return run


@compiles(ast.ImportFrom)
def import_from(node: ast.ImportFrom, scope: Scope, unit: Unit) -> Closure:
    tried, module = importer(node, unit), node.module or ""
    if node.level or not module:
        raise refusal(node, unit, "relative imports are not supported", "put everything into one file")
    if module == "__future__":
        return lambda env: None
    if node.names[0].name == "*":
        return _everything(module, unit)
    stores = [(alias.name, store_name(alias.asname or alias.name, scope, unit)) for alias in node.names]

    def run(env: Env) -> None:
        owner = tried(module)
        for name, store in stores:
            store(env, member(owner, module, name))

    return run


def _everything(module: str, unit: Unit) -> Closure:
    """`from module import *`, which Python allows only where names are global."""
    variables, modules = unit.machine.globals, unit.machine.modules

    def run(env: Env) -> None:
        owner = module_named(modules, module)
        for name in sorted(owner.names):
            with suppress(AttributeError, UnsupportedError):
                variables.update({} if name.startswith("_") else {name: owner.get(name)})

    return run
