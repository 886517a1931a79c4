"""The contamination ledger in MLflow: tags of parent runs say which learners were compared on which data."""

from collections.abc import Iterator, Sequence

from tasks.outcome.items import Tag
from tasks.outcome.ledger import Ledger, learner_id
from tasks.params import Candidate, Settings
from tasks.track.store import connect, runs

_COMPARED = "compared."  # and a learner's id: a tag for each learner whose estimates the run showed
_OPENED_FOR = "test_opened_for"


def read_ledger(settings: Settings, data_hash: str, compared: Sequence[str]) -> Ledger:
    """The ledger of these labelled data in all experiments of the store, with the candidates named `compared` added.

    `M` counts distinct learners, each with its settings and preprocessing, whatever their names, runs and seeds.
    """
    learners = {learner_id(candidate) for candidate in settings.candidates if candidate.name in compared}
    opened_for = set()
    for earlier in runs(connect(settings), f"tags.data_hash = '{data_hash}'"):
        tags = earlier.data.tags
        learners |= {name.removeprefix(_COMPARED) for name in tags if name.startswith(_COMPARED)}
        if _OPENED_FOR in tags:
            opened_for.add(tags[_OPENED_FOR])
    return Ledger(len(learners), frozenset(opened_for))


def ledger_items(
    data_hash: str, winner: Candidate, compared: Sequence[Candidate], *, test_opened: bool
) -> Iterator[Tag]:
    """What a later `read_ledger` finds: sent as soon as the choice is made, since it was seen from then on."""
    yield Tag("data_hash", data_hash)
    yield Tag("selected_model", winner.name)
    for candidate in compared:
        yield Tag(_COMPARED + learner_id(candidate), candidate.name)
    if test_opened:
        yield Tag(_OPENED_FOR, learner_id(winner))
