"""LaTeX and KaTeX, where they are installed: what they say about documents and formulas."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

MATHS = re.compile(r"\\begin\{align\*\}.*?\\end\{align\*\}|(?<!\\)\$(?P<inline>(?:\\.|[^$\\])+)\$", re.DOTALL)
KATEX = """
const katex = require(process.argv[1]);
const all = JSON.parse(require("fs").readFileSync(0, "utf8"));
const errors = [];
for (const maths of all) {
  try { katex.renderToString(maths, {displayMode: true, throwOnError: true, strict: "error", maxExpand: 1e5}); }
  catch (error) { errors.push(maths + "\\n" + error.message); }
}
console.log(JSON.stringify(errors));
"""


def katex() -> str | None:
    """The folder of the package, where node and npm have it; the first of NODE_PATH, the checkout, the global ones."""
    if shutil.which("node") is None:
        return None
    found = subprocess.run(
        ["node", "-e", "console.log(require.resolve('katex'))"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or None


def katex_errors(maths: Iterable[str]) -> list[str]:
    module = katex()
    assert module is not None
    done = subprocess.run(
        ["node", "-e", KATEX, module], input=json.dumps(list(maths)), capture_output=True, text=True, check=True
    )
    errors: list[str] = json.loads(done.stdout)
    return errors


def displayed(latex: str) -> list[str]:
    """The aligned equations of a fragment, and the formulas in its sentences."""
    return [found["inline"] or found[0] for found in MATHS.finditer(re.sub("^%.*", "", latex, flags=re.MULTILINE))]


def compiled(document: str, folder: Path, name: str = "document") -> str:
    """Compile a document; returns the errors of the log, and the lines that are far wider than the page."""
    (folder / f"{name}.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "-halt-on-error", f"{name}.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    faults = re.findall(r"^!.*(?:\n.*){3}", done.stdout, re.MULTILINE)
    wide = [line for line in re.findall(r"Overfull \\hbox \((\d+)\.\d+pt.*", done.stdout) if int(line) > 10]
    return "\n".join([*faults, *(f"overfull by {points}pt" for points in wide)])
