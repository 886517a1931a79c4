"""Curves of one hypothesis on rows that it was not trained on: one a file, from what it answered there.

`heldout.metrics.metric.Answered` holds the labels and the answers; `heldout.metrics.answered_rows` asks a hypothesis.
"""
