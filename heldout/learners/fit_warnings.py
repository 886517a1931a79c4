"""The warnings of a candidate's fits, counted: how many fits gave a warning, and its text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

FitWarnings = Sequence[tuple[str, str]]  # of one fit: category and first line of each warning


@dataclass(frozen=True)
class WarningCount:
    """A category of warnings: the number of fits that gave it, and its first line in the first of these fits."""

    category: str
    fits: int
    first: str


@dataclass(frozen=True)
class WarningCounts:
    """Of `fits` fits of one candidate, `concerned` gave a warning; the most frequent `kinds` first."""

    fits: int
    concerned: int
    kinds: tuple[WarningCount, ...]

    @classmethod
    def of(cls, fits: Iterable[FitWarnings]) -> "WarningCounts":
        """Count the warnings of each fit, in the order of the fits."""
        every = list(fits)
        first: dict[str, str] = {}
        for category, line in (warning for fit in every for warning in fit):
            first.setdefault(category, line)
        counts = {category: sum(any(name == category for name, _ in fit) for fit in every) for category in first}
        names = sorted(first, key=lambda name: -counts[name])
        kinds = tuple(WarningCount(name, counts[name], first[name]) for name in names)
        return cls(len(every), sum(map(bool, every)), kinds)

    @classmethod
    def together(cls, parts: Sequence["WarningCounts"]) -> "WarningCounts":
        """The sum of `parts`, which count different fits."""
        kinds: dict[str, WarningCount] = {}
        for kind in (kind for part in parts for kind in part.kinds):
            before = kinds.get(kind.category)
            kinds[kind.category] = replace(before, fits=before.fits + kind.fits) if before else kind
        order = tuple(sorted(kinds.values(), key=lambda kind: -kind.fits))
        return cls(sum(part.fits for part in parts), sum(part.concerned for part in parts), order)

    def __str__(self) -> str:
        texts = [f"{kind.category}{self._count(kind)}: {kind.first}" for kind in self.kinds]
        return f"{self.concerned} of {self.fits} fits warned: {'; '.join(texts)}"

    def _count(self, kind: WarningCount) -> str:
        return "" if kind.fits == self.concerned else f" ({kind.fits})"
