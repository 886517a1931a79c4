"""What examines a table whose columns have their types: leaks, gaps, order, groups, copies, the target.

A table is a data frame of pandas whose columns are as `heldout.checks.column_kind` says. No other room of heldout
imports pandas; this one is loaded by the first call of `heldout.audit`. How a file is read is not its business.
"""
