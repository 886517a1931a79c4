"""`heldout.validate` in a notebook and a run of the commands are one method: the same numbers from the same rows."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
import skops.io

import heldout
from heldout.estimates import ESTIMATES
from heldout.estimates.criteria import compares_by
from heldout.losses import choose_loss
from heldout.losses.amounts import amount
from heldout.selection.race import MORE_THAN
from tasks.params import load
from tasks.storage import report_tables
from tests.end_to_end.conftest import Ran
from tests.golden.configurations import OF_BOTH_DOORS, RICH

TEXTS, NUMBERS = ["target", "interval"], ["value", "low", "high", "level", "n_train", "n_tested"]


def in_a_notebook(ran, settings) -> heldout.Validation:
    """The same from the prepared rows alone."""
    folder = ran.path / "data/prepared"
    labeled = pd.read_parquet(folder / "labeled.parquet")
    shards = [pd.read_parquet(path) for path in sorted((folder / "unlabeled").glob("shard-*.parquet"))]
    loss = choose_loss(settings.loss, labeled["target"].to_numpy())
    per_candidate = ["E_in", "E_val", "E_cv", "E_prog", "E_2cv", "E_train"]
    per_candidate += [name for name in ("disagreement", "E_dis", "E_maxdt") if ESTIMATES[name].refused_by(loss) is None]
    return heldout.validate(
        {candidate.name: candidate.learner() for candidate in settings.candidates},
        labeled.drop(columns="target"),
        labeled["target"].to_numpy(),
        unlabeled=pd.concat(shards),
        loss=settings.loss,
        loss_max=settings.loss_max,
        seed=settings.seed,
        level=settings.selection.level,
        validation_fraction=settings.split.validation_fraction,
        folds=len(labeled) if settings.split.folds == "loo" else settings.split.folds,
        tested_fraction=settings.progressive.tested_fraction,
        block=settings.progressive.block,
        repeats=settings.covalidation.repeats,
        estimates=[*per_candidate, "E_bbc"],
        further_estimates=settings.further_estimates,
        intervals=settings.intervals,
    )


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(changes, id=name, marks=pytest.mark.slow if changes is RICH else pytest.mark.long)
        for name, changes in OF_BOTH_DOORS.items()
    ],
)
def both(request, tmp_path_factory):
    """A run of the commands, its settings, and what a notebook finds on its prepared rows."""
    if request.param is RICH:
        ran = request.getfixturevalue("rich")
    else:
        checkout = request.getfixturevalue("clone")(request.getfixturevalue("server"))
        write = request.getfixturevalue("write_params")
        params = write(tmp_path_factory.mktemp("user") / "params.yaml", **request.param)
        said = checkout.flow("validate", "--params", params).stdout
        ran = Ran(checkout, params, said)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])  # `load` adds the folder of the parameters
        settings = load(ran.params)
    return ran, settings, in_a_notebook(ran, settings)


def test_every_line_of_the_estimates_is_the_same(both):
    ran, _, found = both
    written = pd.read_csv(ran.path / "reports/estimates.csv")
    written = written[written["estimate"] != "E_test"].set_index(["candidate", "estimate"])
    told = pd.DataFrame([vars(record) for record in (*found.estimates, *found.baseline)]).set_index(
        ["candidate", "estimate"]
    )
    assert sorted(written.index) == sorted(told.index)
    told = told.loc[written.index]
    for name in TEXTS:
        assert written[name].fillna("").tolist() == told[name].fillna("").tolist()
    for name in NUMBERS:
        expected = told[name].astype(float).tolist()
        assert expected == pytest.approx(written[name].tolist(), rel=1e-9, abs=1e-9, nan_ok=True), name


def test_the_saved_result_of_a_run_is_that_of_the_notebook_with_the_opened_test_set(both):
    ran, settings, found = both
    loaded = heldout.load(ran.path / "data/results/validation", loss=settings.loss if callable(settings.loss) else None)
    selected = json.loads((ran.path / "reports/selection.json").read_text())
    on_test = [record.value for record in loaded.estimates if record.estimate == "E_test"]
    assert on_test == ([] if selected["E_test"] is None else [pytest.approx(selected["E_test"], rel=1e-9)])
    assert (loaded.criterion, loaded.rule) == (settings.criterion, settings.selection.rule)
    assert (loaded.other_population() or None) == selected.get("other_population")
    others = [record for record in loaded.estimates if record.estimate != "E_test"]
    told = {(record.candidate, record.estimate): record for record in found.estimates}
    assert [(one.candidate, one.estimate) for one in others] == [*told]
    values = [told[one.candidate, one.estimate].value for one in others]
    assert [one.value for one in others] == pytest.approx(values, rel=1e-9, abs=1e-9)


def test_a_race_drops_the_same_candidates(both):
    ran, settings, found = both
    told = json.loads((ran.path / "reports/selection.json").read_text())
    assert [one["candidate"] for one in told["dropped"]] == [one.candidate for one in found.dropped]
    for written, one in zip(told["dropped"], found.dropped, strict=True):
        numbers = {
            name: pytest.approx(value, rel=1e-9) for name, value in vars(one).items() if isinstance(value, float)
        }
        assert written == {**vars(one), **numbers}
    assert bool(found.dropped) is (len(settings.candidates) > MORE_THAN)
    assert [*told["candidates"]] == [candidate.name for candidate in settings.candidates]


def test_the_choice_is_the_same(both):
    ran, settings, found = both
    told = pd.read_json(ran.path / "reports/selection.json", typ="series")
    selection, by = found.select(settings.criterion, settings.selection.rule), compares_by(settings.criterion)
    assert told["selected"] == selection.selected
    assert told["indistinguishable"] == list(selection.indistinguishable)
    E_cv = next(record.value for record in found.baseline if record.estimate == "E_cv")
    written = pd.read_csv(ran.path / "reports/differences.csv")
    in_notebook = pd.DataFrame([vars(record) for record in found.differences(selection.selected, by)])
    pd.testing.assert_frame_equal(written, in_notebook[written.columns], rtol=1e-9, atol=1e-9)
    written = pd.read_csv(ran.path / "reports/tables/more_rows.csv")
    in_notebook = pd.DataFrame([vars(line) for name in found.candidates for line in found.more_rows(name)])
    pd.testing.assert_frame_equal(written, in_notebook[written.columns], rtol=1e-9, atol=1e-9)
    written = pd.read_csv(ran.path / "reports/tables/prediction_powered.csv", dtype={"reason": str}).fillna(
        {"reason": ""}
    )
    in_notebook = pd.DataFrame([vars(line) for name in found.candidates for line in found.prediction_powered(name)])
    in_notebook = in_notebook.reindex(columns=written.columns).astype(written.dtypes)
    pd.testing.assert_frame_equal(written, in_notebook, rtol=1e-9, atol=1e-9, check_dtype=False)
    assert told["baseline"] == pytest.approx(E_cv, rel=1e-9)
    if not settings.split.test_fraction:  # else the test set has its say
        verdict = json.loads((ran.path / "reports/selection.json").read_text())["beats_baseline"]
        assert verdict is found.beats_baseline(selection.selected, by)


def test_the_columns_that_matter_are_the_same(both):
    ran, settings, found = both
    written = report_tables.read(ran.path / "reports/tables/columns.csv")
    if settings.report.columns is False:
        assert written.empty
        return
    lines = found.columns(
        json.loads((ran.path / "reports/selection.json").read_text())["selected"], together=settings.report.columns
    )
    in_notebook = pd.DataFrame([{**vars(line), "columns": " with ".join(line.columns)} for line in lines])
    assert "pixel_2_3 with pixel_2_4" in set(in_notebook["columns"])
    in_notebook = in_notebook.set_index("columns").loc[written["columns"]]  # of equal increases either is first
    for name in ("increase", "low", "high", "level"):
        assert in_notebook[name].tolist() == pytest.approx(written[name].tolist(), rel=1e-9, abs=1e-12), name
    assert "Which columns matter" in (ran.path / "reports/report.html").read_text()


def test_the_bound_is_the_same(both):
    ran, settings, found = both
    told = json.loads((ran.path / "reports/selection.json").read_text())
    if settings.loss == "log":
        assert told["bound"] is None
        return
    bound = found.bound(told["selected"], models=told["contamination"])
    assert (told["bound"], told["bound_hoeffding"]) == pytest.approx((bound.value, bound.hoeffding), rel=1e-9)
    assert bound.method == told["bound_method"]
    assert told["bound_joint"] == (None if bound.joint is None else pytest.approx(bound.joint, rel=1e-9))
    if settings.loss_max is not None:
        said = " ".join((ran.path / "reports/summary.md").read_text().split())
        most = amount(bound.value, found.design.loss)
        assert f" is at most {most}, if no loss is above {settings.loss_max:g} (loss_max): the " in said


def test_a_limit_that_a_loss_passes_is_refused_before_any_fit_and_by_stored_fits(both):
    ran, settings, _ = both
    if settings.loss_max is None:
        return
    losses = pd.read_parquet(ran.path / "data/results/losses.parquet")["loss"]
    of_baseline = pd.read_csv(ran.path / "reports/estimates.csv").query("candidate == 'baseline'")["value"].min()
    for limit, whose in ((float(of_baseline), "baseline, which "), (0.999 * float(losses.max()), "")):
        refused = ran.checkout.flow("validate", "--params", ran.params, "--set", f"loss_max={limit}", check=False)
        assert 2 == refused.returncode
        name = next(iter(settings.loss)) if settings.loss else "squared"
        assert f"loss_max is {limit:g}, but the {name} loss of {whose}" in " ".join(refused.stderr.split())


def test_the_prediction_sets_have_the_same_threshold_which_a_user_applies_to_the_saved_model(both):
    ran, settings, found = both
    (line,) = pd.read_csv(ran.path / "reports/tables/prediction_sets.csv").to_dict("records")
    if pd.isna(line["threshold"]):  # of classes, by votes
        assert f"deliver is {settings.deliver}" in line["reason"]
        return
    path = ran.path / "models/selected.skops"
    model = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    test = pd.read_parquet(ran.path / "data/prepared/test.parquet")
    predicted, y = model.predict(test.drop(columns="target")), test["target"]
    covered = (predicted - line["threshold"] <= y) & (y <= predicted + line["threshold"])
    assert covered.mean() == pytest.approx(line["coverage"])
    labeled = pd.read_parquet(ran.path / "data/prepared/labeled.parquet").drop(columns="target")
    in_notebook = found.prediction_sets(labeled, line["candidate"])
    assert (line["threshold"], line["calibrated"]) == pytest.approx((in_notebook.threshold, in_notebook.calibrated))


def test_what_is_delivered_is_made_of_the_hypotheses_that_the_estimate_is_about(both):
    ran, settings, found = both
    path = ran.path / "models/selected.skops"
    model = skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))
    about = {"k_fold": "E_cv", "vote": "E_cv", "progressive": "E_prog"}[settings.deliver]
    X = pd.read_parquet(ran.path / "data/prepared/labeled.parquet").drop(columns="target")
    targets = found.target(found.select(settings.criterion, settings.selection.rule).selected, about)
    for expected, member in zip(targets, model.members_, strict=True):
        assert np.array_equal(expected.predict(X), member.predict(X))
