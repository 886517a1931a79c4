"""What makes the fits of a run, for a notebook and for the pipeline.

Here belongs what a fit needs around it, and nothing that says which fits a method needs.
"""
