"""Which rows train and which test: partitions, splits, groups, times, classes, weights.

Here belongs how rows are divided, and nothing that is fitted.
"""
