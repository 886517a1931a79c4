"""What is found in a table: the record of a finding, and its words.

Here belongs what `heldout.checks` and those who show its findings share.
"""
