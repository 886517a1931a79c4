"""MLflow, which no other package imports: the store, the life of a run, the ledger, the registry, and what sends items.

May import: report and the rooms below it; MLflow inside of functions, since its import takes a second.
"""
