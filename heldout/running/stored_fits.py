"""What is stored of the fits of a candidate in a scheme: read when someone asks for it, and not kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heldout.fits.scheme_fits import SchemeLosses
from heldout.learners.fit_warnings import FitWarnings
from heldout.losses import Losses
from heldout.running.store import Store

_PARTS = ("losses", "training", "terms")  # of what is stored of a fit, next to its warnings


@dataclass(frozen=True)
class Finished:
    """The fits of one candidate in one scheme, by number, and the addresses of those that were made.

    `terms` are those of metrics of a set, by the estimate, of fits that have some.
    """

    keys: tuple[str, ...]
    losses: Sequence[Losses]
    training: Sequence[Losses | None]
    warned: tuple[FitWarnings, ...] = ()
    terms: Sequence[Mapping[str, Losses]] = ()


def losses_of(store: Store, addresses: Sequence[str]) -> Sequence[Losses]:
    """The losses of some fits."""
    return _Stored(store, tuple(addresses), "losses")


def of_fits(store: Store, addresses: Sequence[str]) -> Finished:
    """What fits left."""
    keys = tuple(addresses)
    warned = tuple(store.load(key).warned for key in keys)
    return Finished(keys, warned=warned, **{part: _Stored(store, keys, part) for part in _PARTS})


def read_once(finished: Finished) -> Finished:
    """The same, for who needs several parts of each fit: each is read once."""
    if not isinstance(finished.losses, _Stored):
        return finished
    fits = [finished.losses.store.load(key) for key in finished.keys]
    losses, training, terms = ([getattr(fit, part) for fit in fits] for part in _PARTS)
    return replace(finished, losses=losses, training=training, terms=terms)


def without_fits(store: Store, address: str, fits: int) -> Finished:
    """What a scheme of so many `fits` left that needed none of them."""
    warned = store.load(address).warned
    return Finished((), _Together(store, address, fits), (None,) * fits, tuple(warned))


@dataclass(frozen=True, eq=False)
class _Stored(Sequence[Any]):
    """One part of each fit's result: those of all fits are never in memory together."""

    store: Store
    keys: tuple[str, ...]
    part: str

    def __getitem__(self, number: Any) -> Any:
        return getattr(self.store.load(self.keys[number]), self.part)

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, eq=False)
class _Together(Sequence[Any]):
    """The losses of a scheme without fits, one array for each split."""

    store: Store
    address: str
    fits: int

    def __iter__(self) -> Any:
        return iter(self._made.losses)

    def __getitem__(self, number: Any) -> Any:
        return self._made.losses[number]

    def __len__(self) -> int:
        return self.fits

    @property
    def _made(self) -> SchemeLosses:
        made: SchemeLosses = self.store.load(self.address)
        return made
