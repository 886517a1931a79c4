"""What the ledger of operations has entries of, and who is the champion by it (decision 90)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from tasks.outcome.chain import Entry

# every kind that is written; a reader passes over a kind that it does not know, which a later version wrote
KINDS = {
    "began": "the ledger begins: what the store held before",
    "adopted": "validations that no entry names: from before the ledger, and of processes that died",
    "migrated": "another version of heldout writes from here on",
    "compared": "a validation showed estimates of learners on rows: M, and the hash of what its run says about them",
    "opened": "the test set is opened for a winner, before a row is scored: how many rows, and a sketch of these",
    "tested": "the rows were scored: E_test",
    "reported": "a validation wrote its report: hashes of the files, and of the metrics of its runs",
    "contest": "a winner was compared with the champion, and did not replace it",
    "champion": "a version became the champion, the first or on evidence",
    "rollback": "the former champion is the champion again, and the line of the replaced one is pinned; or, without a "
    "line, the version to which a person moved the alias is accepted",
    "release": "a person lifted a pin",
    "batch": "new labelled rows were looked at before a run used them: accepted, or held back for a person",
    "batch-released": "a person lets a run use the rows of a batch that was held back or dropped",
    "batch-dropped": "a person leaves the rows of a batch out for good; or a held one was replaced by another",
    "watched": "new shards were looked at: once a day, and at each alarm",
    "gate": "a validation was let through or not",
    "night": "a run that may promote ended: its seconds, its rows, the sizes of the stores, or why it failed",
}


_MOST_LETTERS = 250  # of a text that a user chose, in an entry


def cut(text: str) -> str:
    """A text of a user, as long as an entry holds."""
    return text[:_MOST_LETTERS]


@dataclass(frozen=True)
class Of:
    """Whose champion an entry is about: a registered name, and a data source."""

    name: str
    source: str

    @classmethod
    def made(cls, name: str, source: str) -> "Of":
        """From texts of any length."""
        return cls(cut(name), cut(source))

    def said(self, **more: Any) -> dict[str, Any]:
        """The part of an entry that says so, with more."""
        return {"name": self.name, "source": self.source, **more}

    def among(self, entries: Iterable[Entry]) -> list[Entry]:
        """The entries about it."""
        return [one for one in entries if (one.said.get("name"), one.said.get("source")) == (self.name, self.source)]


def about_runs(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries that hold a hash of a validation, by its key."""
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.kind == "adopted":
            for key in entry.said["runs"]:
                found.setdefault(key, []).append(entry)
        elif entry.kind in ("compared", "reported"):
            found.setdefault(entry.said["run"], []).append(entry)
    return found


def with_result(entries: Iterable[Entry]) -> set[str]:
    """The keys of the validations that said what they found; one that only opened the test set died before it did."""
    return {entry.said["run"] for entry in entries if entry.kind in ("tested", "reported")}


def removed(entries: Iterable[Entry], present: Collection[str]) -> dict[str, list[Entry]]:
    """The validations that are not `present`, by their keys: all entries about each."""
    entries = tuple(entries)
    gone = {key for key in about_runs(entries) if key not in present}
    return {key: [one for one in entries if key in (one.said.get("run"), *_adopted(one))] for key in gone}


def _adopted(entry: Entry) -> Iterable[str]:
    return entry.said["runs"] if entry.kind == "adopted" else ()


def champions(entries: Iterable[Entry]) -> dict[str, str]:
    """The version that each alias is on by the entries, for aliases that one of them moved."""
    return {entry.said["alias"]: entry.said["version"] for entry in entries if entry.kind in ("champion", "rollback")}
