"""The reference of operations, read off their examples: the primitives they lower to, and the rules that ran."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.primitive import EVERYWHERE, REGISTRY, Domain, Primitive
from gradcli.explanation.build import explain
from gradcli.explanation.chain.links import copied
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.folding import folded
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import Explanation, Node, Why
from gradcli.facts import dataclass
from gradcli.guard import optional
from gradcli.language.builder import OPERATORS as SPELLINGS
from gradcli.language.catalogue import LINES, operation_of
from gradcli.language.parser import parse_program
from gradcli.language.tree import Expression, Program
from gradcli.language.unparser import unparse
from gradcli.ops import load
from gradcli.ops.support.surface import OPERATIONS, Operation
from gradcli.source import Source

NOTATIONS = {"ᵀ": "T", "[]": "index"}


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule of an edge: the gradient of an input from the upstream gradient `g`, and why it holds."""

    input: str
    rule: Expression
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A primitive as an example uses it."""

    primitive: Primitive
    written: Expression
    name: str
    rules: tuple[Rule, ...]
    domain: Domain
    smooth_for: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of an example: a primitive, or a folded operation; `is_repeated` if an earlier row has the same rules."""

    use: Use
    says: str
    is_repeated: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """An operation with the primitives of its examples, each as first met."""

    operation: Operation
    uses: tuple[Use, ...]

    def examples(self) -> list[tuple[str, list[Row]]]:
        """Return the examples that show a rule which no earlier example shows, each with its rows."""
        instructive, rules_shown = [], set[object]()
        for example in self.operation.examples:
            rows = example_rows(example, rules_shown)
            if any(not row.is_repeated for row in rows):
                instructive.append((example, rows))
        return instructive


def operations() -> dict[str, Operation]:
    """Return the operations by the names that users can call, aliases included."""
    return dict(sorted(OPERATIONS.items()))


def find(text: str) -> str | None:
    """Return the operation behind a word: its name, an operator, torch's name of it or its node; None for other words.

    `relu`, `@`, `torch.relu()`, `ReluBackward0`, `<ReluBackward0 object at 0x7f>`.
    """
    word = text.strip()
    operator = SPELLINGS.get(word, word)
    if f"is {operator}" in LINES and not operator.isidentifier():
        return operation_of(operator)
    if operator in NOTATIONS:
        return NOTATIONS[operator]
    node = re.match(r"<?([A-Za-z]\w*Backward\w*)", word)
    if node:
        return node_maker(node[1])
    call = re.match(r"(?:[A-Za-z]\w*)?\.(?:\w+\.)*(\w+)(?:\(.*\))?$|(\w+)\(.*\)$", word)
    name = next(filter(None, call.groups()), "") if call else word
    return name if name in OPERATIONS else None


def nodes() -> set[str]:
    """Return torch's names of the nodes that operations make."""
    load()
    names = {name for p in REGISTRY.values() for name in (p.node, p.node_in_place) if any(p.rules)}
    return {name for name in names if re.fullmatch(r"\w+", name)}


def node_maker(node: str) -> str | None:
    """Return an operation that makes a node of that name: the namesake of its primitive, else the plainest one."""
    load()
    primitives = [p.name for p in REGISTRY.values() if node in (p.node, p.node_in_place)]
    for name in primitives:
        if name in OPERATIONS:
            return name
    for name in primitives:  # `max_dim` is a `max`
        stem = name.partition("_")[0]
        if stem in OPERATIONS and "backward" not in name:
            return stem
    if not primitives:
        return None
    users = [name for name, x in operations().items() if x.name == name and not used_by(name).isdisjoint(primitives)]
    return min(users, key=lambda name: len(used_by(name))) if users else None


@cache
def used_by(name: str) -> frozenset[str]:
    """Return the names of the primitives that the examples of an operation use."""
    lines = (line for example in OPERATIONS[name].examples for line in evaluate_example(example).lines)
    return frozenset(line.application.primitive.name for line in lines if line.application is not None)


def references(names: Iterable[str]) -> list[Reference]:
    """Return the references of operations, each once."""
    chosen = {id(OPERATIONS[name]): OPERATIONS[name] for name in names}
    return [Reference(operation, uses(operation)) for operation in chosen.values()]


def uses(operation: Operation) -> tuple[Use, ...]:
    """Return the primitives that the examples use, each as first met."""
    use_of_primitive: dict[str, Use] = {}
    for example in operation.examples:
        program, evaluation = parse_program(Source(example, "example")), evaluate_example(example)
        nodes = {node.id: node for node in explain(program, {}, upstream=ones(evaluation)).nodes}
        for line in evaluation.lines:
            if line.application is not None and line.application.primitive.name not in use_of_primitive:
                use_of_primitive[line.application.primitive.name] = _use(nodes[line.name], line)
    return tuple(use_of_primitive.values())


def example_rows(example: str, rules_shown: set[object]) -> list[Row]:
    """Return the rows of an example, with one for each operation that was written, and add its rules to the known."""
    lines = {line.name: line for line in evaluate_example(example).lines}
    rows = []
    for node in folded(explain_example(example)).nodes:
        if node.op is None:
            continue
        key: object = (node.op, *(unparse(local.rule) for local in node.locals)) if node.is_whole else node.op
        use = use_of_operation(node) if node.is_whole else _use(node, lines[node.id])
        rows.append(Row(use, sentence(node), key in rules_shown))
        rules_shown.add(key)
    return rows


def use_of_operation(node: Node) -> Use:
    """Return an operation for which torch takes several nodes, as the use of the primitive that computes."""
    assert node.op is not None
    rules = tuple(Rule(local.input, local.rule, local.why) for local in node.locals)
    return Use(REGISTRY[node.op], node.expression, node.name, rules, EVERYWHERE, "")


def evaluate_example(example: str) -> Evaluation:
    return evaluate(parse_program(Source(example)), {}, dtype=np.dtype(np.float64))


def _use(node: Node, line: Line) -> Use:
    rules = tuple(Rule(local.input, local.rule, local.why) for local in node.locals)
    assert line.application is not None
    primitive, options = line.application.primitive, line.application.options
    return Use(primitive, node.expression, node.name, rules, primitive.domain_for(options), line.smooth_for)


@optional("meaning", "")
def sentence(node: Node) -> str:
    """Return the sentence of plain words about the rules of a node; empty where no gradient flows."""
    if node.is_whole and node.whole is not None and node.whole.says:
        return node.whole.says
    return REGISTRY[node.op].says if node.op in REGISTRY else ""


@optional("meaning", "")
def sentences(node: Node, nodes: Mapping[str, Node], upstream_name: str, input: str | None = None) -> str:
    """Return the sentence about a node, and sentences about the inputs that it copies, or about one `input`."""
    copies = copied(node, nodes, upstream_name)
    return " ".join(filter(None, [sentence(node), *(copies.values() if input is None else [copies.get(input)])]))


def explain_example(example: str) -> Explanation:
    """Explain an example, with an upstream gradient of ones where its output is no scalar."""
    program = parse_program(Source(example, "example"))
    return explain(program, {}, upstream=upstream_of(program))


def command_line(example: str) -> str:
    """Return the command that explains an example, to paste into a shell."""
    upstream = upstream_of(parse_program(Source(example, "example")))
    option = "" if upstream is None else f' --upstream "ones({np.shape(upstream)})"'
    return f'gradcli eval "{example}"{option}'


def upstream_of(program: Program) -> Any:
    """Return ones in the shape of the output, or None for a scalar."""
    return ones(evaluate(program, {}, dtype=np.dtype(np.float64)))


def ones(evaluation: Evaluation) -> Any:
    assert evaluation.output is not None
    return np.ones(evaluation.output.shape) if evaluation.output.shape else None


def families(names: Sequence[str]) -> dict[str, list[Operation]]:
    """Group operations by the module that declares them, aliases left out."""
    grouped: dict[str, list[Operation]] = {}
    for name in names:
        operation = OPERATIONS[name]
        if operation.name == name:
            grouped.setdefault(operation.family, []).append(operation)
    return dict(sorted(grouped.items()))
