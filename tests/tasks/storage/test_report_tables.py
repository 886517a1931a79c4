"""A column of a table is read as words or as numbers wherever it stands: by its name alone."""

import dataclasses
import inspect

from heldout import records
from tasks.storage.report_tables import _TEXTS


def test_no_record_has_numbers_under_the_name_of_words():
    kinds = [kind for _, kind in inspect.getmembers(records, dataclasses.is_dataclass)]
    of_numbers = (float, int, float | None, int | None)
    numbers = {one.name for kind in kinds for one in dataclasses.fields(kind) if one.type in of_numbers}
    assert {"value", "low", "rows", "predicted"} <= numbers
    assert set() == numbers & {*_TEXTS}
