"""init over random tables: its params.yaml loads and prepares, what is planted is found, a refusal changes nothing."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.data import prepare_tables
from tasks.init import init, profile, propose_params
from tasks.params import load
from tasks.plans import budget
from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands
from tests.tasks.mistakes import assert_names

TARGETS = ("two", "many", "rare", "numbers", "truth", "gaps")
# the folder is cleared by each example
few = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def table_of(rng, rows, target):
    kinds = {
        "two": rng.choice(["won", "lost"], rows),
        "many": rng.choice(list("abcdefg"), rows),
        "rare": np.where(np.arange(rows) < 2, "rare", "often"),
        "numbers": rng.normal(size=rows),
        "truth": rng.random(rows) < 0.5,
        "gaps": np.where(rng.random(rows) < 0.2, None, rng.choice(["x", "y"], rows)),
    }
    words = ["red", "green", "fast", "slow", "house", "tree"]
    return pd.DataFrame(
        {
            "id": range(rows),
            "x": rng.normal(size=rows),
            "kind": rng.choice(["a", "b", None], rows),
            "day": pd.date_range("2026-01-01", periods=rows).strftime("%Y-%m-%d"),
            "note": [" ".join(rng.choice(words, 8)) for _ in range(rows)],
            "same": 1,
            "empty": None,
            "label": kinds[target],
        }
    )


def written(path="params.yaml"):
    return yaml.safe_load(Path(path).read_text())


def begin(path="given/t.csv", target="label", unlabeled=None):
    return init.initialize(str(path), target, unlabeled, Path.cwd())


def given_csv(frame, path="given/t.csv"):
    Path(path).parent.mkdir(exist_ok=True)
    frame.to_csv(path, index=False)


def tree():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def progressive_fits(labeled, progressive):
    return math.ceil(round(labeled * progressive.tested_fraction) / progressive.block)


@few
@given(
    st.sampled_from(TARGETS),
    st.integers(30, 200),
    st.sets(st.sampled_from(["note", "day", "kind"])),
    st.integers(0, 2**32 - 1),
)
def test_what_init_writes_is_loaded_and_prepared(target, rows, without, seed):
    frame = table_of(np.random.default_rng(seed), rows, target).drop(columns=list(without))
    if frame["label"].nunique() < 2:
        return
    Path("data/raw").mkdir(parents=True, exist_ok=True)
    given_csv(frame, "data/raw/t.csv")
    begin("data/raw/t.csv")
    settings = load("params.yaml")
    prepared = prepare_tables.prepare(settings)
    assert {"id", "same", "empty"} <= set(settings.data.drop)
    assert not {"x", "kind", "day", "note"} & set(settings.data.drop)
    assert settings.split.test_fraction > 0
    assert 3 <= len(settings.candidates) <= 5
    assert prepared.test is not None
    assert progressive_fits(len(prepared.labeled), settings.progressive) <= 20


def test_it_says_what_it_found_and_writes_the_same_beside_the_columns():
    given_csv(table_of(np.random.default_rng(0), 120, "two").assign(told=lambda table: table["label"]))
    said = begin()
    dropped = dict(line.removeprefix("dropped   ").split(": ", 1) for line in said if line.startswith("dropped"))
    assert {"id", "same", "empty", "told"} == set(dropped) == set(written()["data"]["drop"])
    assert "leak: it alone predicts the target with an error of 0 %" in dropped["told"]
    for name, reason in dropped.items():
        assert f"- {name}  # {reason}\n" in Path("params.yaml").read_text()
    assert any(re.match(r"target    label: 2 classes: (won|lost) \d\d.*%", line) for line in said)


def test_copies_gaps_and_markers_are_told():
    frame = table_of(np.random.default_rng(0), 100, "two").drop(columns="id").assign(kind="?", n=range(1, 101))
    frame["n"] = [str(value**2) if value % 9 else "?" for value in frame["n"]]
    frame["kind"] = ["?" if row % 3 else "b" for row in range(100)]
    frame["day"] = frame["note"] = "q"
    given_csv(pd.concat([frame, frame.iloc[:7]]))
    said = "\n".join(begin())
    assert "7 rows repeat an earlier row exactly" in said
    assert "'?' among numbers means missing" in said
    assert ["?"] == written()["data"]["missing"]
    assert "1 columns have gaps: " not in said.replace("kind", "")  # kind is read with the same marker


def test_the_old_parameters_are_kept_each_under_a_name_of_its_own(shipped):
    given_csv(table_of(np.random.default_rng(0), 80, "two"))
    Path("params.yaml").write_text(shipped.read_text().replace("workers: 2", "workers: 1"))
    first = Path("params.yaml").read_text()
    begin()
    second = Path("params.yaml").read_text()
    assert first == Path("params.yaml.old").read_text()
    assert 1 == written()["execution"]["workers"]  # a setting of the user's that no table decides
    begin()
    assert not Path("params.yaml.old.2").exists()  # nothing new, nothing to keep
    begin(target="kind")
    assert second == Path("params.yaml.old.2").read_text()
    assert first == Path("params.yaml.old").read_text()


def test_a_path_outside_is_copied_below_data_raw_and_read_from_there(checkout, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "mine.parquet"
    frame = table_of(np.random.default_rng(0), 80, "numbers").drop(columns="empty")
    frame.to_parquet(outside)
    frame.iloc[:5].to_parquet(outside.with_name("more.parquet"))
    said = begin(outside)
    assert "data/raw/mine.parquet" == written()["data"]["source"]
    assert outside.read_bytes() == Path("data/raw/mine.parquet").read_bytes()
    assert "next to   more.parquet has the same columns, and is not used" in said


def test_folders_of_parts_and_of_shards_are_copied_whole():
    frame = table_of(np.random.default_rng(0), 90, "two").drop(columns="empty")
    for folder, parts in (("table", [frame[:50], frame[50:]]), ("more", [frame.drop(columns="label")])):
        Path(folder).mkdir()
        for number, part in enumerate(parts):
            part.to_parquet(f"{folder}/{number}.parquet")
    begin("table", unlabeled="more")
    assert ("data/raw/table", "data/raw/more") == (written()["data"]["source"], written()["data"]["unlabeled"])
    assert 90 == len(pd.read_parquet("data/raw/table"))
    begin("table", unlabeled="more/*.parquet")
    assert 1 == len(list(Path(written()["data"]["unlabeled"]).glob("*.parquet")))


def test_a_set_of_scikit_learn_is_named_and_not_copied():
    begin("sklearn:iris", target="target")
    assert "sklearn:iris" == written()["data"]["source"]
    assert not Path("data").exists()


def test_rows_of_a_stream_are_split_in_their_order():
    frame = table_of(np.random.default_rng(0), 400, "two").assign(label=lambda table: (table["id"] // 13) % 2)
    given_csv(frame)
    begin()
    assert "day" == written()["data"]["time"]


def test_a_time_that_prepare_refuses_is_told_and_not_used():
    days = pd.date_range("2026-01-01", periods=400).strftime("%d.%m.%Y")
    x = np.random.default_rng(0).normal(size=400)
    given_csv(pd.DataFrame({"day": days, "x": x, "label": np.arange(400) // 20 % 2}))
    assert any(line.startswith("plan      changed, since `prepare` refuses the first plan: ") for line in begin())
    assert None is written()["data"]["time"]


def large(rows):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 3))
    given_csv(pd.DataFrame(x, columns=list("xyz")).assign(label=(x[:, 0] + rng.normal(size=rows) > 0).astype(int)))


def planned(said):
    return [line.removeprefix("plan      ") for line in said if line.startswith("plan ")]


def test_a_large_table_keeps_every_label_and_the_most_fits_if_the_budget_is_null(shipped):
    large(9000)
    Path("params.yaml").write_text(shipped.read_text().replace("budget: 5", "budget: null"))
    said = planned(begin())
    params = written()
    assert (None, None) == (params["data"]["labeled_rows"], params["split"]["rows"])
    assert (0.2, 10, None) == (
        params["split"]["test_fraction"],
        params["split"]["folds"],
        params["execution"]["budget"],
    )
    assert said[1].startswith("estimates on all 7200 labelled rows")
    assert 2 == len(said)  # nothing was measured


def test_a_short_budget_gives_up_fits_and_then_rows_and_says_so(shipped):
    large(9000)
    Path("params.yaml").write_text(shipped.read_text().replace("budget: 5", "budget: 0.01"))
    said = planned(begin())
    params = written()
    assert (500, 5, 3) == (params["split"]["rows"], params["split"]["folds"], params["covalidation"]["repeats"])
    assert {"E_cv": "corrected fold Wilson"} == params["intervals"]
    assert said[1].startswith("estimates on 500 of 7200 labelled rows")
    assert "corrected fold Wilson" in said[2]
    assert re.fullmatch(r"\d+ s expected, of the 1 s of execution\.budget", said[3])
    assert "raise execution.budget" in said[4]
    prepared = prepare_tables.prepare(load("params.yaml"))
    assert (500, 7200) == (len(prepared.labeled), len(prepared.all_labeled))
    assert 6700 == sum(map(len, prepared.shards))


def test_the_rows_that_prepare_leaves_are_counted_and_not_a_share_of_the_table():
    found = profile.look(table_of(np.random.default_rng(0), 400, "two"), "label")  # a fifth is 80
    few = budget.Effort(5, 0, 3, 5)
    values = propose_params.decide(found, "t.csv", None, budget.Choice(327, 327, few, 10.0))  # of rows in time, say
    assert (None, 4) == (values["split", "rows"], values["data", "shards"])
    values = propose_params.decide(found, "t.csv", None, budget.Choice(325, 327, few, 10.0))
    assert (325, 2) == (values["split", "rows"], values["data", "shards"])


def test_a_template_without_a_budget_gets_five_minutes(shipped):
    given_csv(table_of(np.random.default_rng(0), 80, "two"))
    lines = shipped.read_text().splitlines(keepends=True)
    Path("params.yaml").write_text("".join(line for line in lines if not line.startswith("  budget:")))
    begin()
    assert 5 == written()["execution"]["budget"]


def test_a_leak_stays_if_nothing_else_is_left_and_is_told_loudly():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 400)
    given_csv(pd.DataFrame({"told": label * 5, "label": label}))
    said = "\n".join(begin())
    assert "LEAK in told, kept since no other column is left" in said
    assert [] == written()["data"]["drop"]


MISTAKES = {
    "target": (("given/t.csv", "labl"), ["--target", "'labl'", "did you mean 'label'?"]),
    "single value": (("given/t.csv", "same"), ["--target", "same", "[1]", "two"]),
    "all missing": (("given/t.csv", "empty"), ["--target", "empty", "missing", 60]),
    "no two alike": (("given/t.csv", "note"), ["note", "class", 60]),
    "no file": (("given/none.csv", "label"), ["given/none.csv", "no such file"]),
    "no rows": (("given/head.csv", "label"), ["label", "missing", 0]),
    "alone": (("given/alone.csv", "label"), ["label", "only column"]),
    "useless": (("given/useless.csv", "label"), ["label", "id: identifier"]),
    "shards": (("given/t.csv", "label", "given/none-*.csv"), ["given/none-*.csv", "no such file"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_refusal_leaves_everything_as_it_was(name, shipped):
    frame = table_of(np.random.default_rng(0), 60, "two")
    given_csv(frame)
    given_csv(frame.iloc[:0], "given/head.csv")
    given_csv(frame[["label"]], "given/alone.csv")
    given_csv(frame[["id", "label"]], "given/useless.csv")
    Path("params.yaml").write_text(shipped.read_text())
    before = tree()
    arguments, words = MISTAKES[name]
    with pytest.raises(UserError) as caught:
        begin(*arguments)
    assert_names(str(caught.value), *words)
    assert before == tree()


def test_a_failure_at_the_end_leaves_everything_as_it_was(shipped, monkeypatch):
    given_csv(table_of(np.random.default_rng(0), 60, "two"))
    Path("params.yaml").write_text(shipped.read_text())
    before = tree()

    def broken(text):
        raise KeyboardInterrupt

    monkeypatch.setattr(init, "_replace", broken)
    with pytest.raises(KeyboardInterrupt):
        begin()
    assert before == tree()


def test_another_file_of_the_same_name_is_not_overwritten():
    given_csv(table_of(np.random.default_rng(0), 60, "two"))
    Path("data/raw").mkdir(parents=True)
    Path("data/raw/t.csv").write_text("mine")
    with pytest.raises(UserError, match=r"^data/raw/t.csv .*DVC"):
        begin()
    assert "mine" == Path("data/raw/t.csv").read_text()
    assert not Path("params.yaml").exists()


@pytest.mark.parametrize("known", [True, False])
def test_what_dvc_refuses_leaves_everything_as_it_was(known, monkeypatch, shipped):
    given_csv(table_of(np.random.default_rng(0), 60, "two"))
    Path("params.yaml").write_text(shipped.read_text())
    Path("data/raw").mkdir(parents=True)
    Path("data/raw/.gitignore").write_text("/t.csv")
    if known:
        Path("data/raw/t.csv").write_text("an older one, which DVC has")
        Path("data/raw/t.csv.dvc").write_text("outs: []")
    before = tree()

    def refuse(path):
        Path(f"{path}.dvc").write_text("half")
        Path("data/raw/.gitignore").write_text("half")
        raise UserError("dvc add: no space left")

    monkeypatch.setattr(dvc_commands, "add", refuse)
    with pytest.raises(UserError, match="^dvc add: no space left$"):
        begin()
    assert before == tree()


def test_a_table_that_changed_takes_the_place_of_the_copy_that_dvc_has(monkeypatch):
    monkeypatch.setattr(dvc_commands, "add", lambda path: Path(f"{path}.dvc").write_text(str(path.stat().st_size)))
    for seed, rows in enumerate((60, 90)):
        given_csv(table_of(np.random.default_rng(seed), rows, "two"))
        begin()
        assert Path("given/t.csv").read_bytes() == Path("data/raw/t.csv").read_bytes()
        assert str(Path("given/t.csv").stat().st_size) == Path("data/raw/t.csv.dvc").read_text()
    assert {"t.csv", "t.csv.dvc"} == {path.name for path in Path("data/raw").iterdir()}
