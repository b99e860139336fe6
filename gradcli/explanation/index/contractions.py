"""Products that are summed over indices that they share, as they were written: `x @ W`, `linear`, `outer`, `einsum`.

torch takes several nodes for most of them. Read by the letters of its indices, such an operation has rules that are
products again, and says entry by entry why they hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.facts import dataclass
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Expression,
    Literal,
    Method,
    Name,
    Number,
    Tuple,
)

SAYS = "Each factor gets the gradient times the others, summed over the indices that it does not have."
BATCH = "bcdefgh"
Shape = tuple[int, ...]
Factor = tuple[Expression, str]  # with the letters of its indices


@dataclass(frozen=True, slots=True)
class Contraction:
    """A sum of products: the operands with the letters of their indices, and the letters of the result.

    The `addend` is added to it, as a bias is; it has the last index of the result.
    """

    terms: tuple[tuple[str, str], ...]
    result: str
    addend: str | None = None

    @property
    def operands(self) -> tuple[str, ...]:
        return (*(name for name, _ in self.terms), *([self.addend] if self.addend else []))

    def rule(self, place: int, upstream: str) -> Expression:
        """Return the contribution to an operand: the same product with the gradient in place of the operand."""
        g = Name(upstream)
        if place == len(self.terms):
            return summed(g, len(self.result) - 1)
        factors = [(Name(name), letters) for name, letters in (*self.terms[:place], *self.terms[place + 1 :])]
        return product([(g, self.result), *factors], self.terms[place][1])

    def text(self, result: str, names: Sequence[str]) -> str:
        """Return the index formula, with other names for the operands."""
        letters = [letters for _, letters in self.terms]
        factors = "·".join(map(entry, names, letters))
        over = ",".join(letter for letter in dict.fromkeys("".join(letters)) if letter not in self.result)
        addend = f" + {entry(names[-1], self.result[-1])}" if self.addend else ""
        return f"{entry(result, self.result)} = {f'Σ{over} ' * bool(over)}{factors}{addend}"


def entry(name: str, letters: str) -> str:
    return f"{name}[{','.join(letters)}]" if letters else name


def contraction(tree: Expression, shapes: Mapping[str, Shape]) -> Contraction | None:
    """Return an expression over names as a contraction; None for any other expression.

    That is also of one where a dimension of size 1 is copied to a larger one.
    """
    function, operands, keywords = call_of(tree)
    if function == "einsum" and operands and isinstance(operands[0], Literal):
        equation, *operands = operands
        letters = of_equation(str(equation.value).replace(" ", ""))  # type: ignore[attr-defined]
    else:
        sizes = [shapes.get(x.id) if isinstance(x, Name) else None for x in operands]
        if None in sizes or len(sizes) < 2:
            return None
        letters = letters_of(function, *(len(size) for size in sizes[:2] if size is not None))
    if letters is None:
        return None
    terms, result = letters
    if function == "linear":
        operands += [keywords["bias"]] if "bias" in keywords else []
    names = [x.id for x in operands if isinstance(x, Name)]
    if len(names) < len(operands) or len(names) not in (len(terms), len(terms) + (function == "linear")):
        return None
    factor_letters = tuple(zip(names, terms, strict=False))
    bias = names[-1] if len(names) > len(terms) else None
    return Contraction(factor_letters, result, bias) if fits(factor_letters, result, bias, shapes) else None


def call_of(tree: Expression) -> tuple[str, list[Expression], dict[str, Expression]]:
    """Return the function of a call, a method or `@`, and what it is given."""
    match tree:
        case Binary("@", left, right):
            return "matmul", [left, right], {}
        case Call(function, arguments):
            arguments_ = arguments
        case Method(receiver, function, rest):
            arguments_ = (Argument(receiver), *rest)
        case _:
            return "", [], {}
    positional = [argument.value for argument in arguments_ if argument.keyword is None]
    return function, positional, {argument.keyword: argument.value for argument in arguments_ if argument.keyword}


def of_equation(equation: str) -> tuple[list[str], str] | None:
    """Return the letters of an equation of einsum; None if it takes a diagonal, has dots, or sums one factor."""
    inputs, arrow, result = equation.partition("->")
    terms = inputs.split(",")
    if not arrow:
        result = "".join(sorted(x for x in set(inputs) - {","} if inputs.count(x) == 1))
    elsewhere = ["".join((*terms[:place], *terms[place + 1 :], result)) for place in range(len(terms))]
    is_plain = all(
        len(set(term)) == len(term) and set(term) <= set(rest) for term, rest in zip(terms, elsewhere, strict=True)
    )
    return (terms, result) if is_plain and equation.replace(",", "").replace("->", "").isalpha() else None


def of_matmul(first: int, second: int) -> tuple[list[str], str] | None:
    """Return the letters of `@` of so many dimensions each."""
    if not first or not second or max(first, second) - 2 > len(BATCH):
        return None
    batch = BATCH[: max(first, second, 2) - 2]
    rows, columns = "i" * (first > 1), "k" * (second > 1)
    ends = [batch[len(batch) - max(n - 2, 0) :] for n in (first, second)]
    return [f"{ends[0]}{rows}j", f"{ends[1]}j{columns}"], f"{batch}{rows}{columns}"


def letters_of(function: str, first: int, second: int) -> tuple[list[str], str] | None:
    """Return the letters of an operation of so many dimensions each; None of one that is no contraction."""
    match function:
        case "matmul":
            return of_matmul(first, second)
        case "linear" if second == 2:
            letters = of_matmul(first, 2)
            return letters and ([letters[0][0], "kj"], letters[1])
        case "outer" | "ger" if first == second == 1:
            return ["i", "j"], "ij"
        case "inner" if first == second == 2:
            return ["ij", "kj"], "ik"
        case "inner" if first == second == 1:
            return ["i", "i"], ""
    return None


def fits(terms: Sequence[tuple[str, str]], result: str, addend: str | None, shapes: Mapping[str, Shape]) -> bool:
    """Return whether each letter has one size, and the addend has the size of the result's last letter."""
    if any(len(shapes.get(name, ())) != len(letters) for name, letters in terms):
        return False
    sizes = {(letter, size) for name, letters in terms for letter, size in zip(letters, shapes[name], strict=True)}
    return len(dict(sizes)) == len(sizes) and (addend is None or shapes.get(addend) == (dict(sizes)[result[-1]],))


def product(factors: Sequence[Factor], result: str) -> Expression:
    """Return the product of factors, summed over the letters that are not in `result`: with `@` where that suffices."""
    scalars = [tree for tree, letters in factors if not letters]
    indexed = [factor for factor in factors if factor[1]]
    result_tree = times(indexed, result) if len(indexed) < 3 else None
    if result_tree is None:
        spelled = Literal(f"{','.join(letters for _, letters in indexed)}->{result}")
        result_tree = Call("einsum", (Argument(spelled), *(Argument(tree) for tree, _ in indexed)))
    for scalar in reversed(scalars):
        result_tree = Binary("*", scalar, result_tree)
    return result_tree


def times(factors: Sequence[Factor], result: str) -> Expression | None:
    """Return the product of one or two factors without `einsum`; None where it takes that."""
    if len(factors) == 1:
        ((x, xs),) = factors
        return x if xs == result else transposed(x, xs) if result in turns(xs) else None
    for (x, xs), (y, ys) in (factors, factors[::-1]):
        if result == xs + ys and len(xs) == len(ys) == 1:
            return Call("outer", (Argument(x), Argument(y)))
        if tree := multiplied(x, xs, y, ys, result):
            return tree
    return None


def multiplied(x: Expression, xs: str, y: Expression, ys: str, result: str) -> Expression | None:
    """Return `x @ y`, transposed where needed, and summed over a batch that the result does not have."""
    for first in turns(xs):
        for second in turns(ys):
            got = matmul(first, second)
            if got is not None and got.endswith(result) and not set(got[: len(got) - len(result)]) & set(result):
                left, right = (
                    tree if a == b else transposed(tree, a) for tree, a, b in ((x, xs, first), (y, ys, second))
                )
                return summed(Binary("@", left, right), len(got) - len(result))
    return None


def matmul(first: str, second: str) -> str | None:
    """Return the letters of `x @ y`; None where the two do not go together."""
    if len(second) == 1:
        return first[:-1] if first[-1] == second else None
    if first[-1] != second[-2]:
        return None
    batch, batch_of_second = first[:-2], second[:-2]
    if batch and batch_of_second and batch != batch_of_second:
        return None
    letters = (batch or batch_of_second) + (first[-2] if len(first) > 1 else "") + second[-1]
    return letters if len(set(letters)) == len(letters) else None  # a letter of both would be two indices


def turns(letters: str) -> tuple[str, ...]:
    """Return the letters as they are, and with the last two exchanged."""
    return (letters, letters[:-2] + letters[-1] + letters[-2]) if len(letters) > 1 else (letters,)


def transposed(tree: Expression, letters: str) -> Expression:
    return Attribute(tree, "T" if len(letters) == 2 else "mT")


def summed(tree: Expression, dims: int) -> Expression:
    """Return the sum over so many first dimensions."""
    if not dims:
        return tree
    over: Expression = Number(0) if dims == 1 else Tuple(tuple(Number(dim) for dim in range(dims)))
    return Call("sum", (Argument(tree), Argument(over, "dim")))
