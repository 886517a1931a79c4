"""The process that a command runs in: environment, checkout lock, Prefect server, and the errors that users read.

May import nothing else of `tasks`.
"""
