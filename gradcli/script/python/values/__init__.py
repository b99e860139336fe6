"""Values as snippets see them: attributes, operators, builtins, text.

Whatever could grow without bound is measured first.
"""
