"""What unlabelled rows show: disagreement, the implied error, controls, populations, questions, what to label next.

Here belongs what needs no label of a row.
"""
