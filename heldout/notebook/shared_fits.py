"""The fits of all candidates in one plan: shared among processes, the longest first, without a stop between schemes."""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, as_completed
from dataclasses import dataclass, replace

from heldout.errors import FitFailure
from heldout.fits.scheme_fits import share_work
from heldout.notebook.candidate_fits import CandidateFits, Made, fit
from heldout.notebook.progress import FitBar
from heldout.running.isolation import Isolation
from heldout.running.plan import Wanted
from heldout.schemes import SchemeName
from heldout.splits.split import trained_sizes

_Done = tuple[str, Made, int]  # of a candidate: what was made, of so many fits

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


def share(fits: Mapping[str, CandidateFits], wanted: Sequence[Wanted], jobs: int, bar: FitBar) -> None:
    """Make the `wanted` fits in `jobs` processes, if they take long enough, and keep them.

    The first fit of each candidate is made here, and its seconds are the plan of the others. A fit that fails is left
    to `CandidateFits.losses`, which raises the first failure.
    """
    todo = [*_planned(fits, wanted)]
    seconds = sum(part.seconds for part in todo)
    if seconds < _SECONDS_WORTH:
        return
    most = max(_SECONDS_A_PART, seconds / (_PARTS_A_JOB * jobs))
    parts = sorted((piece for part in todo for piece in _pieces(part, most)), key=lambda part: -part.seconds)
    isolation = parts[0].of.isolation
    made = _in_processes(parts, jobs) if isolation is None else _isolated(parts, isolation)
    for name, found, count in made:
        fits[name].take(found)
        bar.advance(name, count if found[0] is None else 0)


def _planned(fits: Mapping[str, CandidateFits], wanted: Sequence[Wanted]) -> Iterator[_Part]:
    """The fits that have to be made, but for the first of each candidate, which is made here.

    None of a candidate whose first fit fails.
    """
    failed: set[str] = set()
    for one in wanted:
        of = fits[one.candidate]
        trained = trained_sizes(of.design.splits(one.scheme))
        numbers: Sequence[int] = of.missing(one.scheme, one.numbers)
        if not numbers:
            continue
        if not of.pace and of.name not in failed:
            started = time.perf_counter()
            try:
                of.losses(one.scheme, numbers[:1])
                if not of.pace:  # it was made in a process of its own
                    of.pace.append((time.perf_counter() - started) / max(1, trained[numbers[0]]))
            except FitFailure:
                failed.add(of.name)
            numbers = numbers[1:]
        if numbers and of.name not in failed:
            yield _Part(of, one.scheme, numbers, of.pace[0] * trained[[*numbers]].sum())


def _pieces(part: _Part, most: float) -> Iterator[_Part]:
    """The fits of a part in pieces of about `most` seconds."""
    count = len(part.numbers)
    if share_work(part.of.learner, part.scheme, part.of.how.shortcuts):
        most *= _OF_SHARED_WORK
    size = max(1, min(count, int(most / max(part.seconds / count, 1e-9))))
    for first in range(0, count, size):
        numbers = part.numbers[first : first + size]
        yield replace(part, numbers=numbers, seconds=part.seconds * len(numbers) / count)


def _in_processes(parts: Sequence[_Part], jobs: int) -> Iterator[_Done]:
    from joblib import Parallel, delayed

    done: Iterator[_Done] = Parallel(jobs, return_as="generator_unordered", batch_size=1)(
        delayed(_made)(part.of.alone(), part.scheme, part.numbers) for part in parts
    )
    return done


def _isolated(parts: Sequence[_Part], isolation: Isolation) -> Iterator[_Done]:
    """The same, in processes that may end; then no further fit of that candidate is started."""
    with isolation.sent():
        asked = {isolation.submit(_made, part.of.alone(), part.scheme, part.numbers): part.of for part in parts}
        for future in as_completed(asked):
            of = asked[future]
            try:
                with isolation.sent():
                    found: _Done = future.result()
            except CancelledError:
                continue
            except FitFailure as failure:
                of.ended.append(str(failure))
                for other in asked:
                    if asked[other] is of:
                        other.cancel()
                continue
            yield found


def _made(of: CandidateFits, scheme: SchemeName, numbers: Sequence[int]) -> _Done:
    """The fits of a part, up to the first that fails."""
    return of.name, fit(of, scheme, numbers), len(numbers)
