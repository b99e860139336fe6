"""From source text to syntax tree."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from gradcli.errors import ProgramSyntaxError
from gradcli.language.tree import Expression, Program, Statement
from gradcli.source import Source, Span

LONG = 2**15  # characters of a program that is worth the tables of the driver


def parse_program(source: Source) -> Program:
    """Read a program; ProgramSyntaxError, with the place and a correction, where it cannot be read."""
    from lark import UnexpectedCharacters, UnexpectedToken

    from gradcli.language.builder import UnreadableError

    text = source.text
    try:
        program = Program(_statements(text), source)
    except UnexpectedToken as failure:
        at_end = failure.token.type == "$END"
        raise _explained(source, len(text) if at_end else failure.token.start_pos or 0) from None
    except UnexpectedCharacters as failure:
        raise _explained(source, failure.pos_in_stream or 0) from None
    except UnreadableError as failure:
        raise _explained(source, failure.offset) from None
    except ProgramSyntaxError as error:
        raise error.at(source=source) from None
    if not program.statements:
        raise ProgramSyntaxError(
            "E116",
            "there is no expression here",
            span=Span(0, 0),
            label="expected an expression",
            help="type a formula, such as 'z = (x + 2)**2'",
            source=source,
        )
    return program


def _statements(text: str) -> tuple[Statement, ...]:
    from gradcli.language.grammar import expression_parser

    if len(text) > LONG:
        from gradcli.language.driver import statements

        with suppress(KeyError):
            return cast("tuple[Statement, ...]", statements(text))
    return cast("tuple[Statement, ...]", expression_parser().parse(text))


def parse_expression(source: Source) -> Expression:
    """Read a text that is one expression, such as the value in `NAME=VALUE`."""
    statement, *later_statements = parse_program(source).statements
    if statement.target is not None:
        raise ProgramSyntaxError(
            "E106",
            "a value is not a statement",
            span=statement.target_span,
            label=f"'{statement.target}' cannot be assigned here",
            help="leave out everything up to the '='",
            source=source,
        )
    if later_statements:
        raise ProgramSyntaxError(
            "E117",
            "a value is one expression",
            span=later_statements[0].span,
            label="a second statement",
            help="remove it",
            source=source,
        )
    return statement.value


def _explained(source: Source, offset: int) -> ProgramSyntaxError:
    from gradcli.language.syntax_errors import diagnose  # here: a program that reads well should not wait for it

    return diagnose(source, offset)
