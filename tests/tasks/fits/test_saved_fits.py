"""data/results/fits: what was fitted comes back, and a notebook reads it too."""

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.estimates import schemes_of
from heldout.losses.tested_losses import ShardMargins, repeated_by_row
from heldout.running.stored_fits import Finished
from heldout.schemes.design import disagreement_of, half_losses
from heldout.splits.partition import Partition
from heldout.unlabelled.half_model_controls import Controls
from tasks.data.prepare_tables import Prepared
from tasks.data.unlabeled import from_rows
from tasks.data.write_prepared import write_prepared
from tasks.fits import saved_fits
from tasks.fits.fit_results import Compared, Fitted
from tasks.plans.read_design import read_design
from tasks.runtime.errors import UserError
from tasks.storage import files

NO_FURTHER = "intervals.E_cv=bayle within"
CHANGES = {
    "subsamples": "intervals.E_cv=corrected t",
    "repeated_folds": "intervals.E_cv=corrected repeated t",
    "fold_pairs": "further_estimates=[E_nested]",
}
ROWS, REPEATS = 13, 4  # an odd number of rows: one half of each repeat has a row more
SHARDS = (1, 7, 3)


@pytest.fixture
def written(checkout, settings_of_rows):
    """A function that leaves what two candidates did, losses and margins drawn at random, and returns both."""

    def write(*changes, draw=lambda rng, n: rng.random(n), **more):
        rng = np.random.default_rng(2)
        halves = np.stack([rng.permutation(np.arange(ROWS) % 2) for _ in range(REPEATS)]).astype(np.int8)
        labeled = pd.DataFrame({"x": rng.normal(size=ROWS), "target": np.arange(ROWS) % 2})
        step = np.full(ROWS, -1)
        step[rng.permutation(ROWS)[:8]] = np.arange(8)
        partition = Partition(np.arange(ROWS) % 4 == 1, rng.permutation(np.arange(ROWS) % 5), step)
        shards = from_rows(pd.DataFrame({"x": np.zeros(max(SHARDS))}), [np.arange(rows) for rows in SHARDS])
        write_prepared(Prepared(labeled, None, shards, partition, halves, "hash"))
        bayes = "estimator: sklearn.naive_bayes.GaussianNB"
        settings = settings_of_rows(
            f"candidates=[{{name: second, {bayes}}}, {{name: first, {bayes}}}, {{name: third, {bayes}}}]",
            "progressive.block=3",
            *changes,
        )
        design = read_design(settings)
        fits = {
            scheme: {
                name: Finished(
                    ("",) * len(design.splits(scheme)),
                    tuple(draw(rng, len(split.validation)) for split in design.splits(scheme)),
                    tuple(draw(rng, len(split.train)) for split in design.splits(scheme)),
                    terms=tuple(
                        {estimate: rng.random(len(split.validation)) for estimate in design.set_metrics_in(scheme)}
                        for split in design.splits(scheme)
                    ),
                )
                for name in ("first", "second")
            }
            for scheme in schemes_of(design)
        }
        tables = {name: rng.random((REPEATS, sum(SHARDS))) for name in ("second", "first")}
        compared = Compared({name: margins(table) for name, table in tables.items()}, **more)
        saved_fits.write(settings, Fitted(design, fits, {"third": "no"}), compared)
        return settings, fits, tables

    return write


def margins(table) -> ShardMargins:
    """Those of each shard of a table of repeats by unlabelled rows."""
    by_repeat = [part.mean(axis=1) for part in np.split(table, np.cumsum(SHARDS)[:-1], axis=1)]
    return ShardMargins.of(np.stack(by_repeat, axis=1), table.sum(axis=0), SHARDS)


def losses_of_0_and_1(rng, n):
    return rng.integers(0, 2, n).astype(float)


@pytest.mark.parametrize("draw", [lambda rng, n: rng.random(n), losses_of_0_and_1], ids=["numbers", "errors"])
@pytest.mark.parametrize("change", CHANGES.values())
def test_what_was_written_is_read_back_as_it_was_fitted(written, change, draw):
    settings, fits, _ = written(change, draw=draw)
    found, models = saved_fits.read_fits(settings)
    assert ("second", "first") == found.candidates == tuple(models)
    assert {"third": "no"} == found.failed
    for name, evidence in found.evidence.items():
        assert {*schemes_of(found.design)} == {*evidence.losses}
        for scheme, parts in evidence.losses.items():
            for expected, part in zip(fits[scheme][name].losses, parts, strict=True):
                assert part.dtype == np.float64
                assert expected.tolist() == part.tolist()
        for expected, part in zip(fits["covalidation"][name].training, evidence.training, strict=True):
            assert expected.tolist() == part.tolist()


def test_a_notebook_reads_what_a_run_left(written):
    settings, fits, _ = written(draw=losses_of_0_and_1)
    found = heldout.load(files.FITTED)
    assert found == saved_fits.read_fits(settings)[0]
    assert np.concatenate(fits["cross_validation"]["first"].losses).mean() == pytest.approx(
        found["first"]["E_cv"].value
    )


def test_the_half_models_errors_are_those_of_the_rows_whichever_half_is_larger(written):
    settings, fits, _ = written()
    found, _ = saved_fits.read_fits(settings)
    design, evidence = found.design, found.evidence["first"]
    for own, parts in ((False, evidence.losses["covalidation"]), (True, evidence.training)):
        table = half_losses(design, parts, on_training_half=own)
        by_number = fits["covalidation"]["first"].training if own else fits["covalidation"]["first"].losses
        for repeat in range(REPEATS):
            for half in (0, 1):
                rows = design.halves[repeat] == (half if own else 1 - half)
                assert by_number[2 * repeat + half].tolist() == table[repeat, rows].tolist()


def test_the_margins_over_shards_are_those_of_all_their_rows_together(written):
    settings, _, tables = written()
    found, _ = saved_fits.read_fits(settings)
    for name, table in tables.items():
        expected = repeated_by_row(table, found.design.loss)
        actual = disagreement_of(found.design, found.evidence[name])
        assert sum(SHARDS) == actual.n == expected.n
        assert expected.by_repeat.tolist() == pytest.approx(actual.by_repeat.tolist(), rel=1e-12)
        assert expected.row_variance == pytest.approx(actual.row_variance, rel=1e-12)
        assert expected.error == pytest.approx(actual.error, rel=1e-12)


def test_what_is_known_of_the_models_comes_back(written):
    known = Controls(np.full((ROWS, 2), 0.25), np.full((9, 2), 0.5))
    settings, _, _ = written(controls={"first": known}, lacking={"second": "no answer"})
    found, models = saved_fits.read_fits(settings)
    assert (0.25, 0.5) == (models["first"].controls.labeled[3, 1], models["first"].controls.unlabeled[8, 0])
    assert "the half models do not answer: no answer" == models["second"].controls
    assert {"disagreement": "no answer"} == found.evidence["second"].failed


def test_the_terms_of_a_metric_come_back_split_by_split(written):
    settings, fits, _ = written("further_estimates=[E_auc, E_f1]", "split.folds=2")
    read, _ = saved_fits.read_fits(settings)
    assert {"E_auc", "E_f1"} == {*read.design.set_metrics}
    for name in ("second", "first"):
        for estimate in ("E_auc", "E_f1"):
            assert ["cross_validation", "subsamples"] == sorted(read.evidence[name].terms[estimate])
            for scheme, parts in read.evidence[name].terms[estimate].items():
                expected = [terms[estimate].tolist() for terms in fits[scheme][name].terms]
                assert expected == [part.tolist() for part in parts]


def test_losses_are_read_and_written_one_candidate_at_a_time(written, monkeypatch):
    asked, of = [], saved_fits.joined_losses
    monkeypatch.setattr(saved_fits, "joined_losses", lambda losses: asked.append(losses) or of(losses))
    settings, fits, _ = written()
    whose = {id(of[name].losses): name for of in fits.values() for name in of}
    names = [whose[id(losses)] for losses in asked]
    assert ["second"] * len(fits) + ["first"] * len(fits) == names
    losses = saved_fits.read_fits(settings)[0].evidence["first"].losses["cross_validation"]
    assert isinstance(losses.values.base, np.memmap)


def test_a_folder_that_was_changed_is_an_error_with_what_to_do(written):
    settings, _, _ = written()
    (files.FITTED / "arrays.npy").write_bytes(b"other")
    with pytest.raises(UserError, match="damaged or changed .*dvc repro"):
        saved_fits.read_fits(settings)
