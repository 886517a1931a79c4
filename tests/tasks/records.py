"""Records as the tables of reports/ that hold them."""

from collections.abc import Sequence
from typing import Any

from heldout.notebook.tables import ESTIMATE_COLUMNS, Table, of_differences
from heldout.records import Difference, Estimate
from heldout.rows.frames import of_columns
from tasks.storage import files, report_tables


def write_records(kind: str, records: Sequence[Any], of: Any = None, **whose: str) -> None:
    """The file of a kind of table, as a run writes it of a result with these records."""
    of = of or type(records[0])
    names = ESTIMATE_COLUMNS if of is Estimate else ()
    table = of_differences(records) if of is Difference else Table.of(of, records, names, **whose)
    files.write_csv(report_tables.OF_RESULT[kind], of_columns(table.columns, table.types, "pandas"))
