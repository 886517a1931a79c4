"""`heldout.validate` and `heldout.audit`: the request, the steps, the result, and how it looks.

Here belongs what a person calls from a notebook or a script.
"""
