"""MLflow: the store, the life of a run, the contamination ledger, the registered model; nobody else imports MLflow.

May import `report` and the rooms below it, but not `init`.
"""
