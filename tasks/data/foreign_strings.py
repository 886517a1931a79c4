"""Strings of a kind that a package of others adds (`heldout.rows.foreign_kinds`): its numbers, and the rest is missing.

The form is kept as text, such as "kind:seconds", so that every shard is read as the labelled rows are.
"""

import pandas as pd

from heldout.errors import BadArgument
from heldout.rows import foreign_kinds
from tasks.data import number_strings
from tasks.data.dates import ColumnError
from tasks.data.loose_numbers import Tally

_PREFIX = "kind:"


def form_of(name: str) -> str:
    """The form of the strings of a kind."""
    return f"{_PREFIX}{name}"


def is_foreign(form: str | None) -> bool:
    """Whether a form is that of a foreign kind."""
    return form is not None and form.startswith(_PREFIX)


def parsed(values: pd.Series, form: str) -> pd.Series:
    """The values as float64, missing where a string is none of the kind.

    Raises ColumnError where this is more than half of the present values, and for a kind that cannot be used.
    """
    name = form.removeprefix(_PREFIX)
    kind = foreign_kinds.KINDS.get(name)
    if kind is None:
        raise ColumnError(f"is of the kind {name}; name the package that adds it in execution.allowed_modules")
    strings = number_strings.as_strings(values)
    distinct = strings.dropna().unique().tolist()
    try:
        meant = dict(zip(distinct, foreign_kinds.numbers(distinct, kind), strict=True))
    except BadArgument as error:
        raise ColumnError(f"cannot be read: {error}") from None
    numbers = strings.map(meant).astype("float64")
    lost = strings[strings.notna() & numbers.isna()]
    if len(lost) > foreign_kinds.HALF * strings.notna().sum():
        raise ColumnError(
            f"has {len(lost)} of {int(strings.notna().sum())} values that are no {kind.name}, such as "
            f"{lost.iloc[0]!r}; at most half may be: write them as {kind.example!r}, or set its kind in data.columns "
            "to category or text"
        )
    return numbers


def tally(values: pd.Series, form: str) -> Tally:
    """What of `values` is no string of the kind."""
    kind = foreign_kinds.KINDS[form.removeprefix(_PREFIX)]
    strings = number_strings.as_strings(values).dropna()
    counts = {str(string): int(count) for string, count in strings.value_counts(sort=False).items()}
    others = foreign_kinds.unread(counts, kind)
    example = min(others, key=lambda string: (-others[string], string), default="")
    return Tally(sum(counts.values()), sum(others.values()), 0, example, kind.name)
