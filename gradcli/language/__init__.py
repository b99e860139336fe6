"""The expression language: syntax tree, parser, unparser, and syntax errors that offer a correction.

The grammar is `grammars/expression.lark`.
"""
