"""What a store holds of its validations, and the hashes by which the ledger of operations knows them again."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from heldout import digests
from tasks.outcome.champion_error import NAME as CHAMPION_ERROR

EXPORT = "heldout ledger of operations"  # the first key of an exported file, with its form
_FORM = 1
_DIGITS = 16


@dataclass(frozen=True)
class TrackedRun:
    """A validation of a store. `key` names it in every store that it was sent to; a candidate's run has a `parent`.

    `tags` are those of the ledger of contamination, `metrics` the last value of each. `ledger` is the head that the run
    names, empty for none.
    """

    run: str
    key: str
    started: int
    ended: str  # its status
    tags: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    candidates: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    ledger: str = ""


@dataclass(frozen=True)
class StoredLedger:
    """A run that holds a ledger: its entries by their names, and the head that it names."""

    run: str
    entries: Mapping[str, str]
    head: str = ""


@dataclass(frozen=True)
class History:
    """All that a store says: its ledgers, of which there is one, its validations, and the version of each alias."""

    ledgers: tuple[StoredLedger, ...] = ()
    runs: tuple[TrackedRun, ...] = ()
    champions: Mapping[str, str] = field(default_factory=dict)

    def exported(self) -> str:
        """As a file for somebody without the store."""
        values = {
            EXPORT: _FORM,
            "ledgers": [vars(one) for one in self.ledgers],
            "runs": [vars(one) for one in self.runs],
            "champions": self.champions,
        }
        return json.dumps(values, indent=1, sort_keys=True, ensure_ascii=False)

    @classmethod
    def parsed(cls, text: str) -> "History":
        """From what `exported` gave. Raises ValueError for anything else."""
        try:
            found = json.loads(text)
            for one in found.get("ledgers", ()):
                if not all(isinstance(entry, str) for entry in one["entries"].values()):
                    raise TypeError("an entry is no text")
            if found[EXPORT] != _FORM:
                raise ValueError(f"it is of form {found[EXPORT]}, and this version reads form {_FORM}")
            return cls(
                tuple(StoredLedger(**one) for one in found["ledgers"]),
                tuple(TrackedRun(**one) for one in found["runs"]),
                found["champions"],
            )
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            raise ValueError(f"it is no exported ledger ({error})") from None


def tags_hash(started: int, tags: Mapping[str, str]) -> str:
    """What a run says of the learners that it compared, on which rows, when."""
    return digests.content_hash(started, dict(tags))


def metrics_hash(metrics: Mapping[str, float]) -> str:
    """The last value of each metric of a run, to the last bit; without what a contest adds, which its entry says."""
    values = {name: float(value).hex() for name, value in metrics.items() if not name.startswith(CHAMPION_ERROR)}
    return digests.content_hash(values)


def candidates_hash(candidates: Mapping[str, Mapping[str, float]]) -> str:
    """The metrics of all candidates' runs."""
    return digests.content_hash({name: metrics_hash(metrics) for name, metrics in candidates.items()})


def adopted_hash(run: TrackedRun) -> str:
    """The beginning of a hash of a validation that no entry of its own names."""
    return digests.content_hash(tags_hash(run.started, run.tags), metrics_hash(run.metrics))[:_DIGITS]
