"""From the results of all schemes to the decision: estimates, the choice, the test set, what is delivered.

May import `fits` and the rooms below it, but not `init`.
"""
