"""The fits of a scheme as units: which units there are, by which records, and what is stored under their keys."""

from collections.abc import Iterator, Mapping, Sequence

from heldout import digests
from heldout.fits.specs import Known, KnownSplits, Labeled, Specs
from heldout.losses import Losses
from heldout.running.make import is_made
from heldout.running.stored_fits import Finished, losses_of, of_fits, without_fits
from tasks.params import Candidate, Settings
from tasks.plans.fit_plans import FitPlan
from tasks.plans.read_design import design_of
from tasks.plans.units import Unit, Versions
from tasks.storage import files, fit_cache


def specs_of(settings: Settings, candidate: Candidate, versions: Versions, splits: KnownSplits | None = None) -> Specs:
    """The records of all fits of a candidate; those of several candidates may share `splits`."""
    splits = known_splits(settings, versions) if splits is None else splits
    design = splits.design
    return Specs(
        candidate.name,
        Known(lambda: Labeled(files.open_features(files.LABELED, versions.labeled), design.y), versions.labeled),
        Known(candidate.learner, digests.content_hash(candidate.fit_identity())),
        digests.content_hash(settings.loss_identity),
        splits,
    )


def known_splits(settings: Settings, versions: Versions) -> KnownSplits:
    """The splits of the design of `settings`, with their digests."""
    return KnownSplits(design_of(settings, versions.labeled, versions.partitions), keyed=True)


def exact_loss_keys(settings: Settings, plan: FitPlan, versions: Versions) -> dict[str, str]:
    """The candidates that may need no fit in a scheme, and where all their losses of the scheme are stored."""
    candidates = [candidate for candidate in settings.candidates if plan.may_skip_fits(settings, candidate)]
    if not candidates:
        return {}
    splits = known_splits(settings, versions)
    return {
        candidate.name: specs_of(settings, candidate, versions, splits).exact_address(plan.name)
        for candidate in candidates
    }


def candidates_to_fit(settings: Settings, exact_keys: Mapping[str, str]) -> Settings:
    """The settings with the candidates that need fits: no shortcut is known, or it is stored that it declined.

    `exact_keys` are the `exact_loss_keys` of the scheme.
    """
    to_fit = [
        candidate
        for candidate in settings.candidates
        if candidate.name not in exact_keys or is_declined(exact_keys[candidate.name])
    ]
    return settings.model_copy(update={"candidates": to_fit})


def is_declined(key: str) -> bool:
    """Whether it is stored that the losses of a scheme, whose key this is, need fits."""
    return fit_cache.store.has(key) and fit_cache.store.load(key) is None


def plan_units(settings: Settings, plan: FitPlan, versions: Versions) -> Iterator[tuple[Candidate, list[Unit]]]:
    """The units of each candidate of `settings`."""
    splits = known_splits(settings, versions)
    for candidate in settings.candidates:
        specs = specs_of(settings, candidate, versions, splits)
        keys = [specs.address(plan.name, number) for number in range(len(plan.splits))]
        yield candidate, [Unit(plan.name, number, key, plan.keep) for number, key in enumerate(keys)]


def is_stored(unit: Unit) -> bool:
    """Whether a fit is finished: its losses are stored, and its hypothesis if it is kept."""
    return is_made(fit_cache.store, unit.key, keep=unit.keep)


def gather(units: Sequence[Unit]) -> Finished:
    """The stored results of the fits of a scheme."""
    return of_fits(fit_cache.store, [unit.key for unit in units])


def gather_exact(key: str, fits: int) -> Finished:
    """The stored losses of a scheme without fits."""
    return without_fits(fit_cache.store, key, fits)


def stored_losses(units: Sequence[Unit]) -> Sequence[Losses]:
    """The stored losses of some fits, each read on access."""
    return losses_of(fit_cache.store, [unit.key for unit in units])
