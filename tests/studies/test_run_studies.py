"""Studies: which there are, what their stored results depend on, what a finding may say, and what the page shows."""

import ast
import math

import pandas as pd
import pytest

from studies import findings_page, race_sets, run_studies
from studies.catalogue import NAMES, load
from studies.study import Finding, mean_interval, share_interval
from tests.end_to_end.studies.test_contract import ROOT, check, read

SMALL = ("min_of_two", "test_sets", "promotion")
CODE = '''"""A study."""
from heldout.losses import ZERO_ONE  # a comment
DRAWS = 3
def measure(unit, data):
    """Words."""
    return [{"x": DRAWS}]
def findings(results):
    return []
'''


def test_results_are_made_again_after_a_change_of_their_code_alone(tmp_path):
    path = tmp_path / "study.py"
    path.write_text(CODE)
    before = run_studies._code(path)
    for old, new, same in [
        ("A study", "An experiment", True),
        ("# a comment", "", True),
        ("return []", "return [1]", True),
        ("DRAWS = 3", "DRAWS = 4", False),
        ('"x"', '"y"', False),
    ]:
        path.write_text(CODE.replace(old, new))
        assert (run_studies._code(path) == before) is same, new


def test_a_unit_depends_on_the_modules_that_its_study_uses(monkeypatch):
    monkeypatch.chdir(ROOT)
    used = {source.split(":")[0] for source in run_studies._sources("coverage")}
    assert {
        "studies/coverage.py",
        "studies/coverage_samples.py",
        "studies/populations.py",
        "studies/learners.py",
    } <= used
    assert "heldout/intervals/wilson.py" in used
    assert not used & {"studies/min_of_two.py", "studies/study.py"}
    assert run_studies.unit_key("coverage", 1) != run_studies.unit_key("coverage", 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"agrees": False},
        {"agrees": True, "low": 0.0},
        {"agrees": True, "low": 0.6, "high": 0.7},
    ],
)
def test_a_finding_that_says_too_little_is_refused(wrong):
    with pytest.raises(ValueError, match="it-is"):
        Finding("it-is", 0.5, **wrong)


def test_a_published_number_agrees_within_the_interval_and_its_rounding():
    near = Finding.of("it-is", 0.5, 0.45, 0.55, published=0.56, rounding=0.02)
    far = Finding.of("it-is", 0.5, 0.45, 0.55, published=0.57, rounding=0.02, otherwise="other rows")
    assert (near.verdict, far.verdict) == ("agrees", "differs: other rows")


def test_intervals_of_repeats_are_students_and_wilsons():
    # Student: t(.975, 3) = 3.1824, standard deviation 1.2910; Wilson of 1 in 4: 0.0456 to 0.6994
    assert mean_interval([1, 2, 3, 4]) == pytest.approx((2.5, 2.5 - 2.0543, 2.5 + 2.0543), abs=1e-4)
    assert share_interval(1, 4) == pytest.approx((0.25, 0.0456, 0.6994), abs=1e-4)


def test_one_repeat_does_not_say_how_repeats_spread():
    mean, low, high = mean_interval([2.0])
    assert (mean, low, high) == (2.0, -math.inf, math.inf)
    assert findings_page.plain(Finding("it-is", mean, True, low=low, high=high).low) == -math.inf


def test_a_race_on_a_single_set_of_numbers_has_findings():
    kept = {"fits": 1.0, "best_lost": False, "lost_to_nearly_best": 0.0, "regret": 0.0, "left": 30}
    results = pd.DataFrame([{"set": "diabetes", "draw": 0, "rule": rule, **kept} for rule in race_sets.RULES])
    assert all(one.low <= one.ours <= one.high for one in race_sets.findings(results) if one.low is not None)


@pytest.mark.parametrize("name", SMALL)
def test_the_smallest_form_has_findings_and_writes_them(name, tmp_path, monkeypatch):
    """The first unit of the quick form alone."""
    monkeypatch.chdir(tmp_path)
    study = load(name)
    results = pd.DataFrame(study.measure(study.units(True)[0], None))
    findings_page.write(name, study, results, True)
    check(read(findings_page.QUICK / f"{name}.csv"), name)


def test_every_file_is_a_study_or_helps_one_or_makes_what_docs_show():
    """What is run by itself and is no study writes a page, a picture or numbers that the repository keeps."""
    files = {path.stem: ast.parse(path.read_bytes()) for path in (ROOT / "studies").glob("*.py")}
    imported = {
        part
        for tree in files.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("studies")
        for part in (str(node.module).removeprefix("studies.").split(".")[0], *(alias.name for alias in node.names))
    }
    makers = {"architecture", "badges", "measured_intervals", "peer_automl", "readers_page", "site_pages", "trap_finds"}
    assert {*files} - {*NAMES} - imported - {"__main__"} == makers


def test_numbers_have_four_digits_and_texts_stay():
    assert [findings_page.plain(value) for value in (0.123456, 12345.6, "3/4", "16-5-5")] == [
        0.1235,
        12350,
        "3/4",
        "16-5-5",
    ]
