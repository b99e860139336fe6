"""The output of a notebook's cell as HTML that shows wherever a notebook is read: no style, no script, no file."""
