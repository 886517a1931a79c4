"""Which fits a run needs: the design, the splits of each scheme, the units, and where each is stored. No fit is made.

May import `runtime`, `params`, `storage` and `data`.
"""
