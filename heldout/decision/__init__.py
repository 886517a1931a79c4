"""The choice of a run: the selected candidate, what it was chosen from, and whether to ship it.

Here belongs what is decided by the estimates of all candidates.
"""
