"""The coverage study: simulated populations keep the levels of docs/coverage.md, and it resumes."""

import re
from math import sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.estimates.methods import DEFAULTS
from heldout.learners.fitting import test as losses_of
from heldout.losses import SQUARED
from studies import coverage, coverage_page, coverage_picture, judgements
from studies.coverage import run_shard
from studies.coverage_samples import halvings, observe_all
from studies.judgements import Cell
from studies.learners import learner_of
from studies.populations import FRESH, REAL, SIMULATED, population

ROOT = Path(__file__).parents[2]
QUICK_REPEATS = 200
CELL = Cell("interaction", "unstable", 50)


def test_a_sample_is_seen_the_same_whichever_shard_it_is_in():
    together = observe_all(CELL, 0, 2, None)
    alone = observe_all(CELL, 1, 1, None)
    assert together.keys() == alone.keys()
    for name in together:
        assert np.array_equal(together[name][1], alone[name][0])


def test_the_truth_is_the_error_over_the_whole_population():
    seen = observe_all(Cell("null labels", "stable", 50), 0, 1, None)
    # no learner knows null labels: every true error is a mean of 4000 coins, sd 0.5 / sqrt(4000) = 0.008, 5 of them
    for estimate in ("E_val", "E_cv", "E_prog", "E_2cv"):
        assert 0.5 == pytest.approx(float(seen[f"true {estimate}"][0]), abs=0.04)


@pytest.mark.parametrize("name", [*SIMULATED, *FRESH])
def test_a_population_is_the_same_each_time(name):
    again = population.__wrapped__(name, None)
    assert np.array_equal(population(name, None).X, again.X)
    assert np.array_equal(population(name, None).y, again.y)


def test_real_populations_ask_for_their_folder():
    with pytest.raises(
        ValueError, match="^the population adult is real: name the folder of the data sets with --data$"
    ):
        population("adult", None)


def test_a_finished_shard_is_not_made_again_and_a_lost_judgement_needs_no_fit(tmp_path, monkeypatch):
    run_shard(CELL, 0, 2, None, tmp_path)
    (judged,) = tmp_path.rglob("*.parquet")
    before = judged.read_bytes()
    judged.unlink()

    def no_fit(*_):
        raise AssertionError("a fit was made")

    monkeypatch.setattr(coverage, "observe_all", no_fit)
    run_shard(CELL, 0, 2, None, tmp_path)
    assert before == judged.read_bytes()
    # as it is, it is not judged again; judged by other code it is, from the observations of whichever cell
    monkeypatch.setattr(judgements, "judge", no_fit)
    judgements.judge_stored(tmp_path, 1)
    monkeypatch.undo()
    stale = judged.with_name("2x000.parquet")
    judged.rename(stale)
    assert judgements.Cell.of(stale) == CELL
    judgements.judge(judged.with_name("2x000.npz"))
    assert (before, False) == (judged.read_bytes(), stale.exists())


def test_the_losses_of_a_cell_are_known_without_its_rows():
    for name, make in {**SIMULATED, **FRESH}.items():
        assert Cell(name, "stable", 50).numbers == (make().loss == SQUARED), name
    assert [name for name in REAL if Cell(name, "stable", 50).numbers] == ["california_housing"]


def test_the_page_counts_coverage_and_relative_width_by_hand(tmp_path):
    run_shard(CELL, 0, 3, None, tmp_path)
    cells = coverage_page.read(tmp_path)
    (judged,) = tmp_path.rglob("*.parquet")
    lines = pd.read_parquet(judged)
    own = lines[(lines["estimate"] == "E_cv") & (lines["method"] == "corrected Wilson")]
    cell = cells[(cells["estimate"] == "E_cv") & (cells["method"] == "corrected Wilson")].iloc[0]
    assert ((own["low"] <= own["truth"]) & (own["truth"] <= own["high"])).mean() == cell["covers"]
    assert (own["high"] - own["low"]).mean() / own["value"].std() == pytest.approx(cell["relative"])
    assert 3 == cell["samples"]
    with pytest.raises(FileNotFoundError, match="holds no shard of the coverage study$"):
        coverage_page.read(tmp_path / "elsewhere")


def line(estimate, task, method, population, n, samples, covers, relative) -> dict:
    """A line of docs/coverage.csv."""
    return {
        "estimate": estimate,
        "task": task,
        "method": method,
        "population": population,
        "learner": "stable",
        "n": n,
        "samples": samples,
        "covers": covers,
        "covers_g": 0.9,
        "relative": relative,
    }


def test_the_page_of_unequal_cells_lists_those_that_are_short(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(coverage_page, "draw", lambda *_: None)  # seconds of matplotlib
    coverage_page.TABLE.parent.mkdir()
    today = [
        line("E_val", "numbers", "pooled shape", "heavy_tails", 50, 400, 0.9, 5.0),
        line("E_val", "numbers", "pooled shape", "heavy_tails", 100, 100, 0.95, 4.4),
        line("E_val", "numbers", "log t", "heavy_tails", 100, 100, 0.8, 4.0),
        line("E_cv", "classes", "corrected Wilson", "letter", 50, 400, 0.97, 3.3),
        line("half models", "classes", "least mean error", "letter", 50, 400, 1.0, np.inf),
    ]
    coverage_page.write(pd.DataFrame(today))
    page = coverage_page.PAGE.read_text(encoding="utf-8")
    assert "100 to 400 samples" in page
    told = dict(zip(*[iter(re.split(r"^##+ (.+)$", page, flags=re.MULTILINE)[1:])] * 2, strict=True))
    (short,) = re.findall(r"^\| `E_.*$", told["Cells in which a default covers less than 0.92"], re.MULTILINE)
    # sqrt(361 / 402 x 41 / 402 / 400) = 0.0151
    assert "| `E_val` | pooled shape | heavy tails | stable | 50: 0.900 (0.015) | heavy tails |" == short
    of_numbers = re.findall(r"^\| [^|-].*$", told["E_val, numbers: 2 cells"], re.MULTILINE)[1:]
    assert "| log t (1 cells) | 0.800 | 0.800 | 4.00 | 0.900 | 0 |" == of_numbers[0]
    assert "| **pooled shape** | 0.925 | 0.900 | 4.70 | 0.900 | 0 |" == of_numbers[1]
    assert 5 == len(pd.read_csv(coverage_page.TABLE))


@pytest.mark.long
@pytest.mark.parametrize("learner", ["stable", "unstable"])
def test_coverage_measured_through_target_agrees_with_the_page(learner):
    samples, n, estimates = 150, 100, ("E_val", "E_cv", "E_2cv")
    whole = population("interaction", None)
    everywhere = np.arange(len(whole.y))
    covered = dict.fromkeys(estimates, 0)
    for sample in range(samples):
        rows = np.random.default_rng([sample, 77]).integers(0, len(whole.y), n)  # none of the study's samples
        candidate = {"it": learner_of(learner, whole.loss)}
        found = heldout.validate(
            candidate, whole.X[rows], whole.y[rows], seed=sample, repeats=halvings(n), estimates=estimates
        )
        for record in found.estimates:
            truth = np.mean(
                [
                    losses_of(one, whole.X, whole.y, everywhere, whole.loss).mean()
                    for one in found.target("it", record.estimate)
                ]
            )
            covered[record.estimate] += record.low <= truth <= record.high
    page = pd.read_csv(Path(__file__).parents[2] / coverage_page.TABLE)
    own = page[(page["population"] == "interaction") & (page["learner"] == learner) & (page["n"] == n)]
    for estimate, count in covered.items():
        line = own[(own["estimate"] == estimate) & (own["method"] == DEFAULTS[estimate].zero_one.name)].iloc[0]
        # both are shares of samples: a difference strays by sqrt(p (1 - p) (1/150 + 1/1000)); 3.5 of those
        share = (count + line["covers"] * line["samples"]) / (samples + line["samples"])
        spread = sqrt(share * (1 - share) * (1 / samples + 1 / line["samples"]))
        assert line["covers"] == pytest.approx(count / samples, abs=3.5 * spread), estimate


@pytest.mark.long
def test_the_quick_study_finds_the_defaults_at_their_level(tmp_path):
    shards = [(cell, 0, QUICK_REPEATS, None, tmp_path) for cell in coverage.cells(list(SIMULATED), (100,))]
    judgements.in_processes(run_shard, shards, 2, "shards")
    cells = coverage_page.read(tmp_path)
    assert 2 * len(SIMULATED) == cells.groupby(["population", "learner"]).ngroups
    classes = cells[cells["task"] == "classes"]
    # a share of 200 samples about 0.94 (what is promised of the defaults) strays by sqrt(0.94 x 0.06 / 200) = 0.0168;
    # 3.5 of those are passed by one cell of 24 in a hundred runs; the seed is fixed
    least = 0.94 - 3.5 * sqrt(0.94 * 0.06 / QUICK_REPEATS)
    for estimate in ("E_val", "E_cv", "E_prog"):
        default = DEFAULTS[estimate].zero_one.name
        own = classes[(classes["estimate"] == estimate) & (classes["method"] == default)]
        assert 2 * (len(SIMULATED) - 1) == len(own)
        assert own["covers"].min() >= least, own


def test_the_page_is_what_its_table_says():
    assert (ROOT / coverage_page.PAGE).read_text(encoding="utf-8") == coverage_page.written()


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("estimate", list(coverage_picture.QUESTIONS))
def test_a_panel_has_ours_first_and_names_the_worst_cell_of_each_method(estimate, task):
    cells = pd.read_csv(ROOT / coverage_page.TABLE)
    ours, *others = coverage_picture.rows(cells, estimate, task)
    default = DEFAULTS[estimate].zero_one if task == "classes" else DEFAULTS[estimate].other
    assert [default.name] == ours.cells["method"].unique()
    assert {coverage_picture.LIGHT.ours} == {ours.colour} != {row.colour for row in others}
    assert others
    drawn = "\n".join(text.get_text() for axes in coverage_picture.figure(cells).axes for text in axes.texts)
    for row in (ours, *others):
        worst = row.cells.sort_values("covers").iloc[0]
        assert f"worst {worst['covers']:.3f}".replace(" 0.", " .") in drawn
        assert 1 == row.cells["method"].nunique()


def test_the_page_says_what_its_populations_do_not_show():
    page = (Path(coverage_page.__file__).parents[1] / coverage_page.PAGE).read_text(encoding="utf-8")
    told = "\n".join(coverage_page.beyond())
    assert told in page
    unmarked = re.findall(r"^\| (?:E_\w+|difference \w+) \| ([0-9.]+) ", told, re.MULTILINE)
    assert len(unmarked) == 6  # E_cv, E_2cv, E_val, E_prog, and two kinds of differences
    assert min(map(float, unmarked)) >= 0.88  # .885 of E_2cv
    assert "covers 0.868" in told
