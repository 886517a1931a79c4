"""Intervals that left the package (docs/decisions/0067): no estimate has them by default, and no rows need them.

One method a file, as in `heldout.intervals`; `METHODS` lists them. The coverage study measures `EVERY` method, also
those of the package.

>>> [method.name for method in METHODS if "E_cv" in method.covers]
['Bayle all pairs', 'conservative z', 'nested']
"""

from importlib import import_module

from heldout import intervals
from heldout.intervals.method import IntervalMethod

# a line a method: its module of `studies.intervals`
METHODS: tuple[IntervalMethod, ...] = tuple(
    import_module(f"studies.intervals.{module}").METHOD
    for module in (
        "empirical_bernstein",
        "student_t",
        "studentised_bootstrap",
        "bayle_all_pairs",
        "conservative_z",
        "nested",
        "martingale_clt",
        "two_way_t",
    )
)
EVERY: tuple[IntervalMethod, ...] = (*intervals.METHODS, *METHODS)
