"""What people read, and the items that tracking sends: sentences, pictures, report.html, the table in the terminal.

May import `outcome` and the rooms below it, but not `init`. It draws and writes; it estimates nothing.
"""
