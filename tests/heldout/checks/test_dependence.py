"""Groups and order that change the error are proposed, with both numbers; those that do not are not."""

import numpy as np
import pandas as pd
import pytest

from heldout.checks import cuts, dependence
from heldout.checks.examination import examine
from heldout.checks.row_order import Order
from tasks.data import column_types
from tasks.storage.findings import RecordedFinding


def proposed(frame, target, *, classes):
    columns = column_types.typed(frame)[0]
    features = columns.drop(columns=[name for name in ("No", "when") if name in columns])
    comments, lines, _ = dependence.look(columns, features, pd.Series(target), Order(), classes=classes)
    assert set(comments) == {line.topic for line in lines}
    return {line.topic: RecordedFinding.of(line).line for line in lines}


def patients(rng, count=60, rows=3):
    """Three measurements of each patient, whose state is a coin toss: nothing to learn for new patients."""
    number = np.repeat(np.arange(count), rows)
    state, size = rng.integers(0, 2, count)[number], rng.normal(size=(count, 8))[number]
    frame = pd.DataFrame(size + 0.1 * rng.normal(size=size.shape), columns=[f"f{place}" for place in range(8)])
    return frame, number, state


NAMES = {
    "in blocks, any name": lambda number: 17 * number + 3,
    "strings": lambda number: [f"ward {'AB'[one % 2]} bed {one}" for one in number],
    "with the number of the row": lambda number: [f"P{one:03d}_{row % 3}" for row, one in enumerate(number)],
}


@pytest.mark.parametrize("named", NAMES)
def test_rows_of_a_patient_are_groups_under_any_name(named):
    frame, number, state = patients(np.random.default_rng(0))
    found = proposed(frame.assign(p=NAMES[named](number)), state, classes=True)
    assert ["groups"] == list(found)
    assert found["groups"].startswith("p without its last number" if "row" in named else "p: ")
    assert "data.groups" in found["groups"]


def test_shuffled_patients_are_groups():
    rng = np.random.default_rng(1)
    frame, number, state = patients(rng)
    order = rng.permutation(len(frame))
    found = proposed(frame.assign(p=37 * number % 997).iloc[order].reset_index(drop=True), state[order], classes=True)
    assert ["groups"] == list(found)


def test_batches_that_drift_are_groups_by_errors_inside_and_outside_of_a_batch():
    rng = np.random.default_rng(0)
    batch = np.sort(rng.integers(1, 11, 1500))
    kind = rng.integers(0, 4, 1500)
    gas = 1.5 * rng.normal(size=(4, 8))[kind] + rng.normal(size=(11, 8))[batch] + 0.3 * rng.normal(size=(1500, 8))
    frame = pd.DataFrame(gas, columns=[f"s{place}" for place in range(8)]).assign(batch=batch)
    found = proposed(frame, kind, classes=True)
    assert "groups" in found
    assert found["groups"].startswith("batch: ")


def hours(rng, rows=1500):
    """A slow walk, the calendar of each row, and what else is measured."""
    when = pd.date_range("2026-01-01", periods=rows, freq="h")
    walk = np.cumsum(rng.normal(size=rows))
    frame = pd.DataFrame({"month": when.month, "day": when.day, "hour": when.hour, "wind": rng.normal(size=rows)})
    return frame, when, walk


@pytest.mark.parametrize("column", ["No", "when"])
def test_a_counter_or_a_date_is_the_time_of_a_stream(column):
    frame, when, walk = hours(np.random.default_rng(0))
    found = proposed(frame.assign(**{column: np.arange(1, 1501) if column == "No" else when}), walk, classes=False)
    assert "time" in found
    assert "data.time" in found["time"]


@pytest.mark.parametrize("number", ["rownames", "Unnamed: 0", "row_id"])
def test_the_number_of_the_row_is_no_time_and_the_column_that_is_has_its_place(number):
    """R's write.csv writes rownames, which rise as the year does, in the first column."""
    frame, _, walk = hours(np.random.default_rng(0))
    first = pd.DataFrame({number: np.arange(1, 1501)}).join(frame)
    assert "time" not in proposed(first, walk, classes=False)
    found = proposed(first.assign(elapsed_time=3 * np.arange(1500)), walk, classes=False)
    assert found["time"].startswith("elapsed_time: ")


@pytest.mark.parametrize(("seed", "classes"), [(0, True), (1, False), (2, True)])
def test_honest_columns_are_neither_time_nor_groups(seed, classes):
    rng = np.random.default_rng(seed)
    frame, _, _ = hours(rng, 400)
    frame = frame.assign(No=range(400), age=rng.integers(20, 70, 400), customer=rng.integers(0, 90, 400))
    frame = frame.assign(city=[f"city {number}" for number in rng.integers(0, 40, 400)])
    y = frame["wind"] + 0.05 * frame["age"] + rng.normal(size=400)
    assert {} == proposed(frame, y > y.median() if classes else y, classes=classes)


def test_the_errors_are_those_of_whole_values_and_of_later_rows():
    number = np.repeat(np.arange(50), 4)  # a feature that names the group, and a target that is the group's own
    y = pd.Series(np.random.default_rng(0).normal(size=50)[number])
    features = pd.DataFrame({"x": number + 0.001 * np.random.default_rng(1).normal(size=200)})
    cut = cuts.by_groups(features, y, pd.Series(number), classes=False)
    assert cut.random < 0.1 * cut.constant
    assert cut.along > 0.7 * cut.constant
    assert cut.constant == pytest.approx(y.var(ddof=0))
    late = cuts.forward(features, pd.Series(np.arange(200.0)), pd.Series(range(200)), classes=False)
    assert late.along > 20 * late.random
    assert cut == cuts.by_groups(features, y, pd.Series(number), classes=False)


def test_a_large_table_is_sampled_by_whole_groups_and_by_stretches_of_time():
    rows = np.arange(300_000)
    labels = pd.Series(rows / 1.0)  # which say the row
    *_, kept, _ = cuts.losses_by_groups(pd.DataFrame({"x": rows}), labels, pd.Series(rows // 3), classes=False)
    assert 1900 < len(kept) <= 2000
    sizes = np.unique(kept // 3, return_counts=True)[1]
    assert 3 == np.median(sizes)
    assert (sizes < 3).sum() <= 1  # the last group may be cut
    chunk, kept = cuts._chunks(pd.Series(rows // 2))
    assert 2000 == len(kept)
    assert 40 == chunk.max() + 1
    assert (np.diff(kept)[np.diff(chunk) == 0] == 1).all()


@pytest.mark.parametrize("classes", [True, False])
def test_a_time_that_is_the_only_feature_is_not_tried(classes):
    rng = np.random.default_rng(0)
    level = rng.normal(size=400)
    table = pd.DataFrame(
        {"day": pd.date_range("2026-01-01", periods=400, freq="h"), "y": level > 0 if classes else level}
    )
    found = examine(table[["day"]], table["y"], classes=classes)
    assert ({"day": "date"}, None) == (dict(found.kinds), found.time)
    assert [] == [one for one in found.findings if one.topic == "time"]


@pytest.mark.parametrize("classes", [True, False])
def test_a_label_that_the_rows_of_a_value_share_is_remembered_without_a_loss(classes):
    rng = np.random.default_rng(0)
    value = np.repeat(np.arange(40), 5)
    label = pd.Series((rng.integers(1, 4, 40) if classes else rng.normal(10, 1, 40))[value])
    features = pd.DataFrame({"x": rng.normal(size=200)})
    plain, kept = (
        cuts.losses_by_groups(features, label, pd.Series(value), classes=classes, remembered=remembered)
        for remembered in (False, True)
    )
    known = np.isclose(kept[0], 0, atol=1e-20).all(axis=0)
    assert known.mean() > 0.9  # 5 rows of a value are seldom in one fold
    assert np.array_equal(plain[0][:, ~known], kept[0][:, ~known])
    assert np.array_equal(plain[1], kept[1])  # nothing is known of values that are left out whole
