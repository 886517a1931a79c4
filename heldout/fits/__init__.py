"""How the losses of a scheme are made, for a learner and for the baseline: by fits, in one pass, or by a formula.

Here belongs what turns a learner and a design into losses.
"""
