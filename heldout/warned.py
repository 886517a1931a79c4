"""The warnings of a candidate's fits, counted: how many fits are concerned, and what was said."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

Warned = Sequence[tuple[str, str]]  # of one fit: category and first line of each kind of warning


@dataclass(frozen=True)
class Kind:
    """One category of warning: in how many fits it came, and its first line in the first of them."""

    category: str
    fits: int
    first: str


@dataclass(frozen=True)
class Warnings:
    """Of `fits` fits of one candidate, `concerned` gave a warning; the most frequent `kinds` first."""

    fits: int
    concerned: int
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, fits: Iterable[Warned]) -> "Warnings":
        """Count the warnings of each fit, in the order of the fits."""
        every = list(fits)
        first: dict[str, str] = {}
        for category, line in (one for fit in every for one in fit):
            first.setdefault(category, line)
        counts = {category: sum(any(name == category for name, _ in fit) for fit in every) for category in first}
        kinds = tuple(Kind(name, counts[name], first[name]) for name in sorted(first, key=lambda name: -counts[name]))
        return cls(len(every), sum(map(bool, every)), kinds)

    @classmethod
    def together(cls, parts: Sequence["Warnings"]) -> "Warnings":
        """The sum of `parts`, each of other fits."""
        kinds: dict[str, Kind] = {}
        for kind in (kind for part in parts for kind in part.kinds):
            before = kinds.get(kind.category)
            kinds[kind.category] = replace(before, fits=before.fits + kind.fits) if before else kind
        order = tuple(sorted(kinds.values(), key=lambda kind: -kind.fits))
        return cls(sum(part.fits for part in parts), sum(part.concerned for part in parts), order)

    def __str__(self) -> str:
        said = [f"{kind.category}{self._count(kind)}: {kind.first}" for kind in self.kinds]
        return f"{self.concerned} of {self.fits} fits warned: {'; '.join(said)}"

    def _count(self, kind: Kind) -> str:
        return "" if kind.fits == self.concerned else f" ({kind.fits})"
