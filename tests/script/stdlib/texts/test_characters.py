from __future__ import annotations

from tests.script.agreement import REFUSED, agree, limited, programs


@programs(
    "print(''.join(c for c in unicodedata.normalize('NFD', 'Ślusàrski') if unicodedata.category(c) != 'Mn'))",
    "print(unicodedata.name('é'), unicodedata.numeric('½'), unicodedata.combining('a'), unicodedata.name('\\n', '?'))",
    "refused(lambda: unicodedata.normalize('NF', 'a'))\nrefused(lambda: unicodedata.normalize('NFC', 1))",
    "refused(lambda: unicodedata.name('ab'))",
)
def test_characters_are_pythons(program: str) -> None:
    agree(f"import unicodedata\n{REFUSED}\n{program}")


@programs("import unicodedata\nunicodedata.normalize('NFKD', '\\ufdfa' * 10**8)")
def test_texts_that_grow_are_measured(program: str) -> None:
    limited(program)
