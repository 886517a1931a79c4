"""init over random tables: its params.yaml loads and prepares, what is planted is found, a refusal changes nothing."""

import math
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.data import prepare_tables
from tasks.init import profile, propose_params, start
from tasks.init.search import NONE
from tasks.params import load
from tasks.params.left_out import default_of
from tasks.plans import budget
from tasks.runtime.errors import UserError
from tasks.storage import dvc_commands, findings
from tests.tasks.mistakes import assert_names

AS_COMMITTER = ("-c", "user.name=Tester", "-c", "user.email=tester@example.org")
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


def written():
    """The values of params.yaml, also of keys that it leaves out."""
    return load("params.yaml").model_dump()


def begin(path="given/t.csv", target="label", unlabeled=None, **more):
    return start.initialize(str(path), target, unlabeled, Path.cwd(), **more)


def given_csv(frame, path="given/t.csv"):
    Path(path).parent.mkdir(exist_ok=True)
    frame.to_csv(path, index=False)


def tree():
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def progressive_fits(labeled, progressive):
    return math.ceil(round(labeled * progressive.tested_fraction) / progressive.block)


@pytest.mark.slow
@few
@given(
    st.sampled_from(TARGETS),
    st.integers(30, 120),
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
    if target != "rare":  # all rows of a class may be drawn for the test set: then init proposes none, and says so
        assert settings.split.test_fraction > 0
        assert prepared.test is not None
    assert 3 <= len(settings.candidates) <= 6
    assert settings.candidates[-1].name == "boosting"
    # 20 blocks of the rows that a test set of exactly a fifth would leave; its share is a draw
    assert progressive_fits(len(prepared.labeled), settings.progressive) <= 20 * rows / len(prepared.labeled) + 1


def test_it_says_what_it_found_and_writes_the_same_beside_the_columns():
    given_csv(table_of(np.random.default_rng(0), 120, "two").assign(told=lambda table: table["label"]))
    said = begin()
    dropped = dict(line.removeprefix("dropped   ").split(": ", 1) for line in said if line.startswith("dropped"))
    (leak,) = [line for line in said if line.startswith("leak      ")]
    reason = "it alone predicts the target; error 0 % out of fold, "
    assert leak.startswith(f"leak      told: {reason}")
    assert "data.drop" in leak
    (key,) = [line for line in said if line.startswith("key       ")]
    assert key.startswith("key       id: does it stay")
    assert "key" not in written()["data"]
    assert {"id", "same", "empty"} == set(dropped) == set(written()["data"]["drop"]) - {"told"}
    assert f"- told  # leak: {reason}" in Path("params.yaml").read_text()
    for name, reason in dropped.items():
        assert f"- {name}  # {reason}\n" in Path("params.yaml").read_text()
    assert any(re.match(r"target    label: 2 classes: (won|lost) \d\d.*%", line) for line in said)


def test_what_it_said_is_in_the_file_that_reports_read():
    given_csv(table_of(np.random.default_rng(0), 120, "two").assign(told=lambda table: table["label"]))
    said = [line for line in begin() if line.startswith(("leak ", "found ", "time ", "groups ", "parsed "))]
    kept = findings.read(load("params.yaml"))
    assert "" == kept.remark
    assert said == [f"{finding.topic:<10}{finding.line}" for finding in kept.findings]
    [leak] = [finding for finding in kept.findings if finding.topic == "leak"]
    assert ("note", ("told",), "left out, in data.drop") == (leak.severity, leak.columns, leak.done)
    assert 0 == leak.evidence["error out of fold"]


@pytest.mark.parametrize("random_walk", [True, False])
def test_rows_along_the_file_that_differ_ask_for_care(random_walk):
    rng = np.random.default_rng(1)
    steps = rng.normal(size=600)
    level = np.cumsum(steps) if random_walk else steps
    table = pd.DataFrame({"a": level + rng.normal(size=600), "b": rng.normal(size=600), "label": level * 3.5})
    given_csv(table.round(5))
    begin()
    cares = [finding for finding in findings.read(load("params.yaml")).findings if finding.open]
    assert random_walk == bool(cares)
    for finding in cares:
        assert finding.evidence["error along it"] > finding.evidence["error under random cuts"]
        assert "data.time" in finding.keys


def test_only_a_column_that_gives_the_target_away_stays_and_stops():
    rng = np.random.default_rng(0)
    labels = rng.choice(["won", "lost"], 400)
    given_csv(pd.DataFrame({"told": labels, "label": labels}))
    begin()
    [leak] = [finding for finding in findings.read(load("params.yaml")).findings if finding.open]
    assert "stop" == leak.severity


@pytest.mark.parametrize(("again", "words"), [(False, ", but for columns that are left out"), (True, "")])
def test_rows_that_differ_in_a_column_that_is_left_out_are_no_exact_copies(again, words):
    rows = np.random.default_rng(0).normal(size=200).round(6)
    frame = pd.DataFrame({"id": [f"P{row:04d}" for row in range(200)], "x": rows, "label": rows > 0})
    copies = frame.iloc[:7] if again else frame.iloc[:7].assign(id=[f"P{row:04d}" for row in range(200, 207)])
    given_csv(pd.concat([frame.drop(columns="id"), copies.drop(columns="id")]) if again else pd.concat([frame, copies]))
    [said] = [line for line in begin() if "repeat an earlier row" in line]
    assert said.startswith(f"found     7 rows repeat an earlier row exactly{words}")
    assert again or said.endswith(words)


def test_one_row_and_one_feature_are_no_plural():
    x = np.random.default_rng(0).normal(size=60)
    given_csv(pd.DataFrame({"x": x, "label": ["rare", *np.where(x[1:] > 0, "high", "low")]}))
    said = begin()
    assert said[0].endswith("60 rows; 1 feature stays: 1 numeric")
    assert said[1].endswith("; the rarest, rare, has 1 row")


def test_findings_that_somebody_has_decided_about_are_kept_in_one_file():
    given_csv(table_of(np.random.default_rng(0), 80, "two").assign(told=lambda table: table["label"]))
    begin()
    decided = findings.PATH.read_text() + "# decided: harmless\n"
    findings.PATH.write_text(decided)
    assert "; the old file is table_checks.yaml.old" in begin(target="kind")[-2]
    assert decided == Path("table_checks.yaml.old").read_text()


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
    assert "1 column has gaps: " not in said.replace("kind", "")  # kind is read with the same marker


def git(*arguments):
    subprocess.run(["git", *AS_COMMITTER, *arguments], check=True, capture_output=True)


@pytest.mark.slow
def test_parameters_that_somebody_edited_are_kept_in_one_file(shipped):
    given_csv(table_of(np.random.default_rng(0), 80, "two"))
    edited = shipped.read_text().replace("workers: 2", "workers: 1")
    Path("params.yaml").write_text(edited)
    assert "; the old file is params.yaml.old" in begin()[-2]
    assert 1 == written()["execution"]["workers"]  # a setting of the user's that no table decides
    assert "the old file" not in begin(target="kind")[-2]  # what init itself wrote is never kept
    assert edited == Path("params.yaml.old").read_text()
    second = Path("params.yaml").read_text().replace("seed: 0", "seed: 1")
    Path("params.yaml").write_text(second)
    begin()
    assert second == Path("params.yaml.old").read_text()
    assert ["params.yaml", "params.yaml.old"] == sorted(path.name for path in Path().glob("*params*"))


def test_parameters_that_git_has_are_not_kept_again(shipped):
    given_csv(table_of(np.random.default_rng(0), 80, "two"))
    Path("params.yaml").write_text(shipped.read_text())
    git("init", "--quiet")
    git("add", "params.yaml")
    assert "; the old file is params.yaml.old" in begin()[-2]  # known to git, in no commit
    Path("params.yaml.old").replace("params.yaml")
    git("commit", "--quiet", "-m", "shipped")
    assert "; the old file is in git" in begin()[-2]
    assert not Path("params.yaml.old").exists()


def test_keys_that_name_columns_of_another_table_do_not_stay(shipped):
    frame = table_of(np.random.default_rng(0), 80, "two")
    given_csv(frame.assign(code=[f"c{place}" for place in range(80)], side=np.arange(80) % 2))
    own = {("data", "key"): ["code"], ("report", "slices"): ["side"], ("report", "columns"): [["side"]]}
    foreign = {("data", "key"): "patient", ("report", "slices"): ["ward"], ("report", "columns"): [["side", "ward"]]}
    for there, stays in ((own, True), (foreign, False)):
        old = yaml.safe_load(shipped.read_text())
        for (section, key), value in {**there, ("selection", "margin"): 2.0}.items():
            old.setdefault(section, {})[key] = value
        Path("params.yaml").write_text(yaml.safe_dump(old))
        begin()
        after = written()
        assert None is after["selection"]["margin"]
        for path, value in own.items():
            assert after[path[0]].get(path[1]) == (value if stays else default_of(path))


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
        Path(folder, "film.mov").write_bytes(b"no run reads it")
        Path(folder, "deep").mkdir()
        frame.to_parquet(f"{folder}/deep/0.parquet")
    begin("table", unlabeled="more")
    copied = {str(path.relative_to("data/raw")) for path in Path("data/raw").rglob("*") if path.suffix != ".dvc"}
    assert {"table", "table/0.parquet", "table/1.parquet", "more", "more/0.parquet"} == copied - {".gitignore"}
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


def test_traps_are_told_a_line_each_and_what_is_proposed_stands_next_to_its_key():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(60), 3)
    size = rng.normal(size=(60, 6))[patient]
    frame = pd.DataFrame(size + 0.1 * rng.normal(size=size.shape), columns=[f"f{place}" for place in range(6)])
    frame["casual"], frame["registered"] = rng.poisson(30, 180), rng.poisson(150, 180)
    frame = frame.assign(patient=patient, cnt=frame["casual"] + frame["registered"])
    given_csv(frame)
    said = begin(target="cnt")
    (leak,) = [line for line in said if line.startswith("leak      ")]
    assert leak.startswith("leak      casual, registered: casual + registered = cnt")
    assert ["casual", "registered"] == written()["data"]["drop"]
    given_csv(frame.assign(state=rng.integers(0, 2, 60)[patient]), "given/states.csv")
    (groups,) = [
        line for line in begin("given/states.csv", target="state") if line.split()[0] in ("leak", "time", "groups")
    ]
    assert groups.startswith("groups    patient: ")
    assert "patient" == written()["data"]["groups"]
    assert re.search(r"^  groups: patient  # null, if\b", Path("params.yaml").read_text(), re.MULTILINE)


@pytest.mark.parametrize("target", [np.repeat(list("abc"), 40), np.repeat(np.arange(30), 4)])
@pytest.mark.parametrize("form", ["{}", "R{:04d}", "case {} of B"])
def test_an_identifier_with_the_order_of_the_target_is_told_as_a_leak(target, form):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"ref": [form.format(7 * row) for row in range(120)], "x": rng.normal(size=120), "y": target})
    given_csv(frame.sample(frac=1, random_state=0) if form != "{}" else frame)
    (leak,) = [line for line in begin(target="y") if line.startswith("leak      ")]
    assert leak.startswith("leak      ref: an identifier that follows the target: ")
    assert ["ref"] == written()["data"]["drop"]


def test_rows_are_split_in_the_order_of_dates_that_start_with_the_day():
    days = pd.date_range("2026-01-01", periods=400).strftime("%d.%m.%Y")
    x = np.random.default_rng(0).normal(size=400)
    given_csv(pd.DataFrame({"day": days, "x": x, "label": np.arange(400) // 20 % 2}))
    begin()
    assert "day" == written()["data"]["time"]


def large(rows):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, 3))
    given_csv(pd.DataFrame(x, columns=list("xyz")).assign(label=(x[:, 0] + rng.normal(size=rows) > 0).astype(int)))


def planned(said):
    return [line.removeprefix("plan      ") for line in said if line.startswith("plan ")]


@pytest.mark.parametrize(("target", "stratify"), [("two", None), ("many", None), ("rare", False)])
def test_shares_are_left_to_the_number_of_classes_unless_one_of_two_is_rare(target, stratify):
    given_csv(table_of(np.random.default_rng(0), 120, target))
    said = begin()
    split = written()["split"]
    assert (stratify, 10) == (split["stratify"], split["folds"])
    assert (stratify is False) == any("not stratified" in line for line in planned(said))


def test_a_large_table_keeps_every_label_and_the_most_fits_if_the_budget_is_null(shipped):
    large(9000)
    Path("params.yaml").write_text(shipped.read_text().replace("workers: 2", "workers: 2\n  budget: null"))
    said = planned(begin())
    params = written()
    assert (None, None) == (params["data"]["labeled_rows"], params["split"]["rows"])
    assert (0.2, 10, None) == (
        params["split"]["test_fraction"],
        params["split"]["folds"],
        params["execution"]["budget"],
    )
    labels = len(prepare_tables.prepare(load("params.yaml")).labeled)
    assert "32 candidates start" in said[1]
    assert said[2].startswith(f"estimates on all {labels} labelled rows")
    assert 3 == len(said)  # nothing was measured


@pytest.mark.slow
@pytest.mark.long
def test_a_short_budget_gives_up_fits_and_then_rows_and_says_so(shipped):
    large(9000)
    Path("params.yaml").write_text(shipped.read_text().replace("workers: 2", "workers: 2\n  budget: 0.01"))
    said = planned(begin())
    params = written()
    assert (500, 5, 3) == (params["split"]["rows"], params["split"]["folds"], params["covalidation"]["repeats"])
    assert {"E_cv": "corrected fold Wilson"} == params["intervals"]
    assert "corrected fold Wilson" in said[2]
    assert re.fullmatch(r"\d+ s expected, of the 1 s that it may take \(init --budget\)", said[3])
    assert "allow more minutes" in said[4]
    prepared = prepare_tables.prepare(load("params.yaml"))
    labels = len(prepared.all_labeled)
    assert said[1].startswith(f"estimates on 500 of {labels} labelled rows")
    assert (500, labels - 500) == (len(prepared.labeled), sum(map(len, prepared.shards)))


def test_the_rows_that_prepare_leaves_are_counted_and_not_a_share_of_the_table():
    found = profile.look(table_of(np.random.default_rng(0), 400, "two"), "label")  # a fifth is 80
    few = budget.Effort(5, 0, 3, 5)
    values = propose_params.decide(found, "t.csv", None, NONE, budget.Choice(327, 327, few, 10.0))
    assert (None, 4) == (values["split", "rows"], values["data", "shards"])
    values = propose_params.decide(found, "t.csv", None, NONE, budget.Choice(325, 327, few, 10.0))
    assert (325, 2) == (values["split", "rows"], values["data", "shards"])


@pytest.mark.parametrize(("known", "given", "kept"), [("", None, None), ("", 3.0, None), ("\n  budget: 2", 3.0, 3.0)])
def test_the_minutes_that_init_plans_with_are_no_limit_of_a_run_unless_the_file_has_one(shipped, known, given, kept):
    given_csv(table_of(np.random.default_rng(0), 80, "two"))
    Path("params.yaml").write_text(shipped.read_text().replace("workers: 2", f"workers: 2{known}"))
    begin(budget=given)
    assert kept == written()["execution"]["budget"]


def test_only_what_is_no_default_is_written_next_to_the_keys_of_the_template(shipped):
    given_csv(table_of(np.random.default_rng(0), 80, "two"))
    begin()
    found, template = (yaml.safe_load(Path(path).read_text()) for path in ("params.yaml", shipped))
    of_rows = {"intervals", "split", "data", "covalidation", "progressive", "selection"}
    assert {*template} <= {*found} <= {*template} | of_rows
    for section in of_rows & {*found}:
        for key in {*(found[section] or ())} - {*template.get(section, ())}:
            assert default_of((section, key)) != found[section][key]


def test_a_leak_stays_if_nothing_else_is_left_and_is_told_loudly():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 2, 400)
    given_csv(pd.DataFrame({"told": label * 5, "label": label}))
    said = "\n".join(begin())
    assert "leak      told: it alone predicts the target" in said
    assert "kept, since no other column is left" in said
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

    monkeypatch.setattr(start, "_replace", broken)
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


@pytest.mark.parametrize("known", ["listed", "added", "unknown"])
def test_what_dvc_refuses_leaves_everything_as_it_was(known, monkeypatch, shipped):
    given_csv(table_of(np.random.default_rng(0), 60, "two"))
    Path("params.yaml").write_text(shipped.read_text())
    Path("data/raw").mkdir(parents=True)
    Path("data/raw/.gitignore").write_text("/t.csv")
    Path("data/raw.dvc").write_text("outs: []")
    if known != "unknown":
        Path("data/raw/t.csv").write_text("an older one, which DVC has")
    if known == "listed":
        Path("data/raw.dvc").write_text("outs: [{path: raw/t.csv}]")
    if known == "added":
        Path("data/raw/t.csv.dvc").write_text("outs: []")
    before = tree()

    def refuse(*_):
        for path in ("data/raw.dvc", "data/raw/.gitignore", "data/raw/t.csv.dvc"):
            Path(path).write_text("half")
        return subprocess.CompletedProcess((), 255, "", "no space\n left\n")

    Path(".dvc").mkdir()
    monkeypatch.setattr(dvc_commands, "_dvc", refuse)
    with pytest.raises(UserError, match=r"^dvc commit data/raw.dvc: no space left$"):
        begin()
    assert before == tree()


@pytest.fixture
def dvc(monkeypatch):
    """DVC is in use; returns the commands that were given to it, none of which runs."""
    Path(".dvc").mkdir()
    given = []
    done = subprocess.CompletedProcess((), 0, "", "")
    monkeypatch.setattr(dvc_commands, "_dvc", lambda *arguments: given.append(arguments) or done)
    return given


def listed():
    return [out["path"] for out in yaml.safe_load(Path("data/raw.dvc").read_text())["outs"]]


def test_a_table_that_changed_takes_the_place_of_the_copy_that_dvc_has(dvc):
    for seed, rows in enumerate((60, 90)):
        given_csv(table_of(np.random.default_rng(seed), rows, "two"))
        begin()
        assert Path("given/t.csv").read_bytes() == Path("data/raw/t.csv").read_bytes()
    assert ["raw/t.csv"] == listed()
    assert [("commit", "--force", "--quiet", "data/raw.dvc")] * 2 == dvc
    assert {"t.csv"} == {path.name for path in Path("data/raw").iterdir()}


def test_a_table_that_was_added_by_hand_stays_in_its_own_file(dvc):
    given_csv(table_of(np.random.default_rng(0), 60, "two"), "t.csv")
    Path("data/raw").mkdir(parents=True)
    Path("t.csv").rename("data/raw/t.csv")
    Path("data/raw/t.csv.dvc").write_text("outs: [{path: t.csv}]")
    begin("data/raw/t.csv")
    assert [] == listed()
    assert [("commit", "--force", "--quiet", "data/raw.dvc", "data/raw/t.csv.dvc")] == dvc


@pytest.mark.parametrize(
    ("source", "entries"),
    [
        ("data/raw/deep/er/t.csv", ["raw/deep"]),
        ("data/raw/t.v2", ["raw/t.v2"]),
        ("data/raw/a[1].csv", ["raw/a[1].csv"]),
    ],
)
def test_dvc_gets_what_lies_directly_below_data_raw(dvc, source, entries):
    frame = table_of(np.random.default_rng(0), 60, "two").drop(columns="empty")
    Path(source).parent.mkdir(parents=True)
    if source.endswith(".csv"):
        frame.to_csv(source, index=False)
    else:
        Path(source).mkdir()
        frame.to_parquet(f"{source}/0.parquet")
    begin(source)
    assert source == written()["data"]["source"]
    assert entries == listed()


@pytest.mark.parametrize(
    ("shards", "entries"), [("data/raw/*.csv", ["raw/s0.csv", "raw/s1.csv"]), ("data/raw/more/*", ["raw/more"])]
)
def test_dvc_gets_the_files_of_a_glob(dvc, shards, entries):
    frame = table_of(np.random.default_rng(0), 60, "two")
    given_csv(frame, "t.csv")
    for number in (0, 1):
        path = Path(shards).with_name(f"s{number}.csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        frame.drop(columns="label").to_csv(path, index=False)
    begin("t.csv", unlabeled=shards)
    assert sorted([*entries, "raw/t.csv"]) == listed()


def test_a_table_of_the_list_that_is_missing_is_named(dvc):
    given_csv(table_of(np.random.default_rng(0), 60, "two"))
    Path("data/raw").mkdir(parents=True)
    Path("data/raw.dvc").write_text("outs: [{path: raw/older.csv}]")
    before = tree()
    with pytest.raises(UserError, match=r"^data/raw.dvc .*data/raw/older.csv.*dvc checkout"):
        begin()
    assert before == tree()


def test_a_file_next_to_the_table_that_nobody_can_read_stops_nothing_and_nothing_is_written_before(monkeypatch):
    table = table_of(np.random.default_rng(0), 60, "two")
    given_csv(table)
    Path("given/next.parquet").write_bytes(b"PAR1")

    written_before = []

    def cannot(*_):
        written_before.append(Path("params.yaml").exists())
        raise pa.ArrowNotImplementedError("a type of later versions")  # a NotImplementedError, and no ValueError

    table.to_parquet("given/t.parquet")
    monkeypatch.setattr(start.pyarrow.parquet, "read_schema", cannot)
    assert begin("given/t.csv")
    assert {False} == {*written_before}


def test_of_two_columns_with_the_name_of_the_target_none_is_taken():
    given_csv(table_of(np.random.default_rng(0), 60, "two"))
    head, *lines = Path("given/t.csv").read_text().splitlines()
    Path("given/t.csv").write_text("\n".join([f"{head},label", *(f"{line},1" for line in lines)]) + "\n")
    before = tree()
    with pytest.raises(UserError, match="2 columns are called 'label', read as label, label_2; rename all but the one"):
        begin()
    assert before == tree()
