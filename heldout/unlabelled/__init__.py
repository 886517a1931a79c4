"""What unlabelled rows show: disagreement, the error that it implies, controls, populations, what to label next.

Here belongs what needs no label of a row.
"""
