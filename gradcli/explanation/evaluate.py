"""Evaluate a program on the engine, and keep for every application how the user wrote it.

Beside each value stands how it is written in terms of named nodes: `v1 + a*x2` and not the text below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.modes import mode, switched
from gradcli.engine.recorder import Application, Recording, record
from gradcli.engine.symbolic.formula import Formula, literal
from gradcli.engine.tensor import Tensor, is_floating, tensor
from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.calls import apply
from gradcli.explanation.lines import FAILURES, Evaluation, Line, numbers, refused
from gradcli.explanation.model import Names
from gradcli.explanation.values import CONSTANTS, Variables, constant
from gradcli.language.literals import writable as value_as_written
from gradcli.language.rewrite import with_children
from gradcli.language.tree import (
    Expression,
    List,
    Name,
    Number,
    Program,
    Statement,
    Tuple,
    fold,
)
from gradcli.ops.support.arguments import as_tensor, describe_value
from gradcli.source import Span, did_you_mean

Evaluated = tuple[Any, Expression]  # a value, and its expression over named nodes


def evaluate(
    program: Program,
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    dtype: np.dtype[Any],
    variables: Variables | None = None,
    is_lent: bool = False,
    is_bare: bool = False,
) -> Evaluation:
    """Run a program.

    `values` are numbers, nested lists, arrays, or Tensors of the right dtype by variable; `wrt` are the variables that
    require grad (default: all). Arrays are copied, unless they are lent: then nobody may change them as long as the
    evaluation is there. Booleans with which the program calculates are 0 and 1. A bare evaluation has no lines but
    those of variables, which takes half the time.
    """
    with switched(default_dtype=dtype), np.errstate(all="ignore"), record() as tape:
        machine = _Machine(program, values, wrt, variables, tape, is_lent=is_lent, is_bare=is_bare)
        for statement in program.statements:
            machine.run(statement)
        evaluation = machine.finish(of)
    if not (counted := counted_booleans(evaluation.lines, tape)):
        return evaluation
    values = {**values, **{name: value.astype(dtype) for name, value in counted.items()}}
    return evaluate(program, values, wrt=wrt, of=of, dtype=dtype, variables=variables, is_lent=is_lent, is_bare=is_bare)


def counted_booleans(lines: Sequence[Line], tape: Recording) -> dict[str, Any]:
    """Return the boolean variables that enter a calculation where a gradient would flow: not those of a condition."""
    flags = {id(line.tensor): line for line in lines if line.is_variable and line.tensor.value.dtype == np.bool_}
    counted: dict[str, Any] = {}
    for application in tape if flags else ():
        for value, rule in zip(application.inputs, application.primitive.rules_for(application.inputs), strict=False):
            if rule is not None and (line := flags.get(id(value))) is not None:
                counted[line.name] = line.tensor.value
    return counted


class _Machine:
    def __init__(
        self,
        program: Program,
        values: Mapping[str, Any],
        wrt: Sequence[str] | None,
        variables: Variables | None,
        tape: Recording,
        *,
        is_lent: bool,
        is_bare: bool,
    ) -> None:
        self.is_lent, self.is_bare = is_lent, is_bare
        self.source = program.source
        self.tape = tape
        self.values = values
        self.wrt = wrt
        variables = variables or Variables.of(program)
        self.variables, self.literals = variables.places, variables.literals
        targets = {s.target for s in program.statements if s.target}
        self.names = Names({*self.variables, *targets, *values})
        self.constants: dict[int, tuple[float, Expression]] = {}  # folded numbers and how they were written
        self.spelled: dict[str, Expression] = {}  # names of values that are no tensors, and their expressions
        self.evaluation = Evaluation(program, tape=tape)
        self.scope = self.evaluation.scope
        self.last: Any = None

    def run(self, statement: Statement) -> None:
        target = statement.target
        if target is not None and self.literals.get(target) is statement:
            self.last = self.scope[target] if target in self.scope else self.variable(target)
            return

        def step(node: Expression, parts: Sequence[Evaluated]) -> Evaluated:
            try:
                return self.step(node, parts, target if node is statement.value else None)
            except FAILURES as error:
                raise refused(error, node, [value for value, _ in parts], self.source) from None

        if self.is_bare:
            self.last = fold(statement.value, self.bare_step)
            if target is not None:
                self.scope[target] = self.last
            return
        self.last, tree = fold(statement.value, step)
        if target is not None:
            self.scope[target] = self.last
            if isinstance(self.last, Tensor):
                self.spelled.pop(target, None)
            else:
                self.spelled[target] = tree

    def step(self, node: Expression, parts: Sequence[Evaluated], target: str | None) -> Evaluated:
        """Evaluate one node of the tree over the values of its children."""
        if isinstance(node, Name):
            value = self.value_of_name(node)
            return value, self.spelled.get(node.id) or self.reference(value, node)
        if isinstance(node, Number):
            number = value_as_written(node.value)
            if isinstance(number, float):
                self.constants[id(number)] = (number, node)
            return number, node
        start = len(self.tape)
        value = apply(node, [value for value, _ in parts])
        expression = with_children(node, [tree for _, tree in parts]) if parts else node
        if isinstance(value, float) and not isinstance(node, List | Tuple):
            self.constants[id(value)] = (value, expression)
        operation = None if isinstance(value, tuple) else expression  # a single application may give several parts
        name_of_result = None if isinstance(value, tuple) else target  # the target names all parts, so none of them
        if len(self.tape) > start:
            self.name_applications(start, node, [value for value, _ in parts], operation, name_of_result)
        if isinstance(value, Tensor) and id(value) not in self.evaluation.line_of:
            name = self.names.fresh("c") if target is None else self.names.user_name(target)
            self.evaluation.add(Line(name, value, expression, node.span))
        return value, self.reference(value, expression)

    def bare_step(self, node: Expression, parts: Sequence[Any]) -> Any:
        """Evaluate one node of the tree without its expression, and count the entries of its results."""
        if type(node) is Name:
            return self.value_of_name(node)
        start = len(self.tape)
        try:
            value = apply(node, parts)
        except FAILURES as error:
            raise refused(error, node, parts, self.source) from None
        for application in self.tape[start:]:
            self.evaluation.count(application.out)
        return value

    def name_applications(
        self, start: int, node: Expression, values: Sequence[Any], tree_written: Expression | None, target: str | None
    ) -> None:
        """Give lines to the applications of a node; one application alone is written as the user wrote it."""
        applications = self.tape[start:]
        last = list(range(len(applications)))
        if tree_written and len(applications) > 1:
            from gradcli.explanation.wholes.rules import together  # most programs need none of it

            lines = [self.evaluation.line_of[id(x)] for x in values if id(x) in self.evaluation.line_of]
            last = together(applications, tree_written, {line.name: line.tensor.value for line in lines})
        named_places = {
            place: self.names.user_name(target) if target and place == len(applications) - 1 else self.names.fresh()
            for place in range(len(applications))
            if last[place] == place
        }
        for place, application in enumerate(applications):
            inputs = tuple(self.input(x, node.span) for x in application.inputs)
            name, part_of, operation = named_places.get(place, ""), "", None
            if not name:
                part_of = named_places[last[place]]
                name = self.names.part_name(part_of, last[:place].count(last[place]))
            elif len(named_places) == 1 and len(applications) > 1:
                operation = tree_written
            tree = tree_written if tree_written and len(applications) == 1 else self.notation(application, inputs)
            line = Line(name, application.out, tree, node.span, application, inputs, part_of=part_of, whole=operation)
            self.evaluation.add(line)

    def input(self, x: Any, span: Span) -> Line:
        """Return the line of an input; a number, or a list of them, is a constant of its own.

        A tensor that the operation has converted (labels to integers) keeps its line: it is known by what it was
        converted from, and never by its value, which a constant may have, too.
        """
        lines = self.evaluation.line_of
        origin = x if id(x) in lines else self.tape.origin(x)
        if id(origin) in lines:
            return lines[id(origin)]
        folded_number = self.constants.get(id(origin))  # as the user wrote it: 2*pi
        value = x if isinstance(x, Tensor) else Tensor(np.asarray(x)[()])
        line = Line(self.names.fresh("c"), value, folded_number[1] if folded_number else literal(value.value), span)
        self.evaluation.add(line)
        return line

    def notation(self, application: Application, inputs: Sequence[Line]) -> Expression:
        """The application as its primitive writes it, over the names of its inputs; numbers stay numbers."""
        operands = [
            Formula(line.spelling if isinstance(x, Tensor) else line.written, x.value if isinstance(x, Tensor) else x)
            for line, x in zip(inputs, application.inputs, strict=True)
        ]
        return application.primitive.notation(operands, application.options)

    def reference(self, value: Any, tree: Expression) -> Expression:
        line = self.evaluation.line_of.get(id(value)) if isinstance(value, Tensor) else None
        return Name(line.name) if line else tree

    def value_of_name(self, node: Name) -> Any:
        """The value of a name: computed above, a variable, or a constant of the language."""
        if node.id in self.scope:
            return self.scope[node.id]
        if node.id in self.variables and (node.id in self.values or node.id in self.literals):
            return self.variable(node.id)
        if node.id in CONSTANTS:
            value = CONSTANTS[node.id]
            self.constants[id(value)] = (value, node)
            return value
        raise EvaluationError(
            "E202",
            f"{node.id} is used before the program computes it",
            label="not computed yet",
            help=f"move the line '{node.id} = ...' up, or use another name",
        )

    def variable(self, name: str) -> Tensor:
        """Make the leaf of a variable when its name is first read."""
        required = self.wrt is None or name in self.wrt
        statement = self.literals.get(name)
        if name in self.values:
            data = self.values[name]
        else:
            assert statement is not None
            data = constant(statement.value, self.source)
        leaf = data if isinstance(data, Tensor) else self.leaf(numbers(data, f"the value of {name}"))
        if required and is_floating(leaf.value):
            leaf.node = AccumulateGrad(leaf)
        self.scope[name] = leaf
        self.evaluation.add(Line(self.names.user_name(name), leaf, Name(name), self.variables[name], is_variable=True))
        return leaf

    def leaf(self, value: Any) -> Tensor:
        if value.dtype != np.bool_:
            value = value.astype(mode.default_dtype, copy=False)
        return Tensor(value[()]) if self.is_lent else tensor(value)

    def finish(self, of: str | None) -> Evaluation:
        """Choose the output: the last statement, or the named one."""
        everything = Span(0, len(self.source.text))
        value = self.last
        if of is not None:
            if of not in self.scope:
                close = did_you_mean(of, self.scope)
                raise UsageError(
                    "E010",
                    f"the program has no {of}",
                    help=f"--of {close}" if close else f"--of takes one of {', '.join(self.scope)}",
                )
            value = self.scope[of]
        if isinstance(value, tuple):
            raise EvaluationError("E206", f"the output has {len(value)} parts, not one", help=_pick_one(value))
        start = len(self.tape)
        try:
            self.evaluation.output = output = as_tensor(value)
        except (TypeError, ValueError):
            raise EvaluationError(
                "E206",
                f"the output is {describe_value(value)}, neither a number nor a tensor",
                help="end the program with a formula",
            ) from None
        if self.is_bare:
            return self.evaluation
        for application in self.tape[start:]:  # the tensors of a list were stacked
            inputs = tuple(self.input(x, everything) for x in application.inputs)
            tree = self.notation(application, inputs)
            self.evaluation.add(Line(self.names.fresh(), output, tree, everything, application, inputs))
        if id(output) not in self.evaluation.line_of:
            self.evaluation.add(Line(self.names.fresh("c"), output, literal(output.value), everything))
        return self.evaluation


def _pick_one(parts: Any) -> str:
    """Return the advice where a result has parts: by name where they have names, and two numbers have no dimension."""
    field, *_ = getattr(parts, "_fields", [""])
    if not field:
        return "pick one, such as split(x, 2)[0]"
    functions = {"max": "; the larger of two numbers is maximum(x, y)", "min": "; the smaller of two is minimum(x, y)"}
    return f"pick one by its name, such as .{field}" + functions.get(parts.name, "")
