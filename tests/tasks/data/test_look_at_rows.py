"""What a run finds in its rows by itself: next to what `init` found, and not twice."""

import json

import numpy as np
import pandas as pd
import pytest

from tasks.data import look_at_rows
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.params import load
from tasks.storage import findings
from tasks.storage.findings import BY_THE_RUN, Found, RecordedFinding

RNG = np.random.default_rng(0)
LEAK = RecordedFinding("leak", "fee: gives it away", columns=("fee",), severity="stop", code="HLD001")


@pytest.fixture
def settings_of(tmp_path, monkeypatch):
    """Settings of a table whose column `fee` gives the target away."""
    monkeypatch.chdir(tmp_path)
    y = RNG.integers(2, size=400)
    pd.DataFrame({"a": RNG.normal(size=400), "fee": 5.0 * y, "y": y}).to_csv("rows.csv", index=False)

    def settings(**keys):
        data = {"source": "rows.csv", "target": "y", **keys.pop("data", {})}
        text = {"data": data, "candidates": [{"name": "b", "estimator": "sklearn.naive_bayes.GaussianNB"}], **keys}
        (tmp_path / "params.yaml").write_text(json.dumps(text))
        return load(tmp_path / "params.yaml")

    return settings


def test_a_run_without_init_finds_the_leak_and_asks_for_a_key(settings_of):
    settings = settings_of()
    [one] = look_at_rows.look(prepare(settings), settings, Found()).findings
    assert ("HLD001", ("fee",), "stop", BY_THE_RUN) == (one.code, one.columns, one.severity, one.done)
    assert one.open
    assert "data.known_after: [fee]" in one.decide
    settings = settings_of(data={"known_after": ["fee"]})
    assert () == look_at_rows.look(prepare(settings), settings, Found()).findings


@pytest.mark.parametrize(
    ("known", "count"),
    [
        (LEAK, 1),
        (LEAK.model_copy(update={"decided": "it is known before"}), 1),
        (LEAK.model_copy(update={"code": ""}), 1),  # of an earlier version
        (LEAK.model_copy(update={"severity": "note"}), 2),  # init left it out, and somebody took it back
        (LEAK.model_copy(update={"columns": ("a",)}), 2),
    ],
)
def test_what_the_file_asks_about_is_not_asked_again(settings_of, known, count):
    settings = settings_of()
    assert count == len(look_at_rows.look(prepare(settings), settings, Found((known,))).findings)


def test_a_muted_check_is_shown_as_decided(settings_of):
    settings = settings_of(muted_checks=["HLD001"])
    prepared = prepare(settings)
    write_prepared(prepared, look_at_rows.look(prepared, settings, Found()))
    assert [True] == [one.open for one in findings.read_applied().findings]
    [one] = findings.read_applied(settings.muted_checks).findings
    assert "muted_checks in params.yaml has HLD001" == one.decided
