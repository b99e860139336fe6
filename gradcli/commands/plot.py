"""`gradcli plot`: a function of one variable as a curve, of two as contours."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated

from gradcli.commands.declared import Option
from gradcli.commands.inputs.programs import Program
from gradcli.commands.options import Formed, Limited
from gradcli.errors import UsageError


class Optimizer(StrEnum):
    sgd = "sgd"
    momentum = "momentum"
    adam = "adam"


def command(
    program: Program,
    form: Formed,
    limits: Limited,
    at: Annotated[str | None, Option("--at", metavar="x=1", help="A point: with its tangent, or its gradient.")] = None,
    descend: Annotated[
        str | None,
        Option("--descend", metavar="lr=0.1,steps=30,from=[1,2]", help="The path of an optimizer."),
    ] = None,
    optimizer: Annotated[Optimizer, Option("--optimizer", help="The optimizer that descends.")] = Optimizer.sgd,
) -> None:
    """Plot a function and its derivative over a range, or the contours and gradients of a function of two variables.

    \b
    Examples:
      gradcli plot "exp(-x**2)*sin(3*x)" x=-2..2
      gradcli plot "a*x**2 - x" x=-1..3 a=2 --at x=1 -o curve.svg
      gradcli plot "(1-x)**2 + 5*(y-x**2)**2" x=-2..2 y=-1..3 --descend lr=0.01,from=[-1,2] --optimizer momentum
    """
    from gradcli.commands.inputs.programs import advised
    from gradcli.commands.inputs.ranges import read_descent, read_point, split_ranges
    from gradcli.language.grammar import expression_parser

    with form.opened("plot", program.files) as name:
        for option, value in (("--wrt", program.wrt), ("--upstream", program.upstream)):
            if value is not None:
                raise UsageError("E001", f"{option} is not for a plot", help="the ranges say what is differentiated")
        arguments, ranges = split_ranges(program.arguments or [], is_file=program.file is not None)
        point = None if at is None else read_point(at, list(ranges))
        way = None if descend is None else read_descent(descend, optimizer.value, ranges)
        expression_parser()  # which may write its tables for the next time
        program = replace(program, arguments=arguments)
        source = limits.begin(program.source)
        values = program.values(source)
        from gradcli.stream.plan import Task
        from gradcli.stream.plotting import sample_plot

        with advised(source, is_file=program.is_file):
            task = Task(source.text, source.name, values, of=program.options()["of"], dtype=program.dtype.value)
            plot = sample_plot(task, ranges, point, way)
        if name == "json":
            from gradcli.render.plot.forms import plot_document
            from gradcli.render.text.streams import print_document

            return print_document(plot_document(plot))
        return form.show("plot", name, plot)
