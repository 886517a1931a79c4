"""What a task for a worker names: fits of one candidate, and comparisons of half models, by their keys."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from heldout.fits.specs import CompareSpec, VoteSpec
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
class Versions:
    """The hashes of the files that a worker opens."""

    labeled: str
    partitions: str

    @classmethod
    def current(cls) -> "Versions":
        return cls(files.file_hash(files.LABELED), files.partitions_hash())


AnySpec = TypeVar("AnySpec", CompareSpec, VoteSpec)


@dataclass(frozen=True)
class HalfPairs(Generic[AnySpec]):
    """Pairs of half models that are compared together: the first repeat, and the record of the comparison."""

    first: int
    spec: AnySpec

    @property
    def halves(self) -> tuple[str, ...]:
        """The keys of the half models."""
        return self.spec.halves

    @property
    def key(self) -> str:
        """The key of the result."""
        return str(self.spec.key)
