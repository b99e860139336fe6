"""The table of identities. `a`, `b` and `c` stand for any formula.

An identity of one call is a rule: it always applies. Of a product or a sum it is a possibility, taken where the whole
formula gets shorter; the other factors and terms may be anything, so `1 - sin(a)**2` follows from the first.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gradcli.language.catalogue import operations_that_are

Condition = Literal[
    "",
    "a is a vector",
    "a is a vector, b a matrix",
    "a and b are matrices",
    "a and b are vectors of one size",
    "c is the last dimension",
    "a has one entry along b",
]

LETTERS = frozenset("abc")
ODD = sorted(operations_that_are("odd"))
VECTOR: Condition = "a is a vector"
BEFORE: Condition = "a is a vector, b a matrix"
MATRICES: Condition = "a and b are matrices"
ALIKE: Condition = "a and b are vectors of one size"


class Identity(NamedTuple):
    """`pattern` equals `result` wherever the pattern is finite.

    `is_taught`: the result is the usual form, even where it is longer. `ranks` is a condition on ranks. An identity
    that `is_shortening` applies where a sum gets fewer terms, and where no letter stands for a fraction of something.
    """

    name: str
    pattern: str
    result: str
    source: str
    is_taught: bool = False
    ranks: Condition = ""
    is_shortening: bool = False


TABLE = [
    # Inverse functions.
    Identity("log of exp", "log(exp(a))", "a", "definition of the logarithm"),
    Identity("exp of log", "exp(log(a))", "a", "definition of the logarithm"),
    Identity("exp of log1p", "exp(log1p(a))", "a + 1", "definition of log1p"),
    Identity("exp of logsigmoid", "exp(logsigmoid(a))", "sigmoid(a)", "definition of logsigmoid"),
    Identity("log1p of expm1", "log1p(expm1(a))", "a", "definition of expm1"),
    Identity("sine of arcsine", "sin(asin(a))", "a", "definition of the arcsine"),
    Identity("cosine of arccosine", "cos(acos(a))", "a", "definition of the arccosine"),
    Identity("tangent of arctangent", "tan(atan(a))", "a", "definition of the arctangent"),
    Identity("sinh of asinh", "sinh(asinh(a))", "a", "definition of asinh"),
    Identity("cosh of acosh", "cosh(acosh(a))", "a", "definition of acosh"),
    Identity("tanh of atanh", "tanh(atanh(a))", "a", "definition of atanh"),
    Identity("asinh of sinh", "asinh(sinh(a))", "a", "definition of asinh"),
    Identity("cosine of arcsine", "cos(asin(a))", "sqrt(1 - a**2)", "right triangle with hypotenuse 1"),
    Identity("sine of arccosine", "sin(acos(a))", "sqrt(1 - a**2)", "right triangle with hypotenuse 1"),
    Identity("cosine of arctangent", "cos(atan(a))", "1/sqrt(a**2 + 1)", "right triangle with legs 1 and a"),
    Identity("sine of arctangent", "sin(atan(a))", "a/sqrt(a**2 + 1)", "right triangle with legs 1 and a"),
    Identity("cosh of asinh", "cosh(asinh(a))", "sqrt(a**2 + 1)", "cosh(x)**2 = sinh(x)**2 + 1"),
    Identity("sine of twice the arcsine", "sin(2*asin(a))", "2*a*sqrt(1 - a**2)", "double angle"),
    Identity("cosine of twice the arcsine", "cos(2*asin(a))", "1 - 2*a**2", "double angle"),
    Identity("sine of twice the arccosine", "sin(2*acos(a))", "2*a*sqrt(1 - a**2)", "double angle"),
    Identity("cosine of twice the arccosine", "cos(2*acos(a))", "2*a**2 - 1", "double angle"),
    Identity("sine of twice the arctangent", "sin(2*atan(a))", "2*a/(a**2 + 1)", "double angle"),
    Identity("cosine of twice the arctangent", "cos(2*atan(a))", "(1 - a**2)/(a**2 + 1)", "double angle"),
    # Signs.
    *(Identity(f"{name} is odd", f"{name}(-a)", f"-{name}(a)", "symmetry") for name in ODD),
    *(Identity(f"{name} is even", f"{name}(-a)", f"{name}(a)", "symmetry") for name in ["cos", "cosh", "abs"]),
    Identity("abs of abs", "abs(abs(a))", "abs(a)", "definition of the absolute value"),
    Identity("number times its sign", "a*sign(a)", "abs(a)", "definition of the absolute value"),
    Identity("absolute value times sign", "abs(a)*sign(a)", "a", "definition of the sign"),
    Identity("number over its absolute value", "a/abs(a)", "sign(a)", "definition of the sign"),
    Identity("sign over the absolute value", "sign(a)/abs(a)", "1/a", "definition of the sign"),
    Identity("absolute value over its number", "abs(a)/a", "sign(a)", "definition of the sign"),
    # At 0 and 1.
    *(Identity(f"{name} of 0", f"{name}(0)", "0", "value") for name in [*ODD, "abs"]),
    *(Identity(f"{name} of 0", f"{name}(0)", "1", "value") for name in ["cos", "cosh"]),
    Identity("log of 1", "log(1)", "0", "value"),
    # Trigonometry.
    Identity("Pythagoras", "sin(a)**2 + cos(a)**2", "1", "right triangle with hypotenuse 1"),
    Identity("tangent", "sin(a)/cos(a)", "tan(a)", "definition of the tangent"),
    Identity("cotangent", "cos(a)/sin(a)", "1/tan(a)", "definition of the tangent"),
    Identity("tangent times cosine", "tan(a)*cos(a)", "sin(a)", "definition of the tangent"),
    Identity("tangent over sine", "tan(a)/sin(a)", "1/cos(a)", "definition of the tangent"),
    Identity("sine over tangent", "sin(a)/tan(a)", "cos(a)", "definition of the tangent"),
    Identity("cosecant", "1/(tan(a)*cos(a))", "1/sin(a)", "definition of the tangent"),
    Identity("secant", "1 + tan(a)**2", "1/cos(a)**2", "Pythagoras over cos(a)**2"),
    Identity("tangent and cotangent", "tan(a) + 1/tan(a)", "2/sin(2*a)", "Pythagoras over sin(a)*cos(a)"),
    Identity("sine of the double angle", "sin(a)*cos(a)", "sin(2*a)/2", "addition theorem"),
    Identity("sine of a sum", "sin(a)*cos(b) + cos(a)*sin(b)", "sin(a + b)", "addition theorem"),
    Identity("sine of a difference", "sin(a)*cos(b) - cos(a)*sin(b)", "sin(a - b)", "addition theorem"),
    Identity("cosine of a sum", "cos(a)*cos(b) - sin(a)*sin(b)", "cos(a + b)", "addition theorem"),
    Identity("cosine of a difference", "cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)", "addition theorem"),
    Identity("cosine of the double angle", "cos(a)**2 - sin(a)**2", "cos(2*a)", "addition theorem"),
    Identity("double angle by cosine", "2*cos(a)**2 - 1", "cos(2*a)", "addition theorem and Pythagoras"),
    Identity("double angle by sine", "1 - 2*sin(a)**2", "cos(2*a)", "addition theorem and Pythagoras"),
    Identity("half angle by sine", "1 - cos(a)", "2*sin(a/2)**2", "addition theorem and Pythagoras"),
    Identity("half angle by cosine", "1 + cos(a)", "2*cos(a/2)**2", "addition theorem and Pythagoras"),
    # Hyperbolic functions.
    Identity("hyperbola", "cosh(a)**2 - sinh(a)**2", "1", "unit hyperbola"),
    Identity("half angle by sinh", "cosh(a) - 1", "2*sinh(a/2)**2", "addition theorem and hyperbola"),
    Identity("half angle by cosh", "cosh(a) + 1", "2*cosh(a/2)**2", "addition theorem and hyperbola"),
    Identity("hyperbolic tangent", "sinh(a)/cosh(a)", "tanh(a)", "definition of tanh"),
    Identity("hyperbolic cotangent", "cosh(a)/sinh(a)", "1/tanh(a)", "definition of tanh"),
    Identity("tanh times cosh", "tanh(a)*cosh(a)", "sinh(a)", "definition of tanh"),
    Identity("tanh over sinh", "tanh(a)/sinh(a)", "1/cosh(a)", "definition of tanh"),
    Identity("hyperbolic tangents", "1/tanh(a) - tanh(a)", "2/sinh(2*a)", "hyperbola over sinh(a)*cosh(a)"),
    Identity("sinh of the double", "sinh(a)*cosh(a)", "sinh(2*a)/2", "addition theorem"),
    Identity("cosh of the double", "cosh(a)**2 + sinh(a)**2", "cosh(2*a)", "addition theorem"),
    Identity("exponential by both", "cosh(a) + sinh(a)", "exp(a)", "definitions of cosh and sinh"),
    Identity("inverse exponential by both", "cosh(a) - sinh(a)", "exp(-a)", "definitions of cosh and sinh"),
    Identity("cosh by exponentials", "exp(a) + exp(-a)", "2*cosh(a)", "definition of cosh"),
    Identity("sinh by exponentials", "exp(a) - exp(-a)", "2*sinh(a)", "definition of sinh"),
    Identity("sinh by one exponential", "exp(a) - 1", "2*exp(a/2)*sinh(a/2)", "definition of sinh"),
    Identity("expm1", "expm1(a) + 1", "exp(a)", "definition of expm1"),
    # What courses teach of activations and losses.
    Identity("logistic function", "1 + exp(a)", "exp(a)/sigmoid(a)", "definition of the sigmoid"),
    Identity("logistic function below", "1 + exp(a)", "1/(1 - sigmoid(a))", "sigmoid(-a) = 1 - sigmoid(a)"),
    Identity("sigmoid of the other sign", "1 - sigmoid(a)", "sigmoid(-a)", "definition of the sigmoid"),
    Identity(
        "tanh by the sigmoid",
        "2*sigmoid(2*a) - 1",
        "tanh(a)",
        "definitions of tanh and the sigmoid",
        is_shortening=True,
    ),
    Identity(
        "derivative of the sigmoid",
        "sigmoid(a)*sigmoid(-a)",
        "sigmoid(a)*(1 - sigmoid(a))",
        "quotient rule",
        is_taught=True,
    ),
    Identity("odds", "sigmoid(a)/(1 - sigmoid(a))", "exp(a)", "definition of the sigmoid"),
    Identity("sign of a relu", "relu(a) > 0", "a > 0", "relu is the positive part"),
    Identity("relu by cases", "where(a > 0, a, 0)", "relu(a)", "relu is the positive part"),
    Identity("relu where positive", "where(a > 0, relu(a), 0)", "relu(a)", "relu is the positive part"),
    Identity("equal cases", "where(b, a, a)", "a", "either way"),
    Identity(
        "exp of log_softmax", "exp(log_softmax(a, dim=b))", "softmax(a, dim=b)", "definition of log_softmax"
    ),
    Identity("shares add up", "sum(softmax(a, dim=b), dim=b, keepdim=True)", "1", "definition of softmax"),
    Identity(
        "one class is right",
        "sum(one_hot(a, b), dim=c, keepdim=True)",
        "1",
        "a one-hot vector has one 1",
        ranks="c is the last dimension",
    ),
    Identity("softmax of a vector", "softmax(a, dim=0)", "softmax(a)", "a vector has one dimension", ranks=VECTOR),
    Identity("shares of a vector add up", "sum(softmax(a))", "1", "definition of softmax", ranks=VECTOR),
    Identity(
        "shares of a vector, kept", "sum(softmax(a), dim=b, keepdim=True)", "1", "definition of softmax", ranks=VECTOR
    ),
    Identity("softmax by exponentials", "1/sum(exp(a))*exp(a)", "softmax(a)", "definition of softmax", ranks=VECTOR),
    Identity(
        "softmax by exponentials along a dimension",
        "1/sum(exp(a), dim=b, keepdim=True)*exp(a)",
        "softmax(a, dim=b)",
        "definition of softmax",
    ),
    # Shapes.
    Identity("squeeze of unsqueeze", "squeeze(unsqueeze(a, b), b)", "a", "a dimension of size 1"),
    Identity(
        "unsqueeze of squeeze",
        "unsqueeze(squeeze(a, b), b)",
        "a",
        "a dimension of size 1",
        ranks="a has one entry along b",
    ),
    *(
        Identity(
            f"{name} that keeps its dimension",
            f"unsqueeze({name}(a, dim=b), b)",
            f"{name}(a, dim=b, keepdim=True)",
            "definition of keepdim",
        )
        for name in ("sum", "mean", "amax", "logsumexp")
    ),
    Identity("reshape of reshape", "reshape(reshape(a, b), c)", "reshape(a, c)", "entries stay in order"),
    # Matrices.
    Identity("matrix transpose twice", "a.mT.mT", "a", "definition of the transpose"),
    Identity("transpose of an outer product", "outer(a, b).T", "outer(b, a)", "definition of the outer product"),
    Identity("vector before a transpose", "a @ b.T", "b @ a", "sum over the inner index", ranks=BEFORE),
    Identity("transpose of a transpose", "a.T.T", "a", "definition of the transpose"),
    Identity("transpose of a vector", "a.T", "a", "a vector has one dimension", ranks=VECTOR),
    Identity("transpose of a product", "(a @ b).T", "b.T @ a.T", "sum over the inner index", ranks=MATRICES),
    Identity("diagonal matrix before", "diag(a) @ b", "a*b", "definition of a diagonal matrix", ranks=ALIKE),
    Identity("diagonal matrix behind", "a @ diag(b)", "a*b", "definition of a diagonal matrix", ranks=ALIKE),
    Identity("diagonal of products", "diagonal(outer(a, b))", "a*b", "definition of the outer product", ranks=ALIKE),
    Identity("identity matrix before", "eye(b, b) @ a", "a", "definition of the identity matrix"),
    Identity("identity matrix behind", "a @ eye(b, b)", "a", "definition of the identity matrix"),
]  # fmt: skip
