"""Strings of which most are numbers in one form: these are read, a range as its middle, and the rest is missing.

The form is the decimal mark and the unit that the numbers share: a currency, a percent sign, or words as in '4.02 bar'.
It is kept as text, such as "point|bar", so that every shard is read as the labelled rows are.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from tasks.data import number_strings
from tasks.data.dates import ColumnError
from tasks.params.sections import Decimal

MOST, HALF = 0.9, 0.5  # of the present values: what `init` proposes, what `data.columns` may ask for
_LONGEST = 40  # letters
_SAMPLE = 10_000  # values
_BAR = "|"
_MARKS: tuple[Decimal, Decimal] = ("point", "comma")
_SIGNS = {"point": ".", "comma": ","}
_ENDS = re.compile(r"\s*(.+?)\s*(?:[-–—~]|\bto\b)\s*(.+?)\s*")
_WORD = r"[^\W\d_][^\d\s]*"
_WITH_UNIT = re.compile(rf"\s*(.*?[0-9][.,]?)\s*([°º]?{_WORD}(?: {_WORD})?[23]?)\s*")
_Parts = tuple[tuple[str, ...], str]  # the number, or both ends of a range, and the unit


@dataclass(frozen=True)
class Tally:
    """How many values are present, how many of them are no number in the form, and how many of these are ranges.

    `example` is the most frequent of the values that are no number, `unit` that of the form.
    """

    present: int
    others: int = 0
    ranges: int = 0
    example: str = ""
    unit: str = ""

    def sentence(self, name: str) -> str:
        """What was read of the column `name`, and what was not."""
        unit = f" in {self.unit}" if self.unit else ""
        found = f"{name}: {self.others:,} of {self.present:,} values are no numbers{unit}, such as {self.example!r}"
        missing = self.others - self.ranges
        if not self.ranges:
            return f"{found}; {'it is' if missing == 1 else 'they are'} missing"
        rest = f", {missing:,} {'other is' if missing == 1 else 'others are'} missing" if missing else ""
        return f"{found}; ranges are read as their middle{rest}"


def is_loose(form: str | None) -> bool:
    """Whether a format is that of a column whose other strings are missing."""
    return form is not None and _BAR in form


def unit_of(form: str) -> str:
    """The unit of a form, empty if its numbers have none."""
    return form.partition(_BAR)[2]


def is_range(string: str) -> bool:
    """Whether a string is two numbers with a line or `to` between them, as '10 - 20'."""
    parts = _parts(string)
    return parts is not None and len(parts[0]) == 2


def form_of(values: pd.Series, wanted: Decimal | None, least: float) -> str | None:
    """The form of at least the share `least`, and of more than half, of the values; None if there is none, or of codes.

    Of many values a sample decides. Raises ColumnError where the decimal mark is open, and not `wanted`.
    """
    present_values = values.dropna()
    counts = _counts(
        present_values.sample(_SAMPLE, random_state=0) if len(present_values) > _SAMPLE else present_values
    )
    units: Counter[str] = Counter()
    numbers: dict[str, Counter[str]] = {}
    for string, count in counts.items():
        parts = _parts(string)
        if parts is not None and len(parts[0]) == 1:
            units[parts[1]] += count
            numbers.setdefault(parts[1], Counter())[parts[0][0]] += count
    present = sum(counts.values())
    unit = max(units, key=lambda one: (units[one], one), default="")
    if units[unit] <= HALF * present or units[unit] < least * present:
        return None
    decimal = _decimal(numbers[unit], wanted, least * present)
    return None if decimal is None else f"{decimal}{_BAR}{unit}"


def parsed(values: pd.Series, form: str) -> pd.Series:
    """The values as float64, missing where a string is neither a number in `form` nor a range of two.

    Raises ColumnError where this is more than half of the present values: they are of another kind, or in another form.
    """
    strings = number_strings.as_strings(values)
    read = _quickly(strings.dropna().unique(), form)
    numbers = strings.map(read).astype("float64")
    lost = strings[strings.notna() & numbers.isna()]
    if len(lost) > HALF * strings.notna().sum():
        unit = f" in {unit_of(form)}" if unit_of(form) else ""
        raise ColumnError(
            f"has {len(lost)} of {int(strings.notna().sum())} values that are no numbers{unit}, such as "
            f"{lost.iloc[0]!r}; at most half may be: write them as the others, or set its kind in data.columns to "
            "category or text"
        )
    return numbers


def tally(values: pd.Series, form: str) -> Tally:
    """What of `values` is no number in `form`."""
    counts = _counts(values)
    quick = _quick(form)
    others = {
        string: count for string, count in counts.items() if not (quick.fullmatch(string) or _is_number(string, form))
    }
    example = min(others, key=lambda string: (-others[string], string), default="")
    ranges = sum(count for string, count in others.items() if _number(string, form) is not None)
    return Tally(sum(counts.values()), sum(others.values()), ranges, example, unit_of(form))


def _counts(values: pd.Series) -> dict[str, int]:
    strings = number_strings.as_strings(values).dropna()
    return {str(string): int(count) for string, count in strings.value_counts(sort=False).items()}


def _decimal(numbers: Mapping[str, int], wanted: Decimal | None, least: float) -> Decimal | None:
    """The decimal mark of the strings of `numbers`, or the one that reads at least `least` of the counted values."""
    strings = list(numbers)
    if all(string.isdecimal() for string in strings):
        codes = any(len(string) > 1 and string.startswith("0") for string in strings)
        return None if codes else wanted or "point"
    common = number_strings.decimal_of(strings, wanted)
    if common is not None:
        return common
    read = {
        mark: sum(count for string, count in numbers.items() if number_strings.value(string, mark) is not None)
        for mark in _MARKS
    }
    best = max(_MARKS, key=lambda mark: read[mark])
    return best if read[best] >= least else None


def _quick(form: str) -> re.Pattern[str]:
    """The usual way to write a number in `form`, which most strings have: `_number` reads all others."""
    decimal, _, unit = form.partition(_BAR)
    after = rf"\s*{re.escape(unit)}" if unit[:1].isalpha() else ""
    return re.compile(rf"([-+]?[0-9]+(?:{re.escape(_SIGNS[decimal])}[0-9]+)?){after}" if after or not unit else r"(?!)")


def _quickly(strings: Iterable[str], form: str) -> dict[str, float | None]:
    """`_number` of each string, in a tenth of the time."""
    quick, read = _quick(form), {}
    for string in strings:
        match = quick.fullmatch(string)
        read[string] = _number(string, form) if match is None else float(match[1].replace(",", "."))
    return read


def _is_number(string: str, form: str) -> bool:
    parts = _parts(string)
    return parts is not None and len(parts[0]) == 1 and _number(string, form) is not None


def _number(string: str, form: str) -> float | None:
    decimal, _, unit = form.partition(_BAR)
    parts = _parts(string)
    if parts is None or parts[1] != unit:
        return None
    numbers = [number_strings.value(one, decimal) for one in parts[0]]
    least, most = numbers[0], numbers[-1]
    if least is None or most is None or least > most:
        return None
    return least if len(numbers) == 1 else (least + most) / 2


def _parts(string: str) -> _Parts | None:
    """The number that a string is, or the ends of the range, and their unit; None if it is neither."""
    if len(string) > _LONGEST:
        return None
    single = _plain(string)
    if single is not None:
        return single
    ends = _ENDS.fullmatch(string)
    if ends is not None:
        low, high = (_single(end) for end in ends.groups())
        if low is not None and high is not None:
            units = {low[1], high[1]} - {""}
            return ((*low[0], *high[0]), "".join(units)) if len(units) < 2 else None
    return _single(string)


def _single(string: str) -> _Parts | None:
    plain = _plain(string)
    match = None if plain is not None else _WITH_UNIT.fullmatch(string)
    if match is None:
        return plain
    number = _plain(match[1])
    return (number[0], _unit(match[2])) if number is not None and number[1] == "" else None


def _plain(string: str) -> _Parts | None:
    """A number without words."""
    return ((string,), number_strings.sign_of(string)) if number_strings.looks_like_a_number(string) else None


def _unit(words: str) -> str:
    """A unit in the singular: '1 year' and '2 years' have the same; kW and kw do not."""
    bare = words.strip(" .")
    return bare[:-1] if len(bare) > 2 and bare.endswith("s") else bare
