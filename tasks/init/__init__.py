"""What `python -m flows init` finds in a user's table, and the params.yaml that it writes.

May import `runtime`, `params`, `storage` and `data`; no other room imports it.
"""
