"""The modules that snippets can import, each loaded when it is."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gradcli.script.python.attributes import Namespace

# The first name of a module, and where its namespace is built.
MODULES = {
    "torch": "gradcli.script.torch.module",
    "numpy": "gradcli.script.stdlib.arrays.module",
    "math": "gradcli.script.stdlib.mathematics",
    "statistics": "gradcli.script.stdlib.mathematics",
    "random": "gradcli.script.stdlib.chance",
    "time": "gradcli.script.stdlib.clock",
    "warnings": "gradcli.script.stdlib.caution",
    "collections": "gradcli.script.stdlib.containers",
    "copy": "gradcli.script.stdlib.copying",
    "enum": "gradcli.script.stdlib.enumerations",
    "dataclasses": "gradcli.script.stdlib.records",
    "functools": "gradcli.script.stdlib.callables",
    "operator": "gradcli.script.stdlib.callables",
    "contextlib": "gradcli.script.stdlib.callables",
    "itertools": "gradcli.script.stdlib.iteration",
    "typing": "gradcli.script.stdlib.annotations",
    "abc": "gradcli.script.stdlib.annotations",
    "sys": "gradcli.script.stdlib.system",
    "os": "gradcli.script.stdlib.system",
    "string": "gradcli.script.stdlib.system",
}

ORIGINALS = MODULES.keys() - {"torch"}  # what Python itself tells about, of a name that is not there


def modules(machine: Any) -> Namespace:
    """All modules, as the namespace that `import` looks into."""

    def find(name: str) -> Any:
        if name not in MODULES:
            return None
        module = import_module(MODULES[name]).namespace(name)
        if name in ORIGINALS:
            module.original = name
        return module

    return Namespace("modules", find=find, known=MODULES)
