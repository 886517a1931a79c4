"""The fits that a run has to do, counted by candidate and scheme before any of them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd
import pyarrow.parquet

from heldout.fits import one_pass
from heldout.schemes import SchemeName
from heldout.schemes.design import Design
from heldout.schemes.halvings import looks
from heldout.selection.race import STREAM
from tasks.params import Settings
from tasks.plans import units_of_scheme
from tasks.plans.budget import Cost, EqualFits
from tasks.plans.fit_plans import FitPlan, every_scheme, scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.storage import files, fit_cache, stage_settings

NO_FIT = "no fit"  # a shortcut is exact


@dataclass
class FitCounts:
    """By candidate and scheme the number of fits, or what replaces them; by candidate the fits with their sizes.

    `stream` has the fits of the scheme that a race looks at, `later` all others, which at most `finalists` candidates
    get; None for all.
    """

    table: dict[str, dict[str, int | str]]
    stream: dict[str, list[EqualFits]]
    later: dict[str, list[EqualFits]]
    finalists: int | None = None
    stored: int = 0
    spare: dict[str, int] = field(default_factory=dict)  # by candidate, fits of halvings that may not be needed

    @property
    def to_do(self) -> int:
        """The fits to do, of all schemes: of the finalists those with the most fits."""
        before = [of.get(STREAM, 0) for of in self.table.values()]
        later = sorted((_sum(of) for of in self.table.values()), reverse=True)[: self.finalists]
        return sum(count for count in before if isinstance(count, int)) + sum(later)

    def slowest(self, costs: Mapping[str, Cost]) -> list[tuple[Cost, list[EqualFits]]]:
        """The fits to do with the cost of their candidate, the slowest candidates being the finalists."""
        seconds = {name: sum(one.seconds(costs[name]) for one in of) for name, of in self.later.items()}
        finalists = sorted(self.later, key=seconds.__getitem__, reverse=True)[: self.finalists]
        return [
            (costs[name], [*of, *(self.later[name] if name in finalists else ())]) for name, of in self.stream.items()
        ]

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


def count_fits(settings: Settings, versions: Versions, *, dropped: Mapping[str, int] | None = None) -> FitCounts:
    """The fits of all schemes on the prepared rows that are not stored yet.

    Of the candidates that a race `dropped` they are those of the blocks that each went through.
    """
    dropped = dropped or {}
    by_rule = settings.covalidation.repeats == "auto" and not stage_settings.made_with("fit", settings)
    design = read_design(settings, every_halving=by_rule)
    names = [candidate.name for candidate in settings.candidates]
    stream, later = ({name: list[EqualFits]() for name in names} for _ in range(2))
    counts = FitCounts({name: {} for name in names}, stream, later, settings.selection.finalists)
    for name in every_scheme(design):
        of = settings
        if name != STREAM:
            left = [candidate for candidate in settings.candidates if candidate.name not in dropped]
            of = settings.model_copy(update={"candidates": left})
            for gone in dropped:
                counts.table[gone][name] = 0
        _count_scheme(counts, of, design, scheme(design, name, settings.deliver), versions, dropped)
    if by_rule:
        surely = scheme(design, "covalidation", settings.deliver).first(2 * looks(len(design.y))[0])
        for candidate, units in units_of_scheme.plan_units(settings, surely, versions):
            if candidate.name not in dropped:
                needed = sum(not units_of_scheme.is_stored(unit) for unit in units)
                counts.spare[candidate.name] = int(counts.table[candidate.name]["covalidation"]) - needed
    return counts


def _sum(counts: Mapping[str, int | str]) -> int:
    """The fits of all schemes but that of the race."""
    return sum(count for scheme, count in counts.items() if isinstance(count, int) and scheme != STREAM)


def _least(scheme: SchemeName, count: int | str) -> int:
    """The fits of a scheme for a candidate that a race drops at once."""
    return min(count, 1) if isinstance(count, int) and scheme == STREAM else 0


def _count_scheme(
    counts: FitCounts,
    settings: Settings,
    design: Design,
    plan: FitPlan,
    versions: Versions,
    blocks: Mapping[str, int],
) -> None:
    fits = counts.stream if plan.name == STREAM else counts.later
    unlabeled = sum(pyarrow.parquet.read_metadata(path).num_rows for path in files.shards()) if plan.training else 0
    keys = units_of_scheme.exact_loss_keys(settings, plan, versions)
    for candidate in settings.candidates:
        counts.table[candidate.name][plan.name] = NO_FIT
        if candidate.update is not None and candidate.name in keys:
            stored = fit_cache.store.has(keys[candidate.name])
            passes = 0 if stored else one_pass.passes(design, plan.name)
            counts.table[candidate.name][plan.name] = f"passes: {passes}"
            fits[candidate.name].append(EqualFits(passes, len(design.y), 1))
        elif candidate.name in keys and not fit_cache.store.has(keys[candidate.name]):
            # a shortcut costs about a fit
            fits[candidate.name].append(EqualFits(1, len(design.y), len(design.y)))
    to_fit = units_of_scheme.candidates_to_fit(settings, keys)
    for candidate, planned in units_of_scheme.plan_units(to_fit, plan, versions):
        units = planned[: blocks.get(candidate.name)]
        missing = [unit.number for unit in units if not units_of_scheme.is_stored(unit)]
        counts.stored += len(units) - len(missing)
        counts.table[candidate.name][plan.name] = len(missing)
        sizes = Counter((plan.splits[number].n_train, len(plan.splits[number].validation)) for number in missing)
        for (trained, tested), count in sizes.items():  # a half model is also tested on its own rows
            own = trained if plan.training else 0
            fits[candidate.name].append(EqualFits(count, trained, tested + own, unlabeled))
