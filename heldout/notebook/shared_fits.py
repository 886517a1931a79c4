"""The fits of all candidates in one plan: shared among processes, the longest first, without a stop between schemes."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from heldout.errors import FitFailure
from heldout.fits.scheme_fits import share_work
from heldout.notebook.candidate_fits import CandidateFits, Made
from heldout.notebook.progress import FitBar
from heldout.parts.splits import trained_sizes
from heldout.schemes import SchemeName

_SECONDS_WORTH = 3.0  # of fits: other processes take a second to start and to import the learners
_SECONDS_A_PART = 0.25  # at least: less would be lost in the messages
_PARTS_A_JOB = 16  # at least, if they are not too short: the last of them end at about the same time
_OF_SHARED_WORK = 4  # times as long are parts of fits that share work


@dataclass(frozen=True, eq=False)
class _Part:
    """Some fits of one candidate in a scheme, and how many seconds they are expected to take."""

    of: CandidateFits
    scheme: SchemeName
    numbers: Sequence[int]
    seconds: float


def share(
    candidates: Sequence[CandidateFits],
    schemes: Sequence[SchemeName],
    jobs: int,
    bar: FitBar,
    only: Mapping[SchemeName, Sequence[int]] | None = None,
) -> None:
    """Make the fits of `candidates` in `jobs` processes, if they take long enough, and keep them as `ready`.

    `only` are the numbers of the fits to make in a scheme; of others all are made. The first fit of each candidate is
    made here, and its seconds are the plan of the others. A fit that fails is left to `CandidateFits.evidence`, which
    reports the first failure in the order of the candidates.
    """
    todo = [*_planned(candidates, schemes, only or {})] if jobs > 1 else []
    seconds = sum(part.seconds for part in todo)
    if seconds < _SECONDS_WORTH:
        return
    from joblib import Parallel, delayed

    most = max(_SECONDS_A_PART, seconds / (_PARTS_A_JOB * jobs))
    parts = sorted((piece for part in todo for piece in _pieces(part, most)), key=lambda part: -part.seconds)
    names = {of.name: of for of in candidates}
    made = Parallel(jobs, return_as="generator_unordered", batch_size=1)(
        delayed(_made)(_alone(part.of), part.scheme, part.numbers) for part in parts
    )
    for name, scheme, fits in made:
        names[name].ready.setdefault(scheme, {}).update(fits)
        bar.advance(name, len(fits))


def _planned(
    candidates: Sequence[CandidateFits], schemes: Sequence[SchemeName], only: Mapping[SchemeName, Sequence[int]]
) -> Iterator[_Part]:
    """The fits that have to be made, by candidate and scheme, but for the first of each candidate, which is made here.

    None of a candidate whose first fit fails.
    """
    for of in candidates:
        try:
            for scheme in schemes:
                if of.without_fits(scheme) is not None:
                    continue
                trained = trained_sizes(of.design.splits(scheme))
                ready = of.ready.setdefault(scheme, {})
                numbers = [number for number in only.get(scheme, range(len(trained))) if number not in ready]
                if numbers and not of.pace:
                    started = time.perf_counter()
                    ready.update(zip(numbers[:1], of.made(scheme, numbers[:1]), strict=True))
                    of.pace.append((time.perf_counter() - started) / max(1, trained[numbers[0]]))
                    of.bar.advance(of.name)
                    numbers = numbers[1:]
                if numbers:
                    yield _Part(of, scheme, numbers, of.pace[0] * trained[numbers].sum())
        except FitFailure:
            continue
        finally:
            of.release()


def _pieces(part: _Part, most: float) -> Iterator[_Part]:
    """The fits of a part in pieces of about `most` seconds."""
    count = len(part.numbers)
    if share_work(part.of.learner, part.scheme, part.of.use):
        most *= _OF_SHARED_WORK
    size = max(1, min(count, int(most / max(part.seconds / count, 1e-9))))
    for first in range(0, count, size):
        numbers = part.numbers[first : first + size]
        yield replace(part, numbers=numbers, seconds=part.seconds * len(numbers) / count)


def _alone(of: CandidateFits) -> CandidateFits:
    """What another process needs of a candidate: no results, no unlabelled rows, and a design that draws again."""
    bar, design = FitBar(0, shown=False), replace(of.design)
    return replace(of, bar=bar, design=design, unlabeled=None, warned=[], ready={}, _without_fits={}, _exact=[])


def _made(of: CandidateFits, scheme: SchemeName, numbers: Sequence[int]) -> tuple[str, SchemeName, dict[int, Made]]:
    """The fits of a part; none if one of them fails."""
    try:
        return of.name, scheme, dict(zip(numbers, of.made(scheme, numbers), strict=True))
    except FitFailure:
        return of.name, scheme, {}
