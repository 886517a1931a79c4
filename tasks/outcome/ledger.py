"""The contamination ledger: how often labelled rows were used to choose a model (decisions 4 and 25)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from heldout import digests
from heldout.learners import open_random_states
from heldout.rows.row_sketch import Sketch
from tasks.outcome import chain
from tasks.outcome.operations import cut
from tasks.params import Candidate, Settings
from tasks.storage.seen_rows import SeenRows

_TEST_SET = {"test_fraction", "test_key"}


@dataclass(frozen=True)
class Entry:
    """What an earlier run left: the learners that it compared, its rows, and the winner that its test set was opened
    for. `seen` is None where somebody removed what the run says of its rows. `run` is the name of the run in its store.
    """

    learners: frozenset[str]
    seen: SeenRows | None = None
    opened_for: str | None = None
    run: str = ""


@dataclass(frozen=True)
class Opened:
    """An earlier run that tested a winner on rows of this test set."""

    winner: str
    run: str = ""


@dataclass(frozen=True)
class Ledger:
    """How often the labelled rows of a run were used to choose."""

    compared: int  # all pairs of a learner and a partition ever compared, with this run's: M of the selection bound
    opened: tuple[Opened, ...] = ()  # the oldest first
    used_by: int = 0  # the number of earlier runs that used the labels of rows of this test set otherwise
    removed: int = 0  # the number of earlier runs that somebody took out of the store, of which nothing is counted

    def with_removed(self, removed: Mapping[str, Sequence[chain.Entry]], source: str, seen: SeenRows) -> "Ledger":
        """With the validations of this source that were `removed`, by their keys, by what the entries about them say.

        Of these it is known for whom they opened the test set, and not on which rows of it, nor what they compared.
        One whose entries name no source may be of this one.
        """
        ours = {key: of for key, of in removed.items() if cut(source) in _sources(of, source)}
        opened = [
            Opened(entry.said["winner"], key)
            for key, about in ours.items()
            for entry in about
            if entry.kind == "opened" and _overlap(Sketch.parsed(entry.said["tested"]), seen.test)
        ]
        return replace(self, opened=(*opened, *self.opened), removed=len(ours))


def _sources(about: Sequence[chain.Entry], unknown: str) -> set[str]:
    return {entry.said["of"] for entry in about if "of" in entry.said} or {cut(unknown)}


def learner_id(candidate: Candidate) -> str:
    """The identity of a learner with its settings and preprocessing, whatever its name."""
    return digests.content_hash("learner", candidate.identity())


def seeded_id(candidate: Candidate, seed: int) -> str:
    """The identity of a learner, with the seed if the learner takes a `random_state` from it."""
    learner = learner_id(candidate)
    return digests.content_hash(learner, seed) if open_random_states(candidate.learner()) else learner


def winner_id(candidate: Candidate, settings: Settings, seen: SeenRows) -> str:
    """The identity of a winner: a learner, its columns, and the rows that it is trained on if the seed drew them.

    A form that is made of the fits of a scheme is another hypothesis for each seed and each cut: of many, the best
    could be chosen by E_test.
    """
    winner = digests.content_hash("winner", seeded_id(candidate, settings.seed), seen.trained)
    if settings.deliver == "final":
        return winner
    cuts = [settings.split.model_dump(exclude=_TEST_SET), settings.progressive.model_dump()]
    return digests.content_hash(winner, settings.deliver, settings.seed, cuts)


def count(
    seen: SeenRows, learners: Iterable[str], earlier: Iterable[Entry], seen_in: Callable[[str], SeenRows]
) -> Ledger:
    """The ledger of a run on the rows `seen` that compares `learners`, after `earlier` runs, the oldest first.

    An earlier run counts if its labelled rows overlap with these. A partition is a set of rows, those that the hold-out
    tests among them; so the same learner on another partition is a further hypothesis, of which the best may be chosen.
    A table that gained a column has rows of other identities: `seen_in` gives them in the columns of an earlier run.
    """
    pairs: set[tuple[str, str]] = {(learner, seen.partition) for learner in learners}
    opened, used_by = [], 0
    for entry in earlier:
        if (before := entry.seen) is None:
            continue
        rows = seen_in(before.columns) if before.has_fewer_columns_than(seen) else seen
        if before.labeled.overlaps(rows.labeled):
            pairs |= {(learner, before.partition) for learner in entry.learners}
        if entry.opened_for is not None and _overlap(before.test, rows.test):
            opened.append(Opened(entry.opened_for, entry.run))
        used_by += _overlap(before.used, rows.test)
    return Ledger(len(pairs), tuple(opened), used_by)


def _overlap(one: Sketch | None, other: Sketch | None) -> bool:
    return one is not None and other is not None and one.overlaps(other)
