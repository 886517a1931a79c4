"""What people read: the summary in sentences, the pictures, report.html, the table in the terminal.

And the items of a run, which tracking sends. May import `outcome` and the rooms below it, but not `init`.
It draws and writes; it estimates nothing.
"""
