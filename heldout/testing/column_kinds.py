"""The contract of every kind of columns that a package of others adds, on its example and on strings that are none."""

from collections.abc import Callable

import numpy as np

from heldout.extensions import plain
from heldout.rows.column_kind import ColumnKind
from heldout.rows.foreign_kinds import KINDS, why_not
from heldout.testing.law import keep, require

_WORDS = ("red", "green", "north west", "Zürich", "a_b")
_JUNK = ("", " ", "?", "-", "n/a", "NA", "nan", "None", "inf", *_WORDS)
_NUMBERS = ("1", "2.5", "-3", "0", "1e4", "12", "2024")


def check_column_kind(kind: ColumnKind) -> None:
    """Try every law of a kind of columns.

    Parameters
    ----------
    kind : ColumnKind
        The kind.

    Raises
    ------
    AssertionError
        For a law that is broken: it names the law, the kind, and what was seen.
    """
    keep(LAWS, kind)


def its_name_is_a_word_that_no_other_kind_has(kind: ColumnKind) -> None:
    """Neither one of heldout's own, nor one of a package that is allowed."""
    reason = why_not(kind.name)
    require(reason is None, kind.name, f"it {reason}")
    others = [name for name, other in KINDS.items() if other is not kind and plain(name) == plain(kind.name)]
    require(not others, kind.name, "an allowed package has a kind of this name; take another name", f"{others}")


def its_example_is_recognised_and_is_a_finite_number(kind: ColumnKind) -> None:
    """Alone in its column."""
    require(kind.recognises([kind.example]), kind.name, "the example must be recognised", repr(kind.example))
    number = np.asarray(kind.convert([kind.example])).ravel()
    finite = len(number) == 1 and np.isfinite(number.astype(np.float64)).all()
    require(finite, kind.name, "the example must convert to a finite number", f"{kind.example!r} to {number}")


def it_gives_a_number_for_each_string(kind: ColumnKind) -> None:
    """An array of float64, also for no string."""
    for strings in ([], [kind.example], [*_JUNK], [*_JUNK, kind.example, *_NUMBERS]):
        found = kind.convert(strings)
        shaped = isinstance(found, np.ndarray) and found.shape == (len(strings),) and found.dtype == np.float64
        law = "convert must give an array of float64, one for each string"
        require(shaped, kind.name, law, f"{found!r:.80} for {len(strings)} strings")


def what_is_no_string_of_it_is_missing(kind: ColumnKind) -> None:
    """Words, signs for a gap and the empty string are NaN, and nothing is infinite."""
    for string, number in zip(_JUNK, kind.convert([*_JUNK]), strict=True):
        require(np.isnan(number), kind.name, "convert must give NaN for a string that is none", f"{string!r}: {number}")
    found = kind.convert([*_NUMBERS])
    require(not np.isinf(found).any(), kind.name, "convert must give finite numbers, or NaN", f"{found}")


def each_string_is_read_by_itself(kind: ColumnKind) -> None:
    """The same number whatever the others are, their order, and how often it is asked."""
    strings = [*_JUNK, kind.example, *_NUMBERS]
    together, again = kind.convert(strings), kind.convert(strings)
    law = "convert must give the same each time"
    require(np.array_equal(together, again, equal_nan=True), kind.name, law, f"{together} and {again}")
    alone = np.concatenate([kind.convert([string]) for string in strings])
    turned = kind.convert(strings[::-1])[::-1]
    same = np.array_equal(together, alone, equal_nan=True) and np.array_equal(together, turned, equal_nan=True)
    law = "convert must read each string by itself, whatever the others and their order"
    require(same, kind.name, law, f"{together}, {alone} alone, and {turned} the other way round")


def it_recognises_no_other_column(kind: ColumnKind) -> None:
    """Neither words, nor numbers, nor a column without a string."""
    for what, strings in (("words", _WORDS), ("numbers", _NUMBERS), ("whole numbers", ("1", "2", "30")), ("no", ())):
        law = f"recognises must be False for {what if strings else 'no strings'}"
        require(not kind.recognises([*strings]), kind.name, law, f"{strings}")


def it_recognises_the_same_each_time(kind: ColumnKind) -> None:
    """A truth value, whatever the order of the strings."""
    for strings in ([kind.example], [kind.example, *_WORDS], [*_NUMBERS, kind.example]):
        seen = [kind.recognises(each) for each in (strings, strings, strings[::-1])]
        require(all(isinstance(one, bool) for one in seen), kind.name, "recognises must give True or False", f"{seen}")
        law = "recognises must give the same each time, whatever the order of the strings"
        require(len({*seen}) == 1, kind.name, law, f"{seen} for {strings}")


LAWS: tuple[Callable[[ColumnKind], None], ...] = (
    its_name_is_a_word_that_no_other_kind_has,
    its_example_is_recognised_and_is_a_finite_number,
    it_gives_a_number_for_each_string,
    what_is_no_string_of_it_is_missing,
    each_string_is_read_by_itself,
    it_recognises_no_other_column,
    it_recognises_the_same_each_time,
)
