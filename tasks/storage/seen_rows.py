"""What the contamination ledger must know of a run's rows."""

from dataclasses import dataclass, field
from typing import ClassVar

from heldout.rows.row_sketch import Sketch

MOST_COLUMNS = 500  # whose digests fit into a tag
KEY = "key"  # the first word of the columns where rows are known by those of data.key


@dataclass(frozen=True)
class SeenRows:
    """Sketches of the rows, and hashes of what was made of them.

    `labeled` are all rows of the source with a label, `used` those outside of the test set whose labels are used.
    `partition` is the hash of the rows of the estimates and of which of them the hold-out tests, `trained` that of the
    columns that g is trained on, of the keys of params.yaml that change their values or leave rows out, and of its rows
    where the seed drew them (data.labeled_rows). `columns` has a digest of the name of each column that identifies a
    row; it is empty for more than `MOST_COLUMNS`, and begins with `KEY` where a row is known by data.key.
    """

    ALWAYS: ClassVar = ("labeled", "used", "partition", "trained")  # the texts that every record has

    labeled: Sketch = field(default_factory=Sketch)
    used: Sketch = field(default_factory=Sketch)
    test: Sketch | None = None
    partition: str = ""
    trained: str = ""
    columns: str = ""

    def has_fewer_columns_than(self, other: "SeenRows") -> bool:
        """Whether each of its columns is one of the `other`, which has more: its rows have other identities there.

        The same where one of them knows rows by a key, and not the other by the same.
        """
        mine, others = {*self.columns.split()}, {*other.columns.split()}
        if KEY in mine ^ others or (KEY in mine and mine != others):
            return bool(mine)
        return bool(mine) and mine < others

    def texts(self) -> dict[str, str]:
        """The fields as texts, without a test set that is not there."""
        return {name: str(value) for name, value in vars(self).items() if value is not None}

    @classmethod
    def parsed(cls, texts: dict[str, str]) -> "SeenRows":
        """The record that `texts` gave."""
        return cls(
            labeled=Sketch.parsed(texts["labeled"]),
            used=Sketch.parsed(texts["used"]),
            test=Sketch.parsed(texts["test"]) if "test" in texts else None,
            partition=texts["partition"],
            trained=texts["trained"],
            columns=texts.get("columns", ""),
        )
