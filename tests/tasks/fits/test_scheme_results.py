"""data/results: every loss has its candidate, its unit and its row."""

import numpy as np
import pandas as pd
import pytest

from heldout.estimates import estimate_candidate, schemes_of
from heldout.losses.tested_losses import repeated_by_row
from heldout.parts.partition import Partition
from heldout.parts.weights import Weights
from heldout.running.stored import Finished
from heldout.schemes.design import half_losses
from tasks.data.prepare_tables import Prepared
from tasks.data.unlabeled import from_rows
from tasks.data.write_prepared import write_prepared
from tasks.fits import scheme_results
from tasks.fits.fitted import Fitted
from tasks.plans.read_design import read_design
from tasks.storage import files

BLOCK = 7  # 30 steps: four blocks of 7 and one of 2
NO_FURTHER = "intervals.E_cv=bayle within"


def marks(rows, candidate: int, number: int) -> np.ndarray:
    """Losses that tell where they come from: a million a candidate, a thousand a split, one a row."""
    return 1e6 * candidate + 1e3 * number + rows


def finished(splits, candidate: int, training: bool) -> Finished:
    """Losses of rows trained on are marked by a half more."""
    return Finished(
        ("",) * len(splits),
        tuple(marks(split.validation, candidate, number) for number, split in enumerate(splits)),
        tuple(marks(split.train, candidate, number) + 0.5 if training else None for number, split in enumerate(splits)),
    )


def told(splits, training=False) -> dict[str, Finished]:
    return {"second": finished(splits, 2, training), "first": finished(splits, 1, training)}


def lines(table: str) -> list[tuple]:
    frame = files.read_result(table)
    assert ["candidate", "unit", "row", "loss"] == list(frame.columns)
    return list(frame.itertuples(index=False, name=None))


def expected(units, unit_of=lambda number, row: number, plus=0.0) -> list[tuple]:
    return [
        (name, unit_of(number, row), row, 1e6 * candidate + 1e3 * number + row + plus)
        for name, candidate in (("second", 2), ("first", 1))
        for number, row in units
    ]


@pytest.fixture
def design_of(prepared):
    """The design of rows.csv in blocks of 7, with changes."""
    return lambda *changes: read_design(prepared(f"progressive.block={BLOCK}", *changes))


def test_the_holdout_tells_the_rows_held_out_and_all_rows(prepared, design_of):
    design = design_of()
    validation = files.read_partition().validation
    fits = {name: told(design.splits(name)) for name in ("holdout", "final")}
    scheme_results.write(prepared(), Fitted(design, fits, {"third": "no"}), {})
    assert expected([(0, row) for row in np.flatnonzero(validation)]) == lines("holdout")
    assert expected([(0, row) for row in range(60)]) == lines("final")
    assert ({"third": "no"}, {}) == scheme_results.read_failures()


def test_cross_validation_tells_each_row_once_and_its_fold(prepared, design_of):
    design, fold = design_of(NO_FURTHER), files.read_partition().fold
    fits = {"cross_validation": told(design.splits("cross_validation"))}
    scheme_results.write(prepared(), Fitted(design, fits), {})
    in_order = [(number, row) for number in range(5) for row in np.flatnonzero(fold == number)]
    assert expected(in_order) == lines("cross_validation")


CHANGES = {
    "subsamples": "intervals.E_cv=corrected t",
    "repeated_folds": "intervals.E_cv=corrected repeated t",
    "fold_pairs": "selection.nested=true",
}


@pytest.mark.parametrize("scheme", CHANGES)
def test_the_further_fits_tell_each_row_that_they_tested(prepared, design_of, scheme):
    design = design_of(NO_FURTHER, CHANGES[scheme])
    fits = {name: told(design.splits(name)) for name in ("cross_validation", scheme)}
    scheme_results.write(prepared(), Fitted(design, fits), {})
    in_order = [(number, row) for number, split in enumerate(design.splits(scheme)) for row in split.validation]
    assert expected(in_order) == lines(scheme)


def test_progressive_validation_tells_each_tested_row_in_the_order_of_its_step(prepared, design_of):
    design, step = design_of(), files.read_partition().step
    scheme_results.write(prepared(), Fitted(design, {"progressive": told(design.splits("progressive"))}), {})
    in_order = [(position // BLOCK, np.flatnonzero(step == position)[0]) for position in range(30)]
    assert expected(in_order, lambda _, row: step[row]) == lines("progressive")


def no_disagreement() -> dict[str, pd.DataFrame]:
    return {
        "disagreement": pd.DataFrame(columns=["candidate", "shard", "repeat", "rows", "disagreement"]),
        "disagreement_rows": pd.DataFrame(columns=["candidate", "shard", "rows", "mean", "variance"]),
    }


def test_covalidation_tells_each_row_once_a_repeat_by_the_half_that_did_not_see_it_and_by_the_one_that_did(
    prepared, design_of
):
    design, halves = design_of(), files.read_halves()
    margins = no_disagreement()
    margins["disagreement"].loc[0] = ["first", 0, 0, 4, 0.5]
    fits = {"covalidation": told(design.splits("covalidation"), training=True)}
    scheme_results.write(prepared(), Fitted(design, fits), margins)
    # hypothesis 2 r + h is trained on half h, so that it tests the rows of the other half
    tested = [(2 * repeat + 1 - halves[repeat, row], row) for repeat in range(3) for row in range(60)]
    assert expected(tested, lambda number, _: number // 2) == lines("covalidation")
    trained = [(2 * repeat + halves[repeat, row], row) for repeat in range(3) for row in range(60)]
    assert expected(trained, lambda number, _: number // 2, plus=0.5) == lines("covalidation_training")
    for name, table in margins.items():
        pd.testing.assert_frame_equal(table, files.read_result(name), check_dtype=False)


ROWS, REPEATS = 13, 4  # an odd number of rows: one half of each repeat has a row more
SHARDS = (1, 7, 3)


@pytest.fixture
def written(checkout, settings_of_rows):
    """A function that leaves the results of two candidates, losses and margins drawn at random, and tells them."""

    def write(*changes):
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
            f"candidates=[{{name: second, {bayes}}}, {{name: first, {bayes}}}]", "progressive.block=3", *changes
        )
        design = read_design(settings)
        fits = {
            scheme: {
                name: Finished(
                    ("",) * len(design.splits(scheme)),
                    tuple(rng.random(len(split.validation)) for split in design.splits(scheme)),
                    tuple(rng.random(len(split.train)) for split in design.splits(scheme)),
                    terms=tuple(
                        {estimate: rng.random(len(split.validation)) for estimate in design.part_losses_in(scheme)}
                        for split in design.splits(scheme)
                    ),
                )
                for name in ("second", "first")
            }
            for scheme in schemes_of(design)
        }
        tables = {name: rng.random((REPEATS, sum(SHARDS))) for name in ("second", "first")}
        scheme_results.write(settings, Fitted(design, fits), margins(tables))
        return design, fits, tables

    return write


def margins(tables) -> dict[str, pd.DataFrame]:
    """The margins of each shard of a table of repeats by unlabelled rows."""
    repeats, rows = [], []
    ends = np.cumsum(SHARDS)[:-1]
    for name, table in tables.items():
        for shard, part in enumerate(np.split(table, ends, axis=1)):
            repeats += [(name, shard, r, part.shape[1], mean) for r, mean in enumerate(part.mean(axis=1))]
            means = part.mean(axis=0)
            rows.append((name, shard, len(means), means.mean(), means.var()))
    empty = no_disagreement()
    return {
        "disagreement": pd.DataFrame(repeats, columns=empty["disagreement"].columns),
        "disagreement_rows": pd.DataFrame(rows, columns=empty["disagreement_rows"].columns),
    }


@pytest.mark.parametrize("change", CHANGES.values())
def test_what_was_written_is_read_back_as_it_was_fitted(written, change):
    design, fits, _ = written(change)
    found = scheme_results.read_evidence(design, ["second", "first"])
    assert ["second", "first"] == list(found)
    for name, evidence in found.items():
        assert {*schemes_of(design)} == {*evidence.losses}
        for scheme, parts in evidence.losses.items():
            for expected, part in zip(fits[scheme][name].losses, parts, strict=True):
                assert expected.tolist() == part.tolist()
        for expected, part in zip(fits["covalidation"][name].training, evidence.training, strict=True):
            assert expected.tolist() == part.tolist()


def test_the_half_models_errors_are_those_of_the_rows_whichever_half_is_larger(written):
    design, fits, _ = written()
    evidence = scheme_results.read_evidence(design, ["first"])["first"]
    for own, parts in ((False, evidence.losses["covalidation"]), (True, evidence.training)):
        table = half_losses(design, parts, on_training_half=own)
        by_number = fits["covalidation"]["first"].training if own else fits["covalidation"]["first"].losses
        for repeat in range(REPEATS):
            for half in (0, 1):
                rows = design.halves[repeat] == (half if own else 1 - half)
                assert by_number[2 * repeat + half].tolist() == table[repeat, rows].tolist()


def test_the_margins_over_shards_are_those_of_all_their_rows_together(written):
    design, _, tables = written()
    found = scheme_results.read_evidence(design, ["first", "second"])
    for name, table in tables.items():
        expected, actual = repeated_by_row(table, design.loss), found[name].disagreement
        assert sum(SHARDS) == actual.n == expected.n
        assert expected.by_repeat.tolist() == pytest.approx(actual.by_repeat.tolist(), rel=1e-12)
        assert expected.row_variance == pytest.approx(actual.row_variance, rel=1e-12)
        assert expected.error == pytest.approx(actual.error, rel=1e-12)


def test_a_candidate_that_failed_is_not_read(written):
    design, _, _ = written()
    assert ["first"] == list(scheme_results.read_evidence(design, ["first"]))


def test_the_losses_of_the_contract_are_those_of_the_four_schemes(written):
    written()
    losses = pd.concat(scheme_results.losses(["first"]))
    assert {"first"} == {*losses["candidate"]}
    for scheme in ("holdout", "cross_validation", "progressive", "covalidation"):
        own = files.read_result(scheme)
        own = own[own["candidate"] == "first"]
        found = losses[losses["scheme"] == scheme]
        for column in ("unit", "row", "loss"):
            assert own[column].tolist() == found[column].tolist()
    assert {"holdout", "cross_validation", "progressive", "covalidation"} == {*losses["scheme"]}
    assert ["candidate", "unit", "row", "loss", "scheme"] == [*losses]


def test_rows_with_weights_have_them_next_to_their_losses(written, tmp_path):
    design, _, _ = written()
    values = 1.0 + np.arange(len(design.y)) % 4
    files.write_losses(scheme_results.losses(["first"], Weights.of(values)))
    losses = pd.read_parquet(files.LOSSES)
    assert ["candidate", "scheme", "unit", "row", "loss", "weight"] == [*losses]
    assert values[losses["row"]].tolist() == losses["weight"].tolist()


@pytest.mark.parametrize("at_once", [1, 7, 60, 100])
def test_a_result_that_is_written_in_pieces_is_read_back_as_the_whole(prepared, design_of, monkeypatch, at_once):
    design, scheme, pieces, write = design_of(NO_FURTHER), "cross_validation", [], files.write_fits
    fitted = Fitted(design, {scheme: told(design.splits(scheme))})
    scheme_results.write(prepared(), fitted, {})
    whole = files.read_result(scheme)

    def in_pieces(tables, record):
        pieces.extend(tables[scheme])
        write({scheme: iter(pieces)}, record)

    monkeypatch.setattr(scheme_results, "_LINES_AT_ONCE", at_once)
    monkeypatch.setattr(files, "write_fits", in_pieces)
    scheme_results.write(prepared(), fitted, {})
    assert 2 * -(-60 // at_once) == len(pieces)
    assert at_once >= max(map(len, pieces))
    pd.testing.assert_frame_equal(whole, files.read_result(scheme), check_exact=True)
    read = pd.concat(files.read_pieces(scheme), ignore_index=True)
    pd.testing.assert_frame_equal(whole, read, check_exact=True)
    for name, own in whole.groupby("candidate"):
        read = files.read_result(scheme, name)
        pd.testing.assert_frame_equal(own.reset_index(drop=True), read, check_exact=True)


def test_a_result_without_candidates_keeps_its_columns(prepared, design_of):
    scheme_results.write(prepared(), Fitted(design_of(NO_FURTHER), {"cross_validation": {}}), {})
    assert [] == lines("cross_validation")


def test_the_losses_of_one_candidate_at_a_time_are_in_memory(written, monkeypatch):
    read = files.read_result
    seen = []

    def spy(table, candidate=None):
        frame = read(table, candidate)
        if "loss" in frame.columns:
            seen.append((table, *frame["candidate"].unique()))
        return frame

    design, _, _ = written()
    monkeypatch.setattr(files, "read_result", spy)
    found = scheme_results.read_evidence(design, ["second", "first"])
    assert [] == seen  # nothing before it is asked for
    for name, evidence in found.items():
        seen.clear()
        estimate_candidate(design, name, evidence)
        assert {name} == {name for _, *names in seen for name in names}
        assert len(seen) == len(set(seen))  # and each table once
    pieces = [len(piece["candidate"].unique()) for piece in scheme_results.losses(["first", "second"])]
    assert {1} == {*pieces}
    assert 8 == len(pieces)


def test_the_terms_of_a_metric_come_back_split_by_split(written):
    design, fits, _ = written("further_estimates=[E_auc, E_f1]", "split.folds=2")
    assert {"E_auc", "E_f1"} == {*design.part_losses}
    read = scheme_results.read_evidence(design, ["second", "first"])
    for name in ("second", "first"):
        for estimate in ("E_auc", "E_f1"):
            assert ["cross_validation", "subsamples"] == [*read[name].terms[estimate]]
            for scheme, parts in read[name].terms[estimate].items():
                expected = [terms[estimate].tolist() for terms in fits[scheme][name].terms]
                assert expected == [part.tolist() for part in parts]
