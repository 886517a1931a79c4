"""Text and pictures of estimates that a notebook and a report share.

Here belongs how numbers are put into words, cells and pictures; nothing is estimated here.
"""
