"""`gradcli ops`: the reference of operations."""

from __future__ import annotations

from typing import Annotated

from gradcli.commands.declared import Argument, Option
from gradcli.commands.options import Output
from gradcli.errors import UsageError


def completed(incomplete: str) -> list[str]:
    """The operations that a shell may complete a beginning to."""
    from gradcli.language.catalogue import FAMILY_OF

    return sorted(name for name in FAMILY_OF if name.startswith(incomplete))


def command(
    name: Annotated[
        str | None,
        Argument(
            metavar="[NAME]",
            help="One operation, an operator, or a node of a graph; without it, the list.",
            autocompletion=completed,
        ),
    ] = None,
    internal: Annotated[bool, Option("--internal", help="In the list, operations that rules alone use, too.")] = False,
    *,
    output: Output,
) -> None:
    """List the operations, or show one: its arguments, its derivative rules, where it has kinks.

    \b
    Examples:
      gradcli ops
      gradcli ops softmax
      gradcli ops @
      gradcli ops ReluBackward0
    """
    from gradcli.explanation.reference import operations, references
    from gradcli.render.lesson.operations import operation_page, operations_document, operations_page
    from gradcli.render.text.streams import print_document, print_text

    chosen = list(operations()) if name is None else [operation_named(name)]
    if output.json:
        print_document(operations_document(references(chosen)))
    elif name is None:
        print_text(operations_page(output.looks, internal=internal))
    else:
        print_text(operation_page(references(chosen)[0], output.looks))


def operation_named(name: str) -> str:
    """Return the operation behind a name; UsageError, with the nearest names, where there is none."""
    from difflib import get_close_matches

    from gradcli.explanation.reference import find, nodes, operations

    operation = find(name)
    if operation is not None:
        return operation
    is_node = "Back" in name
    names = nodes() if is_node else set(operations())
    if "AccumulateGrad" in name:
        help = "it is the node of a leaf, and adds what arrives to the leaf's grad"
    elif is_node and name in names:
        help = "the node comes with changes in place and the like: see it with gradcli run FILE --explain"
    else:
        words = {word.lower(): word for word in sorted(names)}
        close = [words[word] for word in get_close_matches(name.lower(), words, n=4, cutoff=0.5)]
        help = f"did you mean {' or '.join(close)}? gradcli ops lists all" if close else "gradcli ops lists all"
    raise UsageError("E008", f"there is no operation {name!r}", help=help)
