"""Dates written as strings: one format for a whole column, or none."""

from itertools import product

import pandas as pd

ISO = "ISO8601"
_DAYS = ("%Y/%m/%d", "%d.%m.%Y", "%d-%b-%Y", "%d %b %Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y")
_SHORT = ("%d/%m/%y", "%m/%d/%y", "%y/%m/%d", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d", "%d.%m.%y", "%d-%b-%y", "%d %b %y")
_TIMES = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p")
_FIRST = 20
_END = r".*(?:\n\s*)?|\s*)"  # with `.*)?\s*` the time for a long cell would be quadratic
_LIKE_ISO = rf"\s*\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]\d{{2}}:\d{{2}}{_END}"
_LIKE_A_DATE = rf"\s*\d{{1,4}}([-/. ])(?:\d{{1,2}}|[A-Za-z]{{3}})\1\d{{1,4}}(?:[T ]\d{{1,2}}:\d{{2}}{_END}"


class ColumnError(ValueError):
    """Why a column cannot be used: a clause that follows the column's name."""


def common_format(distinct: pd.Series, dayfirst: bool | None = None) -> str | None:
    """The one date format of all strings of `distinct`, None if they are no dates.

    Where several formats read all of them, `dayfirst` says whether it is the format that starts with the day or with
    the month. Raises ColumnError if at least half of them look like dates, but no format or two formats read all.
    """
    alike = distinct.str.fullmatch(_LIKE_A_DATE)
    if distinct.empty or alike.mean() < 0.5:
        return None
    if not alike.all():
        raise ColumnError(
            f"mixes dates with strings such as {distinct[~alike].iloc[0]!r}; add the strings that mean a gap to "
            "data.missing, or set its kind in data.columns to category or text"
        )
    if distinct.str.fullmatch(_LIKE_ISO).all() and _readable(distinct, ISO):
        return ISO
    formats = [day + time for day, time in product((*_DAYS, *_SHORT), _TIMES) if _reads_all(distinct, day + time)]
    if len(formats) > 1 and dayfirst is not None:
        formats = [form for form in formats if form.startswith("%d" if dayfirst else "%m")] or formats
    if len(formats) == 1:
        return formats[0]
    if formats:
        raise ColumnError(
            f"has dates such as {distinct.iloc[0]!r} that can be read as {' and as '.join(formats)}: say the order in "
            "data.read.dayfirst, true or false (init: --dayfirst or --no-dayfirst), write them as YYYY-MM-DD, or set "
            "its kind in data.columns to category or text"
        )
    raise ColumnError(
        f"has dates in more than one format, as {' and '.join(map(repr, _two_formats(distinct)))}; write all as "
        "YYYY-MM-DD, or set its kind in data.columns to category or text"
    )


def _two_formats(distinct: pd.Series) -> tuple[str, str]:
    """The first string, and a string that the format of the first does not read."""
    first = distinct.iloc[0]
    form = next(
        (
            day + time
            for day, time in product(("%Y-%m-%d", *_DAYS, *_SHORT), _TIMES)
            if _readable(distinct[:1], day + time)
        ),
        "",
    )
    other = next((value for value in distinct[1:] if not _readable(pd.Series([value]), form)), first) if form else first
    return first, other


def parsed(values: pd.Series, already: bool, form: str | None) -> tuple[pd.Series, str | None]:
    """The dates of `values`, in UTC without a zone, and their format.

    Raises ColumnError if not all are dates of the format `form`, or of a common format where `form` is None.
    """
    if not already:
        strings = values.astype("str").str.strip()
        form = form or common_format(pd.Series(strings.dropna().unique()))
        if form is None:
            raise ColumnError(f"holds no dates, as {strings.dropna().iloc[0]!r}; write YYYY-MM-DD, or set another kind")
        parsed_dates = pd.to_datetime(strings, format=form, errors="coerce", utc=True)
        bad = (parsed_dates.isna() & strings.notna()).to_numpy()
        if bad.any():
            raise ColumnError(f"has {strings.iloc[int(bad.argmax())]!r}, which is no date of the format {form}")
    else:
        parsed_dates = pd.to_datetime(values, utc=True, errors="coerce")
        bad = (parsed_dates.isna() & values.notna()).to_numpy()
        if bad.any():
            raise ColumnError(f"has {values.iloc[int(bad.argmax())]}, a date out of range")
    return parsed_dates.dt.tz_localize(None).astype("datetime64[us]"), form


def _reads_all(strings: pd.Series, form: str) -> bool:
    """Whether a format reads all strings; most formats fail on the first."""
    return _readable(strings[:_FIRST], form) and _readable(strings, form)


def _readable(strings: pd.Series, form: str) -> bool:
    return bool(pd.to_datetime(strings.str.strip(), format=form, errors="coerce", utc=True).notna().all())
