"""What `python -m flows init` finds in a user's table, and the params.yaml that it writes.

May import `fits` and the rooms below it; no other room imports it.
"""
