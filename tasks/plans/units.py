"""A unit is one fit of one candidate: its records, and where its hypothesis is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heldout.fits.specs import CompareSpec, VoteSpec
from heldout.learners.fit_warnings import FitWarnings
from heldout.losses import Losses
from heldout.schemes import SchemeName
from tasks.storage import files


@dataclass(frozen=True)
class Unit:
    """One fit: the number of its split in a scheme, and the key of its record (`heldout.fits.specs`)."""

    scheme: SchemeName
    number: int
    key: str
    keep: bool  # whether its hypothesis is stored too


@dataclass(frozen=True)
class Finished:
    """The units of one candidate in one scheme, by number.

    `terms` are those of losses of whole parts, by the estimate, for a plan that has some.
    """

    keys: tuple[str, ...]
    losses: Sequence[Losses]
    training: Sequence[Losses | None]
    warned: tuple[FitWarnings, ...] = ()
    terms: Sequence[Mapping[str, Losses]] = ()


@dataclass(frozen=True)
class Versions:
    """The hashes of the files that a worker opens."""

    labeled: str
    partitions: str

    @classmethod
    def current(cls) -> "Versions":
        return cls(files.file_hash(files.LABELED), files.partitions_hash())


@dataclass(frozen=True)
class HalfPairs:
    """Pairs of half models that are compared together: the first repeat, and the record of the comparison."""

    first: int
    spec: CompareSpec | VoteSpec

    @property
    def halves(self) -> tuple[str, ...]:
        """The keys of the half models."""
        return self.spec.halves

    @property
    def key(self) -> str:
        """The key of the result."""
        return str(self.spec.key)


def hypothesis_key(unit: Unit | str) -> str:
    """The key of a unit's hypothesis."""
    return f"{unit if isinstance(unit, str) else unit.key}.hypothesis"
