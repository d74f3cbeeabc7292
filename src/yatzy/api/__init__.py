"""What `import yatzy` offers: the rooms below behind functions that take names and text, and show themselves.

Everything here is glue. A result is the object of the room it comes from, with a short `repr`, a picture for
notebooks (`_repr_html_`) and a polars table (`frame`) added.
"""
