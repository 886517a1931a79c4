"""losses.parquet: every loss has its candidate, its unit and its row."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from heldout.schemes.design import Evidence
from heldout.splits.weights import Weights
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.outcome import loss_lines as module
from tasks.outcome.loss_lines import loss_lines
from tasks.plans.read_design import read_design
from tasks.storage import files

BLOCK = 7  # 30 steps: four blocks of 7 and one of 2
SCHEMES = ("holdout", "cross_validation", "progressive", "covalidation")


def marks(rows, candidate: int, number: int) -> np.ndarray:
    """Losses that show where they come from: a million a candidate, a thousand a split, one a row."""
    return 1e6 * candidate + 1e3 * number + rows


@pytest.fixture
def result(prepared):
    """The marks of two candidates over rows.csv."""
    design = read_design(prepared(f"progressive.block={BLOCK}", "intervals.E_cv=bayle within"))
    schemes = {scheme: list(enumerate(design.splits(scheme))) for scheme in SCHEMES}
    evidence = {
        name: Evidence({of: [marks(split.validation, place, n) for n, split in some] for of, some in schemes.items()})
        for name, place in (("second", 2), ("first", 1))
    }
    return SimpleNamespace(design=design, evidence=evidence)


def split_of(number, _):
    return number


def expected(units, unit_of):
    return [
        (name, unit_of(number, row), row, 1e6 * candidate + 1e3 * number + row)
        for name, candidate in (("second", 2), ("first", 1))
        for number, row in units
    ]


def test_each_scheme_has_its_lines_in_order(result):
    lines = pd.concat(loss_lines(result))
    assert ["candidate", "scheme", "unit", "row", "loss"] == [*lines]
    partition, halves = files.read_partition(), files.read_halves()
    units = {
        "holdout": ([(0, row) for row in np.flatnonzero(partition.validation)], split_of),
        "cross_validation": ([(n, row) for n in range(5) for row in np.flatnonzero(partition.fold == n)], split_of),
        "progressive": (
            [(place // BLOCK, np.flatnonzero(partition.step == place)[0]) for place in range(30)],
            lambda _, row: partition.step[row],
        ),
        # hypothesis 2 r + h is trained on half h, so that it tests the rows of the other half
        "covalidation": (
            [(2 * repeat + 1 - halves[repeat, row], row) for repeat in range(3) for row in range(60)],
            lambda number, _: number // 2,
        ),
    }
    assert [*SCHEMES] == [*lines["scheme"].unique()]
    for scheme, (some, unit_of) in units.items():
        own = lines[lines["scheme"] == scheme].drop(columns="scheme")
        assert expected(some, unit_of) == list(own.itertuples(index=False, name=None))


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_pieces_are_no_longer_than_asked_and_are_the_whole(result, monkeypatch, at_once):
    whole = pd.concat(loss_lines(result), ignore_index=True)
    monkeypatch.setattr(module, "_LINES_AT_ONCE", at_once)
    pieces = [*loss_lines(result)]
    assert at_once >= max(map(len, pieces))
    pd.testing.assert_frame_equal(whole, pd.concat(pieces, ignore_index=True), check_exact=True)


def test_rows_with_weights_have_them_next_to_their_losses(result, tmp_path):
    values = 1.0 + np.arange(60) % 4
    result.design = replace(result.design, weights=Weights.of(values))
    files.write_losses(loss_lines(result))
    losses = pd.read_parquet(files.LOSSES)
    assert ["candidate", "scheme", "unit", "row", "loss", "weight"] == [*losses]
    assert values[losses["row"]].tolist() == losses["weight"].tolist()


def test_rows_in_time_test_no_half_model(rows, settings_of_rows):
    settings = settings_of_rows("data.time=id", "split.stratify=null")
    write_prepared(prepare(settings))
    design = read_design(settings)
    of = {"covalidation": [np.empty(0) for _ in design.splits("covalidation")]}
    assert [] == [*loss_lines(SimpleNamespace(design=design, evidence={"a": Evidence(of)}))]
