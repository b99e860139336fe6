"""Values as snippets see them: attributes, operators, builtins, text.

Values that could grow without bound are measured first.
"""
