"""The checks of a table: the code and the sentence of each, and which of them somebody muted.

This is the one list: `heldout.audit`, verdicts of `heldout.validate` and of a run, and `init` say its codes, and
docs/checks.md has a paragraph about each.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from heldout.errors import BadArgument

PAGE = "docs/checks.md"
MUTED = "muted_checks"  # the argument of functions, and the key of params.yaml


@dataclass(frozen=True)
class Check:
    """A code, and what it says in a sentence; `doubts` is whether a finding of it can hold back a verdict."""

    code: str
    sentence: str
    doubts: bool = True


ALONE = Check("HLD001", "A column alone gives the target away.")
TOGETHER = Check("HLD002", "Columns give the target away together: as a sum, product or difference, or as its classes.")
TEXT = Check("HLD003", "A text or an identifier gives the target away.")
GAPS = Check("HLD004", "Whether a value is missing gives the target away.")
UNLABELED = Check("HLD005", "Unlabelled rows lack a column, or fill it in another share of the rows.")
GROUPS = Check("HLD006", "Rows of one value are alike, and random parts put them on both sides.")
TIME = Check("HLD007", "A learner errs more on later rows than on rows at random.")
ORDER = Check("HLD008", "Neighbouring rows are alike, and no column says why.")
TWICE = Check("HLD009", "Rows were recorded twice.")
OUTLIERS = Check("HLD010", "A few values of the target rule the squared error.")
WHOLE_NUMBERS = Check("HLD011", "Whole numbers are taken as classes, and may be numbers.")
RARE_CLASS = Check("HLD012", "One of two classes is rare, so a constant answer errs little.", doubts=False)
SENTINELS = Check("HLD013", "A number far from all others may stand for a gap.", doubts=False)
EQUAL_ROWS = Check("HLD014", "Rows repeat, or repeat the features of another row.", doubts=False)
MISSING = Check("HLD015", "Columns have gaps, or values that may be gaps.", doubts=False)
STRONGEST = Check("HLD016", "The columns that alone say most about the target.", doubts=False)

CHECKS: tuple[Check, ...] = (
    *(ALONE, TOGETHER, TEXT, GAPS, UNLABELED, GROUPS, TIME, ORDER, TWICE, OUTLIERS, WHOLE_NUMBERS),
    *(RARE_CLASS, SENTINELS, EQUAL_ROWS, MISSING, STRONGEST),
)
CODES: tuple[str, ...] = tuple(check.code for check in CHECKS)
NOTES: frozenset[str] = frozenset(check.code for check in CHECKS if not check.doubts)
OF_DEPENDENCE: frozenset[str] = frozenset(check.code for check in (GROUPS, TIME, ORDER, TWICE))


def muted(codes: Any) -> frozenset[str]:
    """The codes that somebody muted. Raises BadArgument for one that is not known, and for what is no list."""
    if isinstance(codes, str) or not isinstance(codes, Collection):
        raise BadArgument(MUTED, f"{MUTED} is {codes!r}; it must be a list of codes, as [{ALONE.code!r}]")
    for code in codes:
        if code not in CODES:
            raise BadArgument(MUTED, f"{MUTED} has {code!r}; choose among {CODES[0]} to {CODES[-1]} ({PAGE})")
    return frozenset(codes)


def with_code(code: str, text: str) -> str:
    """The text of a finding, after its code where it has one."""
    return f"{code} {text}" if code else text


def page_of(codes: Sequence[str]) -> str:
    """Where the checks are explained, and how to mute them."""
    named = ", ".join(repr(code) for code in dict.fromkeys(codes))
    return f"{PAGE}; {MUTED}=[{named}] mutes {'it' if len({*codes}) == 1 else 'them'}"
