"""From the evidence of all fits to a decision: estimates, the choice, the delivered form, the test part.

May import: fits and the rooms below it.
"""
