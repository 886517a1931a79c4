"""The race of a run: what it leaves, what happens where a candidate fails, and what a plan counts."""

import numpy as np
import pandas as pd
import pytest

from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import forecast, race_result, run_schemes, saved_fits
from tasks.fits.fit_results import Compared
from tasks.fits.fit_schemes import fit_schemes
from tasks.params.allowed_imports import use_folder
from tasks.plans import fit_costs
from tasks.plans.fit_counts import count_fits
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.runtime.errors import UserError
from tasks.storage import stage_settings

COINS = [
    f"{{name: coin {p}, estimator: sklearn.dummy.DummyClassifier, params: {{strategy: uniform, random_state: {p}}}}}"
    for p in range(10)
]
STUMP = "{name: stump, estimator: sklearn.tree.DecisionTreeClassifier, params: {max_depth: 1, random_state: 0}}"
NEAR = "{name: near, estimator: sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: 1}}"
ALWAYS = "{name: always, estimator: mine.Breaks, params: {most: 0}}"
BREAKS = """
from sklearn.tree import DecisionTreeClassifier

class Breaks(DecisionTreeClassifier):
    def __init__(self, most=0):
        super().__init__(random_state=0)
        self.most = most

    def fit(self, X, y):
        if len(X) > self.most:
            raise ValueError(f"more than {self.most} rows")
        return super().fit(X, y)
"""
FEW = "intervals={E_cv: Bayle within folds}"  # no subsamples
ROWS = 200  # 40 of them in the hold-out, 100 on the stream


@pytest.fixture
def settings_for(checkout, settings_of_rows, monkeypatch):
    """Prepared rows whose class is the sign of x, and settings with these candidates; tasks run in this process."""
    (checkout / "mine.py").write_text(BREAKS)
    use_folder(str(checkout), ["mine"])
    x = np.random.default_rng(7).normal(size=ROWS)
    pd.DataFrame({"x": x, "kind": np.where(x > 0, "won", "lost")}).to_csv("rows.csv", index=False)
    write_prepared(prepare(settings_of_rows()))
    monkeypatch.setattr(run_schemes, "run_all", in_this_process)

    def of(*candidates, **changes):
        more = [f"{key.replace('__', '.')}={value}" for key, value in changes.items()]
        modules = "execution.allowed_modules=[sklearn, mine]"
        return settings_of_rows(
            f"candidates=[{', '.join(candidates)}]",
            "progressive.block=auto",
            modules,
            "covalidation.repeats=2",
            FEW,
            *more,
        )

    return of


done: list[str] = []


def in_this_process(_settings, _what, todo, _reused, **_more):
    """In place of Prefect and the workers."""
    done.extend(work.name for work in todo)
    return [work.function(*work.arguments) for work in todo]


def breaks(most):
    return f"{{name: breaks, estimator: mine.Breaks, params: {{most: {most}}}}}"


def stored_race(settings):
    """The race, of a run whose fits are left for later stages."""
    fitted = fit_schemes(settings)
    saved_fits.write(settings, fitted, Compared())
    stage_settings.write("fit", settings)
    return fitted.dropped


def names(dropped):
    return {one.candidate for one in dropped}


def left(dropped, settings):
    """The settings with those that the race left."""
    kept = [candidate for candidate in settings.candidates if candidate.name not in names(dropped)]
    return settings.model_copy(update={"candidates": kept})


def test_one_that_fails_is_tried_once_and_its_reason_is_kept(settings_for):
    settings = settings_for(*COINS, STUMP, NEAR, ALWAYS)
    done.clear()
    fitted = fit_schemes(settings)
    assert [name for name in done if "always" in name] == ["block 1/8 · always"]
    assert [*fitted.failures] == ["always"]
    assert "more than 0 rows" in fitted.failures["always"]
    assert not [name for name in done if "fold" in name and ("always" in name or "coin" in name)]
    assert {*fitted.finished["cross_validation"]} == {"stump", "near"}
    saved_fits.write(settings, fitted, Compared())
    read, _ = saved_fits.read_fits(settings)
    assert (read.dropped, read.failed) == (fitted.dropped, fitted.failures)


@pytest.mark.parametrize("most", [105, 150, 185])
def test_one_that_fails_late_has_dropped_nobody(settings_for, most):
    """In the race, or after it: as if it had never started."""
    alone = fit_schemes(settings_for(*COINS, STUMP))
    with_it = fit_schemes(settings_for(*COINS, STUMP, breaks(most)))
    assert [*with_it.failures] == ["breaks"]
    assert with_it.dropped == alone.dropped
    assert all(one.against != "breaks" for one in with_it.dropped)


def test_what_the_last_that_was_left_had_dropped_is_raced_again(settings_for):
    """No other is good: `breaks` drops all coins in the race, and fails on the last blocks, when it is alone."""
    fitted = fit_schemes(settings_for(*COINS, breaks(180)))
    assert [*fitted.failures] == ["breaks"]
    assert "breaks" not in {one.against for one in fitted.dropped}
    assert "coin 0" in fitted.finished["cross_validation"]


def test_where_all_that_are_left_fail_later_the_remedy_is_named(settings_for):
    """The hypothesis of all 200 rows is not made by the stream."""
    with pytest.raises(UserError, match=r"all failed.*selection\.race to off .*: the 10 that were left out"):
        fit_schemes(settings_for(*COINS, breaks(199)))


def test_all_that_fail_in_the_race_end_it(settings_for):
    others = [f"{{name: b{place}, estimator: mine.Breaks, params: {{most: {place}}}}}" for place in range(11)]
    with pytest.raises(UserError, match="all failed, so there is nothing to select; fix at least one$"):
        fit_schemes(settings_for(*others))


def test_its_fits_say_how_long_a_fit_takes(settings_for):
    settings = settings_for(*COINS, STUMP)
    fit_schemes(settings)
    labeled = Versions.current().labeled
    assert all(fit_costs.known(candidate, labeled) is not None for candidate in settings.candidates)


def lines(settings):
    """The lines of a plan before those of measured seconds."""
    found = []
    for part in forecast.parts(settings):
        found.append(part)
        if "race" in part.numbers:
            return found
    raise AssertionError("no line about the race")


def test_a_plan_counts_no_fit_of_one_that_was_dropped(settings_for):
    settings = settings_for(*COINS, STUMP, NEAR)
    *_, before = lines(settings)
    assert before.numbers["race"]["expected"] is None
    assert "nobody knows before the first look" in before.text
    dropped = stored_race(settings)
    assert len(dropped) == 10
    table, fits, race = lines(settings)
    for one in dropped:
        assert {0} == {*table.numbers["fits"][one.candidate].values()}
    assert f"it dropped {len(dropped)} of 12" in race.text
    of_left = count_fits(left(dropped, settings), Versions.current())
    assert fits.numbers["to_do"] == of_left.to_do == race.numbers["race"]["expected"]


def test_a_plan_expects_the_last_race_again_on_other_rows(settings_for, settings_of_rows):
    settings = settings_for(*COINS, STUMP, NEAR)
    dropped = stored_race(settings)
    rows = pd.read_csv("rows.csv")
    more = pd.concat([rows, rows.assign(x=rows["x"] * 1.01)], ignore_index=True)
    more.to_csv("rows.csv", index=False)
    write_prepared(prepare(settings_of_rows()))
    *_, race = lines(settings)
    told = race.numbers["race"]
    blocks = {one.candidate: one.blocks(read_design(settings)) for one in dropped}
    of_left = count_fits(left(dropped, settings), Versions.current()).to_do
    assert told["expected"] == of_left + sum(blocks.values())
    assert told["least"] < told["expected"] < told["most"]
    assert "the last race dropped, which was on other rows" in race.text


def test_weights_are_the_reason_where_they_leave_no_limit(settings_for, checkout, settings_of_rows):
    rows = pd.read_csv("rows.csv").assign(heavy=np.linspace(1, 3, ROWS))
    rows.to_csv("rows.csv", index=False)
    weighted = [
        f"{{name: tree {d}, estimator: sklearn.tree.DecisionTreeClassifier, params: {{max_depth: {d}}}}}"
        for d in range(1, 12)
    ]
    settings = settings_of_rows(f"candidates=[{', '.join(weighted)}]", "data.weight=heavy")
    write_prepared(prepare(settings))
    reason = race_result.reason_for_none(settings)
    assert "weights" in reason
    assert "loss_max" not in reason
