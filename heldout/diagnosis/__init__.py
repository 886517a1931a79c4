"""What else the evidence shows about a candidate: too good, hard rows, more rows, prediction sets, curves.

Here belongs a further question about one candidate, which needs no fit of its own.
"""
