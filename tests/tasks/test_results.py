"""data/results: every loss stands beside the candidate, the unit and the row that it belongs to."""

import numpy as np
import pandas as pd
import pytest

from heldout import covalidation, cross_validation, holdout, progressive
from tasks import files, results
from tasks.fit import Finished

BLOCK = 7  # 30 steps: four blocks of 7 and one of 2


def finished(splits, candidate: int) -> Finished:
    """Losses that tell where they come from: a million a candidate, a thousand a split, one a row."""
    losses = tuple(1e6 * candidate + 1e3 * number + split.validation for number, split in enumerate(splits))
    count = len(losses)
    return Finished(("",) * count, losses, tuple(candidate + number / count for number in range(count)))


def told(splits) -> dict[str, Finished]:
    return {"second": finished(splits, 2), "first": finished(splits, 1)}


def lines(scheme: str, table: str = "losses") -> list[tuple]:
    frame = files.read_result(scheme, table)
    assert ["candidate", "unit", "row", "loss"] == list(frame.columns)
    return list(frame.itertuples(index=False, name=None))


def expected(units, unit_of=lambda number, row: number) -> list[tuple]:
    return [
        (name, unit_of(number, row), row, 1e6 * candidate + 1e3 * number + row)
        for name, candidate in (("second", 2), ("first", 1))
        for number, row in units
    ]


def test_the_holdout_tells_the_rows_held_out_and_all_rows(prepared):
    validation = files.read_partition().validation
    held_out, final = told([holdout.split(validation)]), told([holdout.final_split(60)])
    results.write_holdout(held_out, final, {"third": "no"})
    assert expected([(0, row) for row in np.flatnonzero(validation)]) == lines("holdout")
    assert expected([(0, row) for row in range(60)]) == lines("holdout", "in_sample")
    assert {"third": "no"} == files.read_failures("holdout")


def test_cross_validation_tells_each_row_once_and_its_fold(prepared):
    fold = files.read_partition().fold
    results.write_cross_validation(told(cross_validation.splits(fold)), {})
    in_order = [(number, row) for number in range(5) for row in np.flatnonzero(fold == number)]
    assert expected(in_order) == lines("cross_validation")


def test_progressive_validation_tells_each_tested_row_in_the_order_of_its_step(prepared):
    step = files.read_partition().step
    results.write_progressive(told(progressive.splits(step, BLOCK)), {}, BLOCK)
    in_order = [(position // BLOCK, np.flatnonzero(step == position)[0]) for position in range(30)]
    assert expected(in_order, lambda _, row: step[row]) == lines("progressive")


def test_covalidation_tells_each_row_once_a_repeat_by_the_half_that_did_not_see_it(prepared):
    halves = files.read_halves()
    splits = [split for half in halves for split in covalidation.splits(half)]
    disagreement = pd.DataFrame({"candidate": ["first"], "shard": 0, "repeat": 0, "rows": 4, "disagreement": 0.5})
    results.write_covalidation(told(splits), disagreement, {})
    # hypothesis 2 r + h is trained on half h, so that it tests the rows of the other half
    in_order = [(2 * repeat + 1 - halves[repeat, row], row) for repeat in range(3) for row in range(60)]
    assert expected(in_order, lambda number, _: number // 2) == lines("covalidation")
    training = files.read_result("covalidation", "training")
    assert ["candidate", "repeat", "half", "error"] == list(training.columns)
    assert [("second", 0, 0, 2.0), ("second", 0, 1, pytest.approx(2 + 1 / 6))] == [*training.itertuples(False, None)][
        :2
    ]
    assert [(repeat, half) for repeat in range(3) for half in (0, 1)] * 2 == list(
        zip(training["repeat"], training["half"], strict=True)
    )
    pd.testing.assert_frame_equal(disagreement, files.read_result("covalidation", "disagreement"))
