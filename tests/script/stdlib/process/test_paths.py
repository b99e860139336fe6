"""Paths, folders and temporary files are Python's, for what torch.save keeps."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.script.running import ours

PROGRAMS = [
    "p = Path('runs') / 'one'\np.mkdir(parents=True, exist_ok=True)\nf = p / 'w.pt'\n"
    "print(f, repr(f), [f], f'{f}', f.name, f.stem, f.suffix, f.parent, f.parts, f.exists(), p.is_dir())\n"
    "torch.save([1], f)\nprint(f.exists(), f.is_file(), torch.load(f), os.listdir('runs'))\n"
    "print(f.with_suffix('.bin'), f == Path('runs/one/w.pt'), isinstance(f, Path))",
    "os.makedirs('a/b', exist_ok=True)\ntorch.save(4, 'a/b/c.pt')\nos.remove('a/b/c.pt')\n"
    "print(os.path.exists('a/b/c.pt'), os.path.isfile('a/b'), os.path.isdir('a'))\n"
    "try:\n    os.remove('a/no.pt')\nexcept FileNotFoundError as e:\n    print(e)\n"
    "try:\n    os.mkdir('a/b')\nexcept FileExistsError as e:\n    print(e)",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_paths_are_pythons(program: str, tmp_path: Path) -> None:
    text = f"import os\nfrom pathlib import Path\nimport torch\n{program}"
    kept = "import pickle as torch\n"  # which keeps plain objects as torch does
    kept += "torch.save, torch.load = (lambda x, f: open(f, 'wb').write(torch.dumps(x))), "
    kept += "(lambda f: torch.loads(open(f, 'rb').read()))"
    theirs = subprocess.run(
        [sys.executable, "-c", text.replace("import torch", kept, 1)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ours(text) == theirs.stdout
