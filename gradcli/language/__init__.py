"""The expression language: syntax tree, parser, unparser, and syntax errors that say what to type instead.

The grammar is `grammars/expression.lark`.
"""
