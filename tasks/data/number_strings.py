"""Numbers written as strings, as $118,884, 12,5 % or (1.50): a column is read with one decimal mark, or not at all.

Strings of digits alone are codes, not numbers in disguise. A currency or percent sign must be the same in every value.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import pandas as pd

from tasks.data.dates import ColumnError
from tasks.params.sections import Decimal

_MONEY = r"[$€£¥₹]|USD|EUR|GBP|CHF|JPY"
_SIGN = "[-+\N{MINUS SIGN}]?"
_SPACE = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_CODE = re.compile(r"[0-9]+")


def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    grouped = rf"[1-9][0-9]{{0,2}}(?P<group>[{thousands}'’{_SPACE}])[0-9]{{3}}(?:(?P=group)[0-9]{{3}})*"
    number = rf"(?:(?:{grouped}|[0-9]+)(?:{decimal}[0-9]*)?|{decimal}[0-9]+)(?:[eE][-+]?[0-9]+)?"
    return re.compile(
        rf"\s*(?P<before>{_SIGN}(?P<left>{_MONEY})?[{_SPACE}]?{_SIGN})(?P<number>{number})"
        rf"[{_SPACE}]?(?P<right>{_MONEY}|%)?\s*"
    )


_MARKS: tuple[Decimal, Decimal] = ("point", "comma")
_PATTERNS = {"point": _pattern(r"\.", ","), "comma": _pattern(",", r"\.")}


def looks_like_a_number(string: str) -> bool:
    """Whether a string is a number with either decimal mark."""
    return any(_match(string, mark) for mark in _MARKS)


def reading(distinct: Sequence[str]) -> Literal["point", "comma", "either", "open"] | None:
    """The decimal mark with which all the strings are numbers; None if they are none, or codes of digits alone.

    It is either if both marks give the same numbers, and open if they do not, as '1,234'; but with a currency sign the
    mark before three digits separates thousands.
    """
    marks = [mark for mark in _MARKS if all(_match(string, mark) for string in distinct)]
    signs = {sign_of(string) for string in distinct} if marks else set()
    if len(signs) != 1 or all(map(_CODE.fullmatch, distinct)):
        return None
    if len(marks) == 1:
        return marks[0]
    if numbers(distinct, "point") == numbers(distinct, "comma"):
        return "either"
    commas, points = (any(mark in string for string in distinct) for mark in ",.")
    if signs.isdisjoint({"", "%"}) and commas != points:
        return "point" if commas else "comma"
    return "open"


def decimal_of(distinct: Sequence[str], wanted: Decimal | None) -> Decimal | None:
    """The decimal mark with which to read the strings, `wanted` where it is open; None as for `reading`.

    Raises ColumnError if it is open and no mark is wanted, unless only a point is written, as in '1.234'.
    """
    found = reading(distinct)
    if found != "either" and found != "open":
        return found
    comma = next((string for string in distinct if "," in string), None)
    if found == "open" and wanted is None and comma is not None:
        raise ColumnError(
            f"has numbers such as {comma!r}, whose comma may be the decimal mark or separate thousands: say which in "
            "data.read.decimal, comma or point (init: --decimal)"
        )
    return wanted or "point"


def numbers(strings: Iterable[str], decimal: str) -> list[float]:
    """The numbers that the strings are. Raises ColumnError for a string that is no number with this decimal mark."""
    return [_number(string, decimal) for string in strings]


def parsed(values: pd.Series, decimal: str) -> pd.Series:
    """The strings of `values` as float64. Raises ColumnError as `numbers` does."""
    strings = as_strings(values)
    distinct = strings.dropna().unique()
    return strings.map(dict(zip(distinct, numbers(distinct, decimal), strict=True))).astype("float64")


def as_strings(values: pd.Series) -> pd.Series:
    """The values as strings, gaps as None."""
    return values.astype("object").where(values.notna(), None).map(str, na_action="ignore")


def _match(string: str, decimal: str) -> re.Match[str] | None:
    return _PATTERNS[decimal].fullmatch(_with_minus(string))


def _with_minus(string: str) -> str:
    """A number in brackets with a minus, as accountants mean it. A pattern would be quadratic in a long cell."""
    before, opened, rest = string.partition("(")
    inside, closed, after = rest.rpartition(")")
    return f"{before.rstrip()}-{inside}{after.lstrip()}" if opened and closed and "\n" not in inside else string


def value(string: str, decimal: str) -> float | None:
    """The number that a string is with this decimal mark; None if it is none."""
    match = _match(string, decimal)
    if match is None:
        return None
    digits = re.sub(rf"[{'.' if decimal == 'comma' else ','}'’{_SPACE}]", "", match["number"]).replace(",", ".")
    return -float(digits) if re.search("[-\N{MINUS SIGN}]", match["before"]) else float(digits)


def _number(string: str, decimal: str) -> float:
    number = value(string, decimal)
    if number is None:
        raise ColumnError(
            f"has the value {string!r}, which is no number with a decimal {decimal}; add it to data.missing, or set "
            "another kind"
        )
    return number


def sign_of(string: str) -> str:
    """The currency or percent sign of a number, empty if it has none."""
    match = next(found for mark in _MARKS if (found := _match(string, mark)))
    return f"{match['left'] or ''}{match['right'] or ''}"
