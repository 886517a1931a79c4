"""Whether the values of a column name something that repeats: a customer, a patient, a machine.

Towns, colours and counts repeat as well, and name no one row's owner: a person decides about these.
"""

import re

import numpy as np
import pandas as pd

_ENTITY = (
    "subj|subject|patient|participant|person|user|account|customer|client|member|player|author|writer|speaker|student"
    "|employee|candidate|applicant|driver|family|household|animal|machine|device|sensor|contract|policy|card"
)
_NAMED = re.compile(
    rf"(?i:(^|[_\W])(id|uid|uuid|guid|{_ENTITY})s?\d*$)|(?i:({_ENTITY})[_\W]?(id|no|nr|num|number|code|key)s?$)|[a-z]I[dD]$"
)
MANY, ROWS_OF_EACH = 20, 50  # values, and the rows that each has at most in the mean
_SPARSE = 100  # whole numbers over so many times as wide a range as there are values
_EVEN, _ERRORS = 0.1, 3.0  # share of a last digit where all ten are alike, and standard errors from it
_DIGIT = r"^\S*\d\S*$"


def is_named(name: str) -> bool:
    """Whether a column is called as what names a person or a thing: customer_id, patientNo, ClientID."""
    return _NAMED.search(name) is not None


def is_code(values: pd.Series) -> bool:
    """Whether the values look like names that somebody gave, without gaps.

    Strings: single words with a digit. Whole numbers: far apart, and no last digit is frequent, as it is among
    measurements, which people round.
    """
    distinct = pd.Series(values.unique())
    if not pd.api.types.is_numeric_dtype(values):
        return bool(distinct.astype(str).str.match(_DIGIT).all())
    numbers = distinct.astype("object")  # beyond 2^53, and differences beyond 2^63
    if int(numbers.max()) - int(numbers.min()) < _SPARSE * len(numbers):
        return False
    limit = _EVEN + _ERRORS * np.sqrt(_EVEN * (1 - _EVEN) / len(numbers))
    return all(
        float(np.bincount((part.abs() % 10).astype(np.int64)).max()) <= limit * len(part) for part in (distinct, values)
    )


def repeats(name: str, values: pd.Series) -> bool:
    """Whether the column names things of a few rows each: many of them, by its name or by its values."""
    distinct = values.nunique()
    return distinct >= MANY and len(values) <= ROWS_OF_EACH * distinct and (is_named(name) or is_code(values))
