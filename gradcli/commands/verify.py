"""`gradcli verify`: the gradients, three ways."""

from __future__ import annotations

from gradcli.commands.inputs.programs import Program
from gradcli.commands.options import Limited, Output

EXIT_CODES = {"agrees": 0, "disagrees": 1, "cannot be judged": 3}


def command(program: Program, output: Output, limits: Limited) -> int:
    """Compute each gradient by the chain rule, by the engine and by difference quotients.

    Exit 0 if all agree, 1 if one disagrees, 3 if one cannot be judged.

    \b
    Examples:
      gradcli verify "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli verify "sum(softmax(x, dim=0)*y)" x=[1,2,3] y=[0,1,0]
    """
    from gradcli.render.lesson.verification import verification_document, verification_page
    from gradcli.render.text.streams import print_document, print_text

    verification = program.verify(limits)
    if output.json:
        print_document(verification_document(verification))
    else:
        print_text(verification_page(verification, output.looks))
    return EXIT_CODES[verification.outcome]
