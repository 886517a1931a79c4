"""What a result returns of one kind: a tuple of records, or a mapping by the name of the estimate, and a data frame."""

from collections.abc import Iterable, Sequence
from typing import Any, Generic, Self, TypeVar

from heldout.records import Estimate
from heldout.rows import frames

Record = TypeVar("Record")


class Records(tuple[Record, ...], Generic[Record]):
    """Records of one `kind`: a tuple, and a data frame of the `library` of X."""

    _kind: Any
    _library: str

    def __new__(cls, records: Iterable[Record], kind: Any = None, library: str = "pandas") -> Self:
        made = super().__new__(cls, records)
        made._kind, made._library = kind, library
        return made

    def to_frame(self) -> Any:
        """A line for each record. Raises ImportError where the library is not installed."""
        return _frame(self._kind, self, self._library)


class ByEstimate(dict[str, Estimate]):
    """The estimates of a candidate by their names: a mapping, and a data frame of the `library` of X."""

    def __init__(self, records: Iterable[Estimate], library: str = "pandas") -> None:
        super().__init__({record.estimate: record for record in records})
        self._library = library

    def to_frame(self) -> Any:
        """A line for each estimate. Raises ImportError where the library is not installed."""
        return _frame(Estimate, [*self.values()], self._library)


def _frame(kind: Any, records: Sequence[Any], library: str) -> Any:
    from heldout.notebook import tables

    table = tables.of_records(kind, records)
    return frames.of_columns(table.columns, table.types, library)
