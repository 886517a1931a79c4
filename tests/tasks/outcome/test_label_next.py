"""Label-next: rows drawn where half models disagree, returned with labels, weighed by, and not asked again."""

import json

import numpy as np
import pandas as pd
import pytest

from heldout.unlabelled.label_next import UNIFORM, lure_weights
from tasks.data.drawn_rows import COLUMNS
from tasks.data.prepare_tables import prepare
from tasks.data.write_prepared import write_prepared
from tasks.fits import half_model_disagreement
from tasks.fits.worker import fit_units
from tasks.outcome.label_next import ask
from tasks.plans.check_before_fits import check_before_fits
from tasks.plans.fit_plans import scheme
from tasks.plans.read_design import read_design
from tasks.plans.units import Versions
from tasks.plans.units_of_scheme import plan_units
from tasks.runtime.errors import UserError
from tasks.storage import files, label_file
from tasks.storage.output_path import below_checkout

NEAREST = "candidates=[{name: nearest, estimator: sklearn.neighbors.KNeighborsClassifier, params: {n_neighbors: 3}}]"
ACTIVE = ["data.sampling=active", "data.label_probability=label_probability"]


@pytest.fixture
def validated(rows, settings_of_rows, fresh_workers):
    """As much of a run as label-next reads: data/prepared, half models and a winner, by settings with changes."""

    def run(*changes):
        settings = settings_of_rows(NEAREST, *changes)
        write_prepared(prepare(settings))
        plan = scheme(read_design(settings), "covalidation", settings.deliver)
        for candidate, units in plan_units(settings, plan, Versions.current()):
            assert fit_units(settings, candidate, units, Versions.current()) is None
        files.REPORTS.mkdir(exist_ok=True)
        files.SELECTION.write_text(json.dumps({"selected": "nearest"}))
        return settings

    return run


@pytest.fixture
def shards(checkout, rows):
    """Two files of 40 and 20 unlabelled rows, and their features by id; `x` decides which labelled row is near."""
    x = 100 * np.random.default_rng(8).normal(size=60)
    rows["x"] *= 100
    rows.to_csv("rows.csv", index=False)
    features = {}
    for name, part in (("march", np.arange(40)), ("april", np.arange(40, 60))):
        (checkout / "new").mkdir(exist_ok=True)
        pd.DataFrame({"id": 100 + part, "x": x[part]}).to_csv(f"new/{name}.csv", index=False)
        features |= {f"{name}:{row}": x[place] for row, place in enumerate(part)}
    return features


def labelled(table, rows):
    """The table of the user with the rows that came back."""
    back = table.assign(kind=np.where(table["x"] > 0, "won", "lost"))
    whole = pd.concat([rows, back], ignore_index=True)
    whole.to_csv("rows.csv", index=False)
    return whole


@pytest.mark.slow
def test_rows_of_files_are_asked_by_their_names_weighed_when_they_return_and_not_asked_again(validated, shards, rows):
    settings = validated("data.unlabeled=new")
    asked = ask(settings, 12)
    table = asked.table
    assert [*COLUMNS, "kind", "id", "x"] == [*table.columns]
    assert (60, 0, "nearest") == (asked.pool, asked.before, asked.candidate)
    assert [shards[name] for name in table["label_id"]] == pytest.approx(table["x"].tolist(), rel=1e-15)
    assert list(range(1, 13)) == table["label_order"].tolist()
    assert table["kind"].isna().all()
    left = 60 - np.arange(12)
    assert (table["label_probability"] >= UNIFORM / left - 1e-12).all()
    assert 1 < len(table["label_probability"].mul(left).round(9).unique())  # the half models differ at some rows
    assert table.equals(ask(settings, 12).table)  # the same call
    assert table.head(5).equals(ask(settings, 5).table)

    whole = labelled(table, rows)
    settings = validated("data.unlabeled=new", *ACTIVE)
    assert (
        "E_cv"
        == settings.model_copy(
            update={"selection": settings.selection.model_copy(update={"criterion": None})}
        ).criterion
    )
    roles, labeled = files.read_roles(), pd.read_parquet(files.LABELED)
    assert ["id", "x", "target"] == [*labeled.columns]  # no column of label-next is a feature
    place = whole.set_index("id")["label_order"].reindex(labeled["id"]).to_numpy()
    drawn = ~np.isnan(place)
    assert 12 == drawn.sum()
    weights = lure_weights(table["label_probability"], np.full(12, 60))
    assert weights[place[drawn].astype(int) - 1].tolist() == roles["weight"][drawn].tolist()
    assert {1.0} == {*roles["weight"][~drawn].tolist()}
    design = read_design(settings)
    assert (True, None) == (design.weights.drawn, design.weights.of_fit)
    check_before_fits(settings)  # the learner takes no weights, and needs none

    later = ask(settings, 48)  # all others
    assert (60, 12) == (later.pool, later.before)
    assert list(range(13, 61)) == later.table["label_order"].tolist()
    assert {*shards} == {*table["label_id"], *later.table["label_id"]}
    with pytest.raises(UserError, match="N is 49, but it must lie between 1 and 48"):
        ask(settings, 49)


@pytest.mark.slow
def test_rows_of_the_table_itself_are_asked_by_their_places_and_filled_in_where_they_are(validated, rows):
    rows.loc[20:, "kind"] = None
    rows.to_csv("rows.csv", index=False)
    asked = ask(validated("data.shards=3", "split.folds=2"), 6)
    assert 40 == asked.pool
    numbers = asked.table["label_id"].str.removeprefix("rows:").astype(int)
    assert numbers.tolist() == asked.table["id"].tolist()
    assert (numbers >= 20).all()
    back = asked.table.assign(kind="won").set_index(numbers)[[*COLUMNS, "kind"]]
    for column in COLUMNS:
        rows[column] = None
    rows.loc[numbers, [*COLUMNS, "kind"]] = back
    rows.to_csv("rows.csv", index=False)
    later = ask(validated("data.shards=3", "split.folds=2", *ACTIVE), 34)  # they have left the shards
    assert (40, 6) == (later.pool, later.before)
    assert not {*asked.table["label_id"]} & {*later.table["label_id"]}


@pytest.mark.slow
def test_no_row_is_asked_whose_label_the_delivered_model_knows(validated, rows):
    settings = validated("split.rows=40")  # the other 20 are unlabelled for the estimates alone
    with pytest.raises(UserError, match="it must lie between 1 and 0"):
        ask(settings, 1)
    settings = validated("data.labeled_rows=40", "data.shards=2")
    assert 20 == ask(settings, 20).pool


def test_the_test_set_is_that_of_before_the_columns_came(settings_of_rows, rows):
    before = prepare(settings_of_rows("split.test_fraction=0.3"))
    for column in COLUMNS:
        rows[column] = np.nan
    rows.to_csv("rows.csv", index=False)
    after = prepare(settings_of_rows("split.test_fraction=0.3", *ACTIVE))
    assert before.test["id"].tolist() == after.test["id"].tolist()
    assert (before.seen.labeled, before.seen.columns) == (after.seen.labeled, after.seen.columns)


def with_draws(rows, **changes):
    """rows.csv, whose last three rows are draws 3, 1, 2 of a pool of 60."""
    draws = {"label_id": "m:1", "label_order": [3, 1, 2], "label_pool": 60, "label_probability": 0.02}
    for name, values in (draws | changes).items():
        rows[name] = pd.Series([None] * 57 + (values if isinstance(values, list) else [values] * 3), dtype=object)
    rows.to_csv("rows.csv", index=False)


@pytest.mark.parametrize(
    ("changes", "settings", "words"),
    [
        ({"label_order": [3, 1, 1]}, ACTIVE, ["label_order", "1 are there twice"]),
        ({"label_order": [5, 1, 2]}, ACTIVE, ["label_order", "3, 4 have no label"]),
        ({"label_order": [3, 1, None]}, ACTIVE, ["label_order of row 59", "whole number"]),
        ({"label_order": [3, 1, 2.5]}, ACTIVE, ["label_order of row 59", "'2.5'", "whole number"]),
        ({"label_pool": [60, 60, 0]}, ACTIVE, ["label_pool of row 59", "at least 1"]),
        ({"label_pool": 2}, ACTIVE, ["draw 3", "is 2", "label_order"]),
        ({"label_probability": [0.1, "often", 0.1]}, ACTIVE, ["label_probability of row 58", "'often'", "a number"]),
        ({"label_probability": [0.1, 0, 0.1]}, ACTIVE, ["draw 1 is 0", "(0, 1]"]),
        ({}, [], ["data.label_probability is null", "'label_probability'", "sampling: active", "data.drop"]),
        ({}, [ACTIVE[0], "data.label_probability=chance"], ["'chance'", "label-next writes"]),
    ],
)
def test_what_cannot_be_the_draws_is_refused(rows, settings_of_rows, changes, settings, words):
    with_draws(rows, **changes)
    with pytest.raises(UserError) as caught:
        prepare(settings_of_rows(*settings))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("key", ["data.drop", "data.known_after"])
def test_draws_without_a_label_and_columns_that_are_left_out_change_nothing(rows, settings_of_rows, key):
    with_draws(rows)
    rows.loc[57, "kind"] = None  # the third draw
    rows.to_csv("rows.csv", index=False)
    made = prepare(settings_of_rows("data.shards=1", *ACTIVE))
    assert [1, 2] == made.drawn["label_order"].tolist()
    dropped = prepare(settings_of_rows("data.shards=1", f"{key}=[{', '.join(COLUMNS)}]"))
    assert made.labeled.equals(dropped.labeled)
    assert "weight" not in dropped.roles.labeled


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["data.label_probability=p"], ["data.label_probability", "'p'", "iid", "active"]),
        ([*ACTIVE, "data.weight=id"], ["data.label_probability", "data.weight is 'id'"]),
        ([*ACTIVE, "data.time=id"], ["data.label_probability", "data.time is 'id'"]),
        ([*ACTIVE, "data.groups=label_probability"], ["data.label_probability", "data.groups"]),
    ],
)
def test_what_known_probabilities_do_not_go_with(settings_of_rows, changes, words):
    with pytest.raises(UserError) as caught:
        settings_of_rows(*changes)
    for word in words:
        assert word in str(caught.value)


def test_what_is_not_there_is_said_before_anything_is_drawn(validated, shards, rows, settings_of_rows):
    settings = validated("data.unlabeled=new")
    with pytest.raises(UserError, match="run `python -m flows validate` first"):
        ask(settings_of_rows(NEAREST, "data.unlabeled=new", "seed=1"), 3)
    with pytest.raises(UserError, match="data.time is 'id'"):
        ask(settings_of_rows(NEAREST, "data.time=id"), 3)
    rows.assign(kind=rows["kind"].sample(frac=1, random_state=0).to_numpy()).to_csv("rows.csv", index=False)
    with pytest.raises(UserError, match=r"rows\.csv and these parameters"):
        ask(settings, 3)
    rows.to_csv("rows.csv", index=False)
    for path in half_model_disagreement.fit_cache.FOLDER.rglob("*.hypothesis"):
        path.unlink()
    with pytest.raises(UserError, match="6 of the 6 half models of nearest are not stored"):
        ask(settings, 3)
    files.SELECTION.write_text(json.dumps({"selected": "forest"}))
    with pytest.raises(UserError, match="'forest' was selected"):
        ask(settings, 3)


@pytest.mark.fault("hostile")
@pytest.mark.parametrize(
    "written",
    [
        "../out.csv",
        "/srv/out.csv",
        "link/out.csv",
        "file.csv",
        "a/../../out.csv",
        ".cache/out.csv",
        "out.txt",
        ".",
        "\0.csv",
    ],
)
def test_an_output_outside_of_the_checkout_is_refused(checkout, tmp_path_factory, written):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (checkout / "link").symlink_to(elsewhere)
    (checkout / "file.csv").symlink_to(elsewhere / "file.csv")
    with pytest.raises(UserError, match="--output"):
        below_checkout("--output", written, ".csv")
    assert checkout / "labels/out.csv" == below_checkout("--output", "labels/out.csv", ".csv")
    assert checkout / "out.csv" == below_checkout("--output", str(checkout / "out.csv"), ".csv")


@pytest.mark.fault("hostile")
def test_no_text_of_the_file_is_a_formula_and_no_label_is_written_over(checkout):
    path = checkout / "asked/rows.csv"
    words = ["=1+1", "+1", "-1", "@a", "\tb", "\rc", "d\r=1+1"]
    table = pd.DataFrame({"label_id": words, "label_order": range(7), "kind": None, "=x": words, "n": -1.5})
    label_file.write(path, table, "kind")
    known = pd.read_csv(path)
    assert [f"'{word}" for word in words[:6]] + words[6:] == known["'=x"].tolist() == known["label_id"].tolist()
    assert {-1.5} == {*known["n"]}
    label_file.write(path, table.head(3), "kind")  # nobody has labelled it
    path.write_text(path.read_text().replace('"",', '"won",', 1))
    labels = path.read_text()
    for text in (labels, "\0\xff", "", "label_id\n1\n"):
        path.write_text(text)
        with pytest.raises(UserError, match="may hold labels"):
            label_file.write(path, table, "kind")
        assert text == path.read_text()
