"""The fits that a run has to do, counted by candidate and scheme before any of them."""

from collections import Counter
from dataclasses import dataclass, field

import pandas as pd
import pyarrow.parquet

from heldout.fits import one_pass
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.schemes.halvings import looks
from tasks.params import Settings
from tasks.plans import units_of_scheme
from tasks.plans.budget import EqualFits
from tasks.plans.fit_plans import FitPlan, further_schemes, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import files, fit_cache, stage_settings

_BEFORE_RACE = ("final", "holdout", "progressive")
NO_FIT = "no fit"  # a shortcut is exact


@dataclass
class FitCounts:
    """By candidate and scheme the number of fits, or what replaces them; by candidate the fits with their sizes."""

    table: dict[str, dict[str, int | str]]
    fits: dict[str, list[EqualFits]]
    stored: int = 0
    spare: dict[str, int] = field(default_factory=dict)  # by candidate, fits of halvings that may not be needed

    @property
    def to_do(self) -> int:
        """The fits to do, of all candidates and schemes."""
        return sum(count for counts in self.table.values() for count in counts.values() if isinstance(count, int))

    @property
    def least_to_do(self) -> int:
        """The fits to do where a race leaves the candidate of the most fits after the first block of the stream."""
        totals = [sum(count for count in of.values() if isinstance(count, int)) for of in self.table.values()]
        first = [sum(_least(scheme, count) for scheme, count in of.items()) for of in self.table.values()]
        spare = [self.spare.get(name, 0) for name in self.table]
        return sum(first) + max(
            total - least - unneeded for total, least, unneeded in zip(totals, first, spare, strict=True)
        )

    @property
    def least_halved(self) -> int:
        """The fits to do where no more halvings are needed than those of the first look."""
        return self.to_do - sum(self.spare.values())

    def __str__(self) -> str:
        return pd.DataFrame.from_dict(self.table, orient="index").to_string()


def count_fits(settings: Settings, versions: Versions, *, stored_too: bool = False) -> FitCounts:
    """The fits of all schemes on the prepared rows that are not stored yet; with `stored_too` all of them.

    So many are made again after a labelled row is added: every scheme trains on it, or tests it, in each of its fits.
    """
    by_rule = settings.covalidation.repeats == "auto" and not stage_settings.made_with("covalidation", settings)
    design = read_design(settings, every_halving=by_rule)
    names = [candidate.name for candidate in settings.candidates]
    counts = FitCounts({name: {} for name in names}, {name: [] for name in names})
    for name in _schemes(design):
        _count_scheme(counts, settings, design, scheme(design, name, settings.deliver), versions, stored_too)
    if by_rule:
        surely = scheme(design, "covalidation", settings.deliver).first(2 * looks(len(design.y))[0])
        for candidate, units in units_of_scheme.plan_units(settings, surely, versions):
            needed = sum(stored_too or not units_of_scheme.is_stored(unit, surely) for unit in units)
            counts.spare[candidate.name] = int(counts.table[candidate.name]["covalidation"]) - needed
    return counts


def _least(scheme: SchemeName, count: int | str) -> int:
    """The fits of a scheme for a candidate that a race drops at once."""
    if not isinstance(count, int) or scheme not in _BEFORE_RACE:
        return 0
    return count if scheme != "progressive" else min(count, 1)


def _schemes(design: Design) -> list[SchemeName]:
    return ["final", "holdout", "cross_validation", *further_schemes(design), "progressive", "covalidation"]


def _count_scheme(
    counts: FitCounts, settings: Settings, design: Design, plan: FitPlan, versions: Versions, stored_too: bool
) -> None:
    unlabeled = sum(pyarrow.parquet.read_metadata(path).num_rows for path in files.shards()) if plan.training else 0
    keys = units_of_scheme.exact_loss_keys(settings, plan, versions)
    for candidate in settings.candidates:
        counts.table[candidate.name][plan.name] = NO_FIT
        if candidate.update is not None and candidate.name in keys:
            stored = fit_cache.has(keys[candidate.name]) and not stored_too
            passes = 0 if stored else one_pass.passes(design, plan.name)
            counts.table[candidate.name][plan.name] = f"passes: {passes}"
            counts.fits[candidate.name].append(EqualFits(passes, len(design.y), 1))
        elif candidate.name in keys and (stored_too or not fit_cache.has(keys[candidate.name])):
            # a shortcut costs about a fit
            counts.fits[candidate.name].append(EqualFits(1, len(design.y), len(design.y)))
    to_fit = units_of_scheme.candidates_to_fit(settings, keys)
    for candidate, units in units_of_scheme.plan_units(to_fit, plan, versions):
        missing = [unit.number for unit in units if stored_too or not units_of_scheme.is_stored(unit, plan)]
        counts.stored += len(units) - len(missing)
        counts.table[candidate.name][plan.name] = len(missing)
        sizes = Counter((plan.splits[number].n_train, len(plan.splits[number].validation)) for number in missing)
        for (trained, tested), count in sizes.items():  # a half model is also tested on its own rows
            own = trained if plan.training else 0
            counts.fits[candidate.name].append(EqualFits(count, trained, tested + own, unlabeled))
