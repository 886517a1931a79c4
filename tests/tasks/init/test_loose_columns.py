"""init keeps a column that is mostly numbers: it says what it read, and params.yaml says it to every later run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from tasks.data.prepare_tables import prepare
from tasks.init import profile, start
from tasks.params import load
from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands, findings

ROWS = 400


@pytest.fixture(autouse=True)
def without_dvc(monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)


def houses(odd=(), form="{}"):
    """Prices that follow an area with a tenth of a foot; the first areas are `odd`."""
    rng = np.random.default_rng(0)
    area = rng.uniform(500, 3000, ROWS).round(1)
    price = (area * 3 + rng.normal(0, 900, ROWS)).round(2)
    strings = [*odd, *map(form.format, area[len(odd) :])]
    return pd.DataFrame({"area": strings, "rooms": rng.integers(1, 6, ROWS), "price": price})


def begin(frame, path="t.csv"):
    frame.to_csv(path, index=False)
    return start.initialize(path, "price", None, Path.cwd())


def test_a_column_that_is_mostly_numbers_stays_and_every_run_reads_the_same(shipped):
    lines = begin(houses(["2100 - 2850", "2100 - 2850", "900 to 1100", "34.46Sq. Meter", "on request"]))
    said = "parsed    area: 5 of 400 values are no numbers, such as '2100 - 2850'; ranges are read as their middle, "
    assert [f"{said}2 others are missing; numeric in data.columns"] == [one for one in lines if "area:" in one]
    assert {"area": "numeric"} == yaml.safe_load(Path("params.yaml").read_text())["data"]["columns"]
    area = prepare(load("params.yaml", ["split.test_fraction=0"])).labeled["area"]
    assert ([2475, 2475, 1000], 2) == (area[:3].tolist(), area.isna().sum())
    with pytest.raises(UserError, match="area.*data.columns to numeric"):
        prepare(load("params.yaml", ["data.columns=null"]))
    assert any("5 of 400" in finding.text for finding in findings.read(load("params.yaml")).findings)


def test_a_unit_in_every_value_is_left_out(shipped):
    lines = begin(houses(form="{} sqft"))
    assert any(line.startswith("parsed    area: ") and "sqft" in line for line in lines)
    plain = houses().assign(area=lambda frame: frame["area"].astype("float64"))
    made = prepare(load("params.yaml", ["split.test_fraction=0"])).labeled
    np.testing.assert_array_equal(plain["area"], made["area"])


def test_the_share_of_numbers_decides_at_nine_tenths():
    for odd, kept in ((40, True), (41, False)):
        found = profile.look(houses([f"about {row}" for row in range(odd)]), "price")
        assert kept == ("area" in found.kinds)
        assert kept == ("area" in found.read_as)
    (dropped,) = found.dropped
    assert "data.columns to numeric" in dropped.why


HONEST = {
    "few sizes": ["1", "2", "3", "5 or more"],
    "years of school": ["9th", "10th", "11th", "1st-4th", "Bachelors"],
    "ranges of age": ["18-25", "26-35", "36-50", "51+"],
    "grades": ["1A", "2A", "1B", "2B"],
    "models": ["A4", "A6", "Q5"],
    "addresses": [f"{number} {street} Street" for number in range(40) for street in ("Main", "High", "Mill")],
    "sizes in words": ["10 kg", "20 kg", "n/a"],
    "codes with a letter": [f"{number:05d}A" for number in range(300)],
}


@pytest.mark.parametrize("strings", HONEST.values(), ids=HONEST)
def test_honest_strings_stay_strings(strings):
    column = np.resize(np.array(strings, dtype=object), ROWS)
    found = profile.look(houses().assign(word=np.random.default_rng(1).permutation(column)), "price")
    assert "word" not in found.read_as
    assert not [one for one in found.findings if "word" in one.text and one.topic == "parsed"]


def test_a_set_that_is_one_string_among_numbers_is_still_a_gap_but_a_single_range_is_its_middle():
    assert (("?",), {}) == _found(["?"] * 3)
    assert ((), {"area": "numeric"}) == _found(["10-20"])


def _found(odd):
    found = profile.look(houses(odd), "price")
    return found.missing, dict(found.read_as)
