"""Sources of programs, snippets and values: arguments, files, standard input."""
