"""Who makes the fits: workers, the fan-out of tasks, and what each scheme leaves in data/results.

May import `plans` and the rooms below it.
"""
