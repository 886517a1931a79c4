"""Columns of strings that a kind of a package of others recognises: read as numbers, with a finding about each."""

import pandas as pd

from heldout.checks.column_kind import kind_of_dtype
from heldout.findings.finding import Finding
from heldout.rows import foreign_kinds
from heldout.rows.column_kind import ColumnKind


def kind_of(values: pd.Series) -> ColumnKind | None:
    """The foreign kind of a column of strings, None without one. Raises BadArgument for a kind that cannot be used."""
    return foreign_kinds.recognising(_counts(values)) if foreign_kinds.KINDS else None


def finding(values: pd.Series, kind: ColumnKind) -> Finding:
    """What is read of a column of strings that the kind recognises, and what is not."""
    return Finding(
        "parsed",
        foreign_kinds.sentence(str(values.name), _counts(values), kind),
        columns=(str(values.name),),
        done=f"{kind.name} in data.columns",
        in_python="give heldout.validate the numbers: it takes strings as strings",
    )


def read(table: pd.DataFrame) -> tuple[pd.DataFrame, tuple[Finding, ...]]:
    """The table with numbers in each column that is category or text, and of a foreign kind; and what was read.

    Raises BadArgument as `kind_of`.
    """
    strings = [str(name) for name, dtype in table.dtypes.items() if kind_of_dtype(dtype) in ("category", "text")]
    kinds = {name: kind for name in strings if (kind := kind_of(table[name])) is not None}
    read_columns = {name: _numbers(table[name], kind) for name, kind in kinds.items()}
    return table.assign(**read_columns), tuple(finding(table[name], kind) for name, kind in kinds.items())


def _numbers(values: pd.Series, kind: ColumnKind) -> pd.Series:
    strings = [*_counts(values)]
    meant = dict(zip(strings, foreign_kinds.numbers(strings, kind), strict=True))
    return values.astype("object").map(meant, na_action="ignore").astype("float64")


def _counts(values: pd.Series) -> dict[str, int]:
    """The distinct strings, in the order of the rows, and how many values each is."""
    return {str(string): int(count) for string, count in values.dropna().astype("str").value_counts(sort=False).items()}
