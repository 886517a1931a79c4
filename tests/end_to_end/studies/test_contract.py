"""What every study writes, in its quick form and in the tables that are committed."""

import fnmatch
import re
from pathlib import Path

import pandas as pd
import pytest

from studies.catalogue import NAMES
from studies.findings_page import COLUMNS, INDEX, WHOLE, index, page

ROOT = Path(__file__).parents[3]


def check(table: pd.DataFrame, name: str) -> None:
    assert list(table.columns) == list(COLUMNS)
    assert set(table["study"]) == {name}
    for line in table.itertuples():
        assert line.verdict.startswith("agrees") or line.verdict.startswith("differs: ")
        assert bool(line.low) == bool(line.high)
        if line.low:
            ours = [float(part) for part in line.ours.split("/")]
            assert float(line.low) <= ours[0] / (ours[1] if len(ours) > 1 else 1) <= float(line.high)
        assert f"python -m studies {name}" in line.command
        assert "# seed" in line.command


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_has_the_committed_findings(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    table, text = read(WHOLE / f"{name}.csv"), (WHOLE / f"{name}.md").read_text(encoding="utf-8")
    check(table, name)
    assert text == page(name) + "\n"
    (shown,) = re.findall("<!-- findings: (.+) -->", text)
    assert [] == [one for one in shown.split() if not fnmatch.filter([*table["finding"], "differs"], one)]
    assert "\n| `" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_short_and_its_numbers_are_those_of_the_findings(name):
    """Those with a point, of the answer and of what was found; a last zero may be left out."""
    text = (ROOT / WHOLE / f"{name}.md").read_text(encoding="utf-8")
    words = re.sub("<!-- findings.*end of findings -->", "", text, flags=re.DOTALL)
    assert len(words.split()) < 500
    parts = ["Answer", "Claim", "How", "Found", "Not shown"]
    assert parts == re.findall(r"^\*\*([\w ]+)\.\*\*", words, re.MULTILINE)
    said = " ".join(part for part in words.split("\n\n") if part.startswith(("**Answer", "**Found")))
    known = (ROOT / WHOLE / f"{name}.csv").read_text(encoding="utf-8")
    numbers = re.findall(r"(?<![\w.])-?\d+\.\d+", said)
    assert [] == [one for one in numbers if not re.search(rf"(?<![\d.]){re.escape(one)}0?(?!\d)", known)]


def test_the_list_of_the_studies_has_each_question_and_answer(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = INDEX.read_text(encoding="utf-8")
    assert text == "\n".join(index()) + "\n"
    questions = re.findall(r"^- \[(.+\?)\]", text, re.MULTILINE)
    assert len(NAMES) == len({*questions}) == len({*NAMES})


def test_every_picture_of_a_study_is_on_its_page():
    for picture in (ROOT / WHOLE).glob("*.png"):
        text = picture.with_name(f"{picture.stem.partition('-')[0]}.md").read_text(encoding="utf-8")
        assert f"]({picture.name})" in text


@pytest.mark.parametrize("name", NAMES)
def test_what_only_bounds_a_number_says_so(name):
    for line in read(ROOT / f"docs/studies/{name}.csv").itertuples():
        assert "is claimed" not in line.verdict
        words, _, bound = line.published.rpartition(" ")
        if words in ("at most", "less than") and line.verdict.startswith("agrees"):
            assert float(line.low or line.ours) <= float(bound), line.finding


@pytest.mark.long
def test_the_quick_form_writes_below_reports_alone(quick_run):
    for name in NAMES:
        check(read(quick_run.path / f"reports/studies/{name}.csv"), name)
    assert quick_run.git("status", "--porcelain") == ""


@pytest.mark.long
def test_the_quick_form_is_deterministic(quick_run, clone, server):
    again = clone(server)
    again.run("python", "-m", "studies", "--quick")
    assert again.hashes("reports/studies") == quick_run.hashes("reports/studies")
