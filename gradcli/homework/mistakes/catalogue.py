"""The catalogue of mistakes. To add one, declare it in its family, here or in a room beside this file."""

from __future__ import annotations

from operator import attrgetter

from gradcli.homework.mistakes import forward, habits, misread, pen
from gradcli.homework.mistakes.declaration import Mistake
from gradcli.homework.mistakes.derivatives import activations, branches, chains, extremes, nesting, rules
from gradcli.homework.mistakes.tensors import broadcasting, determinants, kernels, layout, means, products, softmax
from gradcli.homework.mistakes.training import descents, scripts

FAMILIES = (
    branches,
    chains,
    descents,
    nesting,
    rules,
    activations,
    extremes,
    means,
    layout,
    broadcasting,
    products,
    determinants,
    kernels,
    softmax,
    habits,
    scripts,
    forward,
    misread,
    pen,
)
MISTAKES = list(
    dict.fromkeys(part for family in FAMILIES for part in vars(family).values() if isinstance(part, Mistake))
)
OF_RULES = {mistake.code for mistake in MISTAKES if mistake.of_rule}
KIN = {mistake.code: mistake.kin for mistake in MISTAKES if mistake.kin}
HINTS = {mistake.code: mistake.hint for mistake in MISTAKES if mistake.hint}
GUESSED = {habits.ANOTHER_QUESTION.code}  # equal numbers, and no rule behind them
SINGLE = {mistake.code for mistake in MISTAKES if mistake.is_single}
TIERS = {mistake.code: mistake.tier for mistake in MISTAKES if mistake.tier}
LATE = {mistake.code for mistake in MISTAKES if mistake.is_late}
TURNS = {maker.__name__ for mistake in MISTAKES for maker in mistake.turn_makers}
TITLES = {mistake.code: mistake.title for mistake in sorted(MISTAKES, key=attrgetter("order"))}
