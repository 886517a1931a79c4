"""Intervals for a mean of losses, one method a file; `heldout.estimates.methods` chooses among them.

Each module holds one `METHOD` (`heldout.intervals.method.IntervalMethod`): what it covers, for which losses,
whether it is exact, finite-sample or asymptotic, its source and its mathematics. `METHODS` lists them.

>>> [method.name for method in METHODS if "E_nested" in method.covers]
['corrected fold Wilson', 'corrected fold t']
"""

from collections.abc import Sequence
from importlib import import_module

from heldout import extensions
from heldout.intervals.method import IntervalMethod

# a line a method: its module of `heldout.intervals`, in the order of messages and tables
_OWN: tuple[IntervalMethod, ...] = tuple(
    import_module(f"heldout.intervals.{module}").METHOD
    for module in (
        "wilson",
        "wilson_by_class",
        "wilson_one_more_row",
        "clopper_pearson",
        "hoeffding",
        "betting",
        "log_t",
        "pooled_shape",
        "k_fold_hoeffding",
        "bayle_within",
        "corrected_wilson",
        "corrected_wilson_by_class",
        "corrected_log_t",
        "corrected_t",
        "pooled_wilson",
        "pooled_wilson_by_class",
        "pooled_log_t",
        "corrected_fold_wilson",
        "corrected_fold_t",
        "corrected_repeated_t",
        "confidence_sequence",
        "two_way_wilson",
        "two_way_clopper_pearson",
        "two_way_log_t",
        "clustered_wilson",
        "clustered_log_t",
        "clustered_t",
    )
)
METHODS: tuple[IntervalMethod, ...] = (*_OWN, *extensions.of("heldout.intervals", IntervalMethod, _OWN))


def called(name: str, methods: Sequence[IntervalMethod] = METHODS) -> list[IntervalMethod]:
    """Those of the `methods` with a name, or in a module of this name: letters and digits count, and no capitals."""
    plain = extensions.plain(str(name))
    return [one for one in methods if plain in (extensions.plain(one.name), extensions.plain(_module(one)))]


def _module(method: IntervalMethod) -> str:
    return method.bounds.__module__.rpartition(".")[2]
