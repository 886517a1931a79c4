"""table_checks.yaml: written by init, read as data whoever wrote it, and only for the table that it is about."""

from pathlib import Path

import pytest
import yaml

from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.params import load, read_yaml
from tasks.runtime.errors import UserError
from tasks.storage import files, findings
from tasks.storage.findings import PATH, Found, RecordedFinding
from tests.tasks.mistakes import assert_names

TIME = RecordedFinding(
    "time",
    "day: it errs 10 % under random cuts, 20 % on later rows",
    severity="care",
    columns=["day"],
    evidence={"error under random cuts": 0.1, "error along it": 0.2, "unknown": float("nan")},
    decide="to predict later rows, set data.time: day",
    keys=["data.time"],
)
NOTE = RecordedFinding("found", "3 columns have gaps")


def write(text: str) -> None:
    PATH.write_text(text, encoding="utf-8")


def about(source="rows.csv", target="kind", found=(TIME, NOTE)) -> None:
    write(findings.text_of(source, target, Path(source), found))


def test_what_init_found_is_read_again(rows, settings_of_rows):
    about()
    read = findings.read(settings_of_rows())
    kept = TIME.model_copy(update={"evidence": {"error under random cuts": 0.1, "error along it": 0.2}})
    assert Found((kept, NOTE)) == read
    assert [True, False] == [finding.open for finding in read.findings]
    assert "decided: ''" in PATH.read_text(encoding="utf-8")  # the place to write it


@pytest.mark.parametrize(("source", "target"), [("others.csv", "kind"), ("rows.csv", "x")])
def test_findings_of_another_table_are_not_used_and_that_is_said(rows, settings_of_rows, source, target):
    about(source, target)
    read = findings.read(settings_of_rows())
    assert () == read.findings
    assert_names(read.remark, PATH.name, source, target, "not used")
    about(source, target, [])
    assert Found() == findings.read(settings_of_rows())  # nothing is lost, so nothing is said


def test_findings_of_an_earlier_version_of_the_table_are_shown_as_such(rows, settings_of_rows):
    about()
    rows.assign(x=0.0).to_csv("rows.csv", index=False)
    read = findings.read(settings_of_rows())
    assert 2 == len(read.findings)
    assert "earlier version" in read.remark
    about(found=[NOTE])
    rows.assign(x=1.0).to_csv("rows.csv", index=False)
    assert Found((NOTE,)) == findings.read(settings_of_rows())  # nobody has to decide about an earlier table


def test_a_finding_is_settled_by_what_somebody_wrote_or_by_its_key(rows, settings_of_rows):
    about(found=[TIME.model_copy(update={"decided": "rows between are predicted"})])
    assert not findings.read(settings_of_rows()).findings[0].open
    about()
    [settled, _] = findings.read(settings_of_rows("data.time=id")).findings
    assert ("data.time in params.yaml answers it", False) == (settled.decided, settled.open)


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
@pytest.mark.parametrize("asked", ["data.drop", "data.known_after"])
def test_a_finding_about_columns_is_settled_by_the_key_that_leaves_them_out(rows, settings_of_rows, key, asked):
    about(found=[RecordedFinding("found", "x tells", severity="care", columns=["x"], keys=[asked])])
    assert findings.read(settings_of_rows(f"{key}=[id]")).findings[0].open
    [settled] = findings.read(settings_of_rows(f"{key}=[x]")).findings
    assert (f"{key} in params.yaml answers it", False) == (settled.decided, settled.open)
    about(found=[RecordedFinding("found", "it tells", severity="care", keys=[asked])])
    assert findings.read(settings_of_rows(f"{key}=[x]")).findings[0].open


def test_without_the_file_nothing_was_found_but_dvc_needs_it(checkout, settings_of_rows):
    assert Found() == findings.read(settings_of_rows())
    Path(".dvc").mkdir()
    with pytest.raises(UserError, match="table_checks.yaml is missing.*git checkout table_checks.yaml"):
        findings.read(settings_of_rows())


@pytest.mark.fault("hostile")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("source: a\ntarget: b\nfindigns: []", ["findigns", "did you mean findings"]),
        (
            "source: a\ntarget: b\nfindings:\n- topic: time\n  text: x\n  serverity: care",
            ["findings[0].serverity", "did you mean findings.severity"],
        ),
        ("source: a\ntarget: b\nfindings:\n- topic: weather\n  text: x", ["findings[0].topic", "weather", "time"]),
        ("source: a\ntarget: b\nfindings:\n- topic: time\n  text: [x]", ["findings[0].text"]),
        ("source: a\ntarget: b\nfindings: 3", ["findings is 3"]),
        ("- a", ["must be a mapping", "source", "target"]),
        ("source: a\nsource: b", ["duplicate key"]),
        ("source: !!python/object/apply:os.getcwd []\ntarget: b", ["not valid YAML"]),
        ("a: &a [x, x]\nb: &b [*a, *a]\n" + "".join(f"c{i}: &c{i} [*b, *b]\n" for i in range(3)), ["not known"]),
        ("source: a", ["target is missing"]),
        ("x" * 1_000_001, ["more than 1000000 bytes"]),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_key(rows, settings_of_rows, text, words):
    write(text)
    with pytest.raises(UserError) as caught:
        findings.read(settings_of_rows())
    assert_names(str(caught.value), PATH.name, *words)


def test_aliases_that_stand_for_more_values_than_the_limit_are_refused(rows, settings_of_rows, monkeypatch):
    monkeypatch.setattr(read_yaml, "_MOST_VALUES", 8)
    write("a: &a [x, y, z]\nb: [*a, *a]\n")
    with pytest.raises(UserError, match="aliases"):
        findings.read(settings_of_rows())


def test_a_long_text_is_cut_and_the_file_stays_small(rows, settings_of_rows):
    about(found=[RecordedFinding("found", "x" * 100_000, columns=["y" * 100_000])])
    assert len(findings.read(settings_of_rows()).findings[0].text) < 2100
    assert PATH.stat().st_size < 10_000


def test_the_shipped_file_is_about_the_shipped_table_and_the_stages_depend_on_it(shipped):
    path = shipped.with_name(PATH.name)
    about = yaml.safe_load(path.read_text(encoding="utf-8"))
    data = yaml.safe_load(shipped.read_text(encoding="utf-8"))["data"]
    assert (data["source"], data["target"], []) == (about["source"], about["target"], about["findings"])
    assert Found() == findings.read(load(shipped), path)
    stages = yaml.safe_load(shipped.with_name("dvc.yaml").read_text(encoding="utf-8"))["stages"]
    assert PATH.name in stages["prepare"]["deps"]
    assert "data/prepared" in stages["select"]["deps"]
    assert "data/prepared" in stages["report"]["deps"]
    # a changed finding fits nothing again
    assert not {"data/prepared", str(files.FINDINGS)} & {*stages["fit"]["deps"]}


def test_what_counts_is_left_for_the_stages_that_report(rows, settings_of_rows):
    about()
    write_prepared(prepare(settings_of_rows()), findings.read(settings_of_rows()))
    assert findings.read(settings_of_rows()) == findings.read_applied()
