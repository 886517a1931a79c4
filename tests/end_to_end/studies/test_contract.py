"""What every study writes, in its quick form and in the tables that are committed."""

from pathlib import Path

import pandas as pd
import pytest

from studies.catalogue import CALLED, NAMES
from studies.findings_page import COLUMNS

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
def test_committed_findings_are_on_the_page(name):
    table = read(ROOT / f"docs/studies/{name}.csv")
    check(table, name)
    page = (ROOT / "docs/studies.md").read_text(encoding="utf-8")
    for line in table.itertuples():
        (row,) = [text for text in page.splitlines() if text.startswith(f"| `{line.finding}` |")]
        assert line.ours in row
        assert line.verdict in row


@pytest.mark.parametrize("name", NAMES)
def test_what_only_bounds_a_number_says_so(name):
    for line in read(ROOT / f"docs/studies/{name}.csv").itertuples():
        assert "is claimed" not in line.verdict
        words, _, bound = line.published.rpartition(" ")
        if words in ("at most", "less than") and line.verdict.startswith("agrees"):
            assert float(line.low or line.ours) <= float(bound), line.finding


def test_every_study_has_a_name_in_words():
    assert len(NAMES) == len({*CALLED.values()})
    assert [] == [words for words in CALLED.values() if "_" in words.replace("`E_bbc`", "") or words[0].islower()]
    page = (ROOT / "docs/studies.md").read_text(encoding="utf-8")
    assert [] == [name for name, words in CALLED.items() if f'\n## {words} <a id="{name}"></a>\n' not in page]


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
