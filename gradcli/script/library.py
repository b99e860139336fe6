"""The modules that snippets can import, each loaded when it is."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from gradcli.script.python.values.attributes import Namespace

# The first name of a module, and where its namespace is built.
PLACES = {
    "gradcli.script.torch.module": "torch",
    "gradcli.script.numpy.module": "numpy",
    "gradcli.script.stdlib.mathematics": "math",
    "gradcli.script.stdlib.random": "random",
    "gradcli.script.stdlib.process.clock": "time",
    "gradcli.script.stdlib.process.warnings": "warnings",
    "gradcli.script.stdlib.data.containers": "collections",
    "gradcli.script.stdlib.data.copying": "copy",
    "gradcli.script.stdlib.data.enumerations": "enum",
    "gradcli.script.stdlib.data.records": "dataclasses",
    "gradcli.script.stdlib.callables": "functools operator",
    "gradcli.script.stdlib.contexts": "contextlib",
    "gradcli.script.stdlib.iteration": "itertools",
    "gradcli.script.stdlib.heaps": "heapq",
    "gradcli.script.stdlib.data.annotations": "typing abc",
    "gradcli.script.stdlib.data.kinds": "types",
    "gradcli.script.stdlib.process.system": "sys os string gc",
    "gradcli.script.stdlib.texts.documents": "json",
    "gradcli.script.stdlib.process.streams": "io",
    "gradcli.script.stdlib.process.logging": "logging",
    "gradcli.script.stdlib.process.arguments": "argparse",
    "gradcli.script.packages.pictures": "matplotlib mpl_toolkits seaborn",
    "gradcli.script.packages.progress": "tqdm",
}
MODULES = {name: place for place, names in PLACES.items() for name in names.split()}
ORIGINALS = {"numpy", *MODULES} & {"numpy", *sys.stdlib_module_names}  # modules of Python, which know their names


def modules(machine: Any) -> Namespace:
    """Return the namespace of all modules, into which `import` looks."""

    def find(name: str) -> Any:
        if name not in MODULES:
            return None
        module = import_module(MODULES[name]).namespace(name)
        if name in ORIGINALS:
            module.original = name
        return module

    return Namespace("modules", find=find, known=MODULES)
