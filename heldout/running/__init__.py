"""The fits of a run, for a notebook and for the pipeline: which are wanted now, and what makes and keeps them."""
