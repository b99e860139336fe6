"""`gradcli grad`: the gradients alone, for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from gradcli.commands.declared import Option
from gradcli.commands.inputs.programs import Program
from gradcli.commands.options import Limited, Output, Raw
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.explanation.derivatives.total import Derivative


def command(
    program: Program,
    output: Output,
    limits: Limited,
    symbolic: Annotated[bool, Option("--symbolic", help="Formulas; variables need no values.")] = False,
    no_simplify: Raw = False,
    jacobian: Annotated[
        bool, Option("--jacobian", help="The derivative of each entry of the output, which may be no scalar.")
    ] = False,
    hessian: Annotated[bool, Option("--hessian", help="All second derivatives, by pairs of variables.")] = False,
    order: Annotated[
        int, Option("--order", min=1, max=9, metavar="N", help="The N-th derivative by each variable.")
    ] = 1,
) -> None:
    """Print the gradient of every variable, one a line; or its Jacobian, its Hessian, a derivative of higher order.

    \b
    Examples:
      gradcli grad "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli grad --symbolic "z=(x1+a*x2)**2"
      gradcli grad --symbolic "mean((X @ w - y)**2)" X:n,d w:d y:n
      gradcli grad --hessian "x**3*y" x=2 y=3
    """
    if jacobian or hessian or order > 1:
        if jacobian + hessian + (order > 1) > 1:
            raise UsageError("E001", "--jacobian, --hessian and --order are three things", help="give one of them")
        if program.upstream is not None:
            raise UsageError(
                "E001", "--upstream weights one gradient", help="leave it out: every entry is differentiated"
            )
        number = 2 if hessian else order
        derivatives = program.derivatives(limits, number, mixed=hessian, is_symbolic=symbolic, is_raw=no_simplify)
        return print_derivatives(derivatives, output)
    from gradcli.explanation.model import SYMBOLIC
    from gradcli.render.documents.explanation import formulas_document, gradients_document
    from gradcli.render.text.streams import print_document, print_notes, print_text

    if symbolic:
        explanation = program.explain(limits, is_symbolic=True, is_raw=no_simplify)
        if output.json:
            return print_document(formulas_document(explanation))
        from gradcli.render.lesson.gradients import formulas

        print_notes(note for note in explanation.notes if note.code in SYMBOLIC)
        return print_text(formulas(explanation, output.looks))
    numbers = program.gradients(limits)
    if output.json:
        return print_document(gradients_document(numbers))
    from gradcli.render.lesson.gradients import gradients

    return print_text(gradients(numbers, output.looks, output.precision))


def print_derivatives(results: tuple[Derivative, ...], output: Output) -> None:
    from gradcli.render.documents.explanation import derivatives_document
    from gradcli.render.text.streams import print_document, print_text

    if output.json:
        return print_document(derivatives_document(results))
    from gradcli.render.lesson.gradients import derivatives

    return print_text(derivatives(results, output.looks, output.precision))
