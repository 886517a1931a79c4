"""What `heldout.from_predictions` took the lines of a table for is said with each number, asked, or refused.

The tables have the shapes in which caret, mlr, Weka, H2O, statsforecast and lm-evaluation-harness write theirs.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import heldout
from heldout.errors import BadArgument

N, K, R = 60, 5, 3
Y = np.where(np.random.default_rng(1).random(N) < 0.4, "yes", "no")


def answered(seed: int) -> np.ndarray:
    """The labels, of which about a quarter are wrong."""
    return np.where(np.random.default_rng(seed).random(N) < 0.25, np.where(Y == "yes", "no", "yes"), Y)


def once(seed: int = 0, **more) -> pd.DataFrame:
    """Answers of cross-validation, sorted by their folds, as caret writes them."""
    row = np.arange(N)
    fold = np.random.default_rng(seed).permutation(row % K)
    made = pd.DataFrame({"pred": answered(seed), "obs": Y, "rowIndex": row + 1, "Resample": fold}).assign(**more)
    return made.sort_values("Resample", kind="stable").assign(Resample=lambda of: "Fold" + of["Resample"].astype(str))


REPEATED = pd.concat([once(seed, Rep=seed) for seed in range(R)], ignore_index=True)
TUNED = pd.concat(
    [once(0, k=k).assign(pred=lambda of, k=k: answered(k)[of["rowIndex"] - 1]) for k in (5, 7, 9)], ignore_index=True
)
OF_CARET = {"answer": ["pred"], "label": "obs"}


def refused(table, **more) -> str:
    with pytest.raises(BadArgument) as caught:
        heldout.from_predictions(table, **more)
    return str(caught.value)


def test_a_number_says_its_rows_its_lines_and_whose_answers_they_are():
    one = heldout.from_predictions(once().drop(columns="Resample"), **OF_CARET)
    assert (N, N, None, 1, 1, 0) == tuple(
        getattr(one.taken, of) for of in ("rows", "lines", "named_by", "least", "most", "folds")
    )
    folds = heldout.from_predictions(once(), **OF_CARET, fold="Resample")
    assert (K, 1, "classes") == (folds.taken.folds, folds.taken.partitions, folds.taken.answers)
    of_many = heldout.from_predictions(REPEATED, **OF_CARET, row="rowIndex", fold="Resample", repeat="Rep").taken
    assert (N, R * N, "rowIndex", R, R) == (of_many.rows, of_many.lines, of_many.named_by, of_many.least, of_many.most)
    for made in (one, folds):
        assert {"rows", "taken as"} <= {line.partition(":")[0] for line in str(made).splitlines()}
        assert "fold" in made.taken.of_models()


def test_what_heldout_itself_answered_needs_no_such_line():
    X = np.random.default_rng(0).normal(size=(N, 2))
    from sklearn.naive_bayes import GaussianNB

    made = heldout.validate({"bayes": GaussianNB()}, X, Y, seed=0, estimates=["E_cv"], folds=K, progress=False)
    assert made.metric("auc").taken is None


@pytest.mark.parametrize(
    ("table", "more", "asked"),
    [
        (REPEATED, {}, {"rowIndex", "Rep", "Resample"}),  # 180 rows of 60: an interval that is too short
        (REPEATED, {"fold": "Resample"}, {"rowIndex", "Rep"}),
        (REPEATED, {"row": "rowIndex"}, {"Rep", "Resample"}),
        (TUNED, {}, {"rowIndex", "k", "Resample"}),
        (
            TUNED,
            {"row": "rowIndex", "fold": "Resample"},
            {"k"},
        ),  # three parameters, of which the mean is no candidate's
        (once(), {}, {"Resample"}),
        (once().assign(inst=lambda of: of.groupby("Resample").cumcount() + 1), {"fold": "Resample"}, {"inst"}),
    ],
)
def test_a_column_that_may_say_what_a_line_is_is_asked_about(table, more, asked):
    said = refused(table, **OF_CARET, **more)
    assert {name for name in table if f"{name} (" in said} == asked


def test_what_was_asked_about_can_be_answered():
    by_row = {**OF_CARET, "row": "rowIndex"}
    assert 3 * N == len(heldout.from_predictions(REPEATED, **OF_CARET, row=None).rows)
    candidates = heldout.from_predictions(
        TUNED, answer="pred", label="obs", row="rowIndex", candidate="k", fold="Resample"
    )
    assert ("5", "7", "9") == candidates.candidates
    again = heldout.from_predictions(REPEATED.drop(columns="Resample"), **by_row, repeat="Rep")
    assert again.estimates[0].value == pytest.approx((REPEATED["pred"] != REPEATED["obs"]).mean())
    assert (N, R) == (len(again.rows), again.taken.most)
    [alone] = heldout.from_predictions(once(), **OF_CARET, group="rowIndex", row=None).estimates
    assert alone.value == (once()["pred"] != once()["obs"]).mean()


def test_a_column_by_which_labels_repeat_beyond_chance_is_asked_about_whatever_its_name():
    windows = pd.DataFrame({"when": np.r_[0:20, 10:30, 20:40], "y": np.r_[0:20, 10:30, 20:40] ** 1.5, "f": 1.0})
    assert "when (40 values in 60 lines: row, or group)" in refused(windows, answer=["f"], label="y")
    free = once().drop(columns="Resample").assign(shop=np.arange(N) % 7, size=np.arange(N) % 3 == 0, age=Y == "yes")
    assert N == len(heldout.from_predictions(free, **OF_CARET).rows)


def test_a_table_of_candidates_and_names_of_rows_is_not_asked_about():
    table = pd.DataFrame(
        {"row": np.arange(N), "a": answered(1), "b": answered(2), "label": Y, "fold": np.arange(N) % K}
    )
    made = heldout.from_predictions(table, answer=["a", "b"])
    assert ("fold",) == made.taken.perhaps
    assert "fold (fold?)" in made.taken.of_models()


def test_a_repeat_that_is_a_copy_of_another_is_refused():
    copied = pd.concat([once(0, Rep=1), once(0, Rep=2), once(1, Rep=3)])
    copied["Resample"] = np.where(copied["Rep"] == 2, "x" + copied["Resample"], copied["Resample"])
    asked = {**OF_CARET, "row": "rowIndex", "fold": "Resample", "repeat": "Rep"}
    assert "partition 2 of 3 is a copy of 1" in refused(copied, **asked)
    assert heldout.from_predictions(REPEATED, **asked).estimates


def test_folds_of_several_partitions_lead_to_repeat():
    one_column = REPEATED.assign(Resample=REPEATED["Resample"] + ".Rep" + REPEATED["Rep"].astype(str))
    said = refused(one_column.drop(columns="Rep"), **OF_CARET, row="rowIndex", fold="Resample")
    assert "as repeat" in said


@pytest.mark.parametrize("unknown", ["?", "1:?"])
def test_a_label_that_is_a_question_mark_is_no_class(unknown):
    """Weka writes rows without a class as `1:?`: 29.0 % of 1000 rows, of which it ignores 50."""
    table = pd.DataFrame({"a": answered(3), "label": np.where(np.arange(N) % 6 == 0, unknown, Y)})
    assert "label is missing at row 0 of a" in refused(table, answer=["a"])
    left = heldout.from_predictions(table, answer=["a"], missing="leave_out")
    kept = table[table["label"] != unknown]
    assert ((kept["a"] != kept["label"]).mean(), 10) == (left.estimates[0].value, left.left_out)


def test_rows_whose_class_columns_are_all_zero_were_not_predicted():
    """The frame of one fold of H2O has zeros for the rows of all others."""
    tested = np.arange(N) % K == 0
    share = np.where(tested, np.random.default_rng(2).random(N), 0.0)
    table = pd.DataFrame({"predict": "no", "no": np.where(tested, 1 - share, 0), "yes": share, "label": Y})
    assert f"no, yes are all 0 in {(~tested).sum()} of {N} lines" in refused(table, answer=["predict"])
    for frame in (table, pl.from_pandas(table)):
        left = heldout.from_predictions(frame, answer=["predict"], missing="leave_out")
        assert ((Y[tested] == "yes").mean(), tested.sum()) == (left.estimates[0].value, len(left.rows))
    assert heldout.from_predictions(table.drop(columns="no"), answer=["predict"]).estimates  # no column of each class


def test_answers_by_a_threshold_are_told():
    share = np.random.default_rng(2).random(N)
    table = pd.DataFrame({"it": np.where(share > 0.3, "yes", "no"), "no": 1 - share, "yes": share, "label": Y})
    made = heldout.from_predictions(table.assign(candidate="a"), answer="it")
    assert f"in {((share > 0.3) & (share < 0.5)).sum()} lines" in made.taken.answers
    table["it"] = np.where(share > 0.5, "yes", "no")
    assert "classes" == heldout.from_predictions(table.assign(candidate="a"), answer="it").taken.answers


@pytest.mark.parametrize("how", [{"metric": "auc"}, {"loss": "log"}, {"loss": "brier"}])
def test_the_probability_of_whatever_class_was_predicted_is_no_score(how):
    share = np.random.default_rng(2).random(N)
    predicted = np.where(share > 0.5, "yes", "no")
    table = pd.DataFrame({"candidate": "a", "score": np.maximum(share, 1 - share), "label": Y, "said": predicted})
    assert "the probability of the class in said" in refused(table, answer="score", **how)
    right = heldout.from_predictions(table.assign(score=share), answer="score", **how)
    assert "yes" in right.taken.answers
    assert heldout.from_predictions(table.assign(said="yes"), answer="score", **how).estimates


@pytest.mark.parametrize("name", ["doc_hash", "target"])
def test_lines_of_a_row_about_different_texts_are_refused(name):
    """`doc_id` counts from 0 in each task of lm-evaluation-harness."""
    task = pd.DataFrame({"doc_id": np.arange(N), "acc": np.arange(N) % 2, name: [f"{place:x}" for place in range(N)]})
    other = task.assign(acc=1, **{name: lambda of: "z" + of[name]})
    call = {"row": "doc_id", "correct": "acc"}
    pair = [task.assign(candidate="a"), other.assign(candidate="b")]
    assert f"row 0 has the {name} 0 in one line and z0 in another" in refused(pd.concat(pair), **call)
    assert heldout.from_predictions(pd.concat([pair[0], pair[0].assign(candidate="b")]), **call).estimates


def test_a_first_row_that_was_taken_for_names_is_refused():
    table = pd.DataFrame({"0": [0, 1] * 30, "0.1": [0, 1, 1] * 20})
    assert "is the first row taken for the names" in refused(table, answer=["0"], label="0.1")


def test_columns_with_numbers_for_names_are_named_by_them():
    numbered = pd.DataFrame(np.c_[np.arange(N) % 2, np.arange(N) % 3 % 2])
    named = numbered.rename(columns=str).rename(columns={"0": "it", "1": "label"})
    expected = heldout.from_predictions(named, answer=["it"]).estimates[0].value
    assert expected == heldout.from_predictions(numbered, answer=[0], label=1).estimates[0].value
    assert "answer=['pred'] for a single one" in refused(once(), answer="pred", label="obs")


def test_columns_that_nobody_names_may_be_of_any_kind():
    from_elsewhere = {"resps": [["a", 1]] * N, "hash": np.full(N, 2**64 - 1, dtype=np.uint64), "when": np.arange(N) % 7}
    table = pd.DataFrame({"a": answered(1), "label": Y, **from_elsewhere})
    table["when"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(table["when"], unit="D")
    expected = (table["a"] != Y).mean()
    assert expected == heldout.from_predictions(table, answer=["a"]).estimates[0].value
    long = table.assign(row=np.arange(N), candidate="a").drop(columns="a").assign(answer=table["a"])
    assert expected == heldout.from_predictions(pd.concat([long, long])).estimates[0].value


def test_names_of_rows_that_start_again_are_told():
    """Weka's `inst#` as the row makes 100 rows with 10 answers of 1000 rows."""
    by_fold = pd.DataFrame({"inst": np.arange(N) % 12 + 1, "a": answered(1), "label": "yes"})
    taken = heldout.from_predictions(by_fold, answer=["a"], row="inst").taken
    assert (12, 5, True) == (taken.rows, taken.most, taken.starts_again)
    assert not heldout.from_predictions(by_fold.iloc[:12], answer=["a"], row="inst").taken.starts_again


def test_the_label_is_no_answer():
    assert "the error would be 0" in refused(once(), answer=["obs"], label="obs")


def test_a_single_column_of_a_list_may_be_named_after_its_class():
    table = {"no": np.linspace(0, 1, N), "yes": np.linspace(1, 0, N), "label": Y}
    expected = heldout.from_predictions({**table, "candidate": ["a"] * N}, answer="no", loss="brier").estimates[0].value
    assert expected == heldout.from_predictions(table, answer=["no"], loss="brier").estimates[0].value
    assert "each column of a list is a candidate's" in refused(table, answer=["no", "yes"], loss="brier")
