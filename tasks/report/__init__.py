"""What people read (page, plots, terminal), and the items that a run reports to a tracking store.

May import: outcome and the rooms below it; matplotlib, jinja2 and rich inside of functions.
"""
