"""`heldout.from_predictions`: equal to `validate` on the same answers, whoever made them; bad tables are refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import RepeatedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import heldout
from heldout.errors import BadArgument

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
Y = np.where(X[:, 0] + RNG.normal(size=120) > 0, "yes", "no")
LEARNERS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0), "line": LogisticRegression()}


def validated(estimates, y=Y, learners=LEARNERS, **more):
    return heldout.validate(learners, X, y, seed=3, estimates=estimates, progress=False, **more)


def lines(made, estimate, scheme, y=Y) -> pd.DataFrame:
    """What the hypotheses of `validate` answer on the rows that tested them, as somebody else would write it down."""
    found = []
    for name in made.candidates:
        for fold, split in enumerate(made.design.splits(scheme)):
            hypotheses = made.target(name, estimate)
            rows = split.validation
            found.append(
                pd.DataFrame(
                    {"row": rows, "candidate": name, "answer": hypotheses[fold].predict(X[rows]), "label": y[rows]}
                ).assign(fold=fold)
            )
    return pd.concat(found).sample(frac=1, random_state=0)


def test_one_model_has_the_estimate_the_interval_and_the_bound_of_validate():
    made = validated(["E_val"])
    found = heldout.from_predictions(lines(made, "E_val", "holdout"), compared=7)
    for ours in made.estimates:
        (theirs,) = (one for one in found.estimates if one.candidate == ours.candidate)
        assert (ours.value, ours.low, ours.high, ours.interval) == (
            theirs.value,
            theirs.low,
            theirs.high,
            "Clopper-Pearson",
        )
        bounds = (made.bound(ours.candidate, models=7), found.bound(ours.candidate))
        assert 1 == len({(bound.value, bound.method, bound.hoeffding) for bound in bounds})
    assert theirs.n_train is None


def test_folds_have_the_estimate_of_validate_and_the_interval_that_needs_no_further_fit():
    made = validated(["E_cv"], folds=5, intervals={"E_cv": "pooled Wilson"})
    found = heldout.from_predictions(lines(made, "E_cv", "cross_validation"), fold="fold")
    by_name = {one.candidate: one for one in found.estimates}
    for ours in made.estimates:
        theirs = by_name[ours.candidate]
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
        assert (96, 120) == (theirs.n_train, theirs.n_tested)
    of_baseline = {one.against: one for one in made.differences("bayes")}
    for theirs in found.differences("bayes"):
        assert of_baseline[theirs.against].difference == pytest.approx(theirs.difference, abs=1e-12)
    assert made.select().selected == found.select().selected


@pytest.mark.parametrize("group", [None, "group"])
def test_repeated_folds_have_the_estimate_of_validate_and_the_interval_of_bouckaert_and_frank(group):
    made = validated(["E_cv"], cv=RepeatedKFold(n_splits=4, n_repeats=3, random_state=1))
    repeated = lines(made, "E_cv", "cross_validation").assign(
        repeat=lambda of: np.where(of["fold"] < 4, "first", of["fold"] // 4),
        fold=lambda of: of["fold"] % 4,
        group=lambda of: of["row"],
    )
    found = heldout.from_predictions(
        repeated, fold="fold", repeat="repeat", group=group, intervals={"E_cv": "corrected t"}
    )
    by_name = {one.candidate: one for one in found.estimates}
    for ours in made.estimates:
        theirs = by_name[ours.candidate]
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        errors = [part.mean() for part in made.evidence[ours.candidate].losses["cross_validation"]]
        reach = stats.t.ppf(0.975, 11) * np.std(errors, ddof=1) * np.sqrt(1 / 12 + 1 / 3)
        assert (theirs.low, theirs.high) == pytest.approx((ours.value - reach, ours.value + reach), abs=1e-12)
        assert 90 == theirs.n_train
    differences = {one.against: one.difference for one in made.differences("bayes")}
    for one in found.differences("bayes"):
        assert differences[one.against] == pytest.approx(one.difference, abs=1e-12)
    assert "corrected Wilson" == heldout.from_predictions(repeated, fold="fold", repeat="repeat").estimates[0].interval


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (lambda of: of[1:], {}, "repeat: 0 has no line for row"),
        (
            lambda of: of.assign(fold=np.where(of["repeat"] == 1, of["fold"] % 2, of["fold"])),
            {},
            "there are 2 folds in one",
        ),
        (lambda of: of, {"fold": None}, "fold (4 values: fold); name each by its argument"),
        (lambda of: of.assign(repeat=np.where(of["repeat"] == 1, np.nan, 0)), {}, "repeat is missing at row"),
        (lambda of: of.assign(group=of["row"] // 2), {"group": "group"}, "rows of a group are in several folds"),
    ],
)
def test_setitions_that_do_not_test_every_row_once_are_refused(change, more, message):
    rows = np.tile(np.arange(12), 2)
    repeat = np.repeat([0, 1], 12)
    fold = np.where(repeat == 0, rows % 4, rows // 3)
    table = pd.DataFrame({"row": rows, "candidate": "a", "loss": rows % 2 * 1.0, "fold": fold, "repeat": repeat})
    with pytest.raises(BadArgument) as caught:
        heldout.from_predictions(change(table), **{"fold": "fold", "repeat": "repeat", **more})
    assert message in str(caught.value)


def test_numbers_have_the_squared_loss_of_validate():
    y = X[:, 0] + RNG.normal(size=120)
    made = validated(["E_val"], y, {"line": LinearRegression()})
    (ours,), (theirs,) = made.estimates, heldout.from_predictions(lines(made, "E_val", "holdout", y)).estimates
    assert ours.value == pytest.approx(theirs.value, abs=1e-12)
    assert "log t" == theirs.interval  # the losses of cross-validation, which the default reads, are not there


def table(errors, n=50, **more) -> pd.DataFrame:
    """Losses of 0 and 1 of candidates that err in their first rows."""
    parts = [
        pd.DataFrame({"row": range(n), "candidate": name, "loss": np.arange(n) < count}).astype({"loss": float})
        for name, count in errors.items()
    ]
    return pd.concat(parts, ignore_index=True).assign(**more)


def test_losses_of_0_and_1_are_errors_and_the_interval_is_that_of_scipy():
    (found,) = heldout.from_predictions(table({"a": 7})).estimates
    exact = stats.binomtest(7, 50).proportion_ci(0.95)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_who_is_shown_to_err_more_and_how_many_were_compared_before_widens_it():
    made = heldout.from_predictions(table({"a": 5, "b": 6, "c": 30}))
    assert ("a", "b") == made.select().indistinguishable
    (_, c), (_, wider) = (
        made.differences("a"),
        heldout.from_predictions(table({"a": 5, "b": 6, "c": 30}), compared=500).differences("a"),
    )
    assert c.shown_less
    assert wider.low < c.low
    text = str(made)
    assert "E_val of a is shown to be lower than that of c, and not shown to be lower than that of b" in text
    assert "for 3 candidates" in text
    assert "<Compared: 3 candidates, 50 rows; least: a>" == repr(made)


def test_rows_of_a_group_are_no_independent_rows():
    groups = {"group": lambda of: of["row"] // 10}
    alone, grouped = (heldout.from_predictions(table({"a": 20}, **groups), group=by) for by in (None, "group"))
    (one,), (other,) = alone.estimates, grouped.estimates
    assert "Clopper-Pearson" == one.interval
    assert "clustered" in other.interval
    assert other.high - other.low > one.high - one.low
    with pytest.raises(BadArgument, match="rows of a group are not"):
        grouped.bound()


def test_answers_that_were_sampled_again_count_by_their_mean():
    twice = pd.concat([table({"a": 10}), table({"a": 20})])
    (found,) = heldout.from_predictions(twice).estimates
    assert (0.3, 50) == (pytest.approx(found.value), found.n_tested)
    assert found.interval != "Clopper-Pearson"  # 0, 1/2 and 1 are no errors
    assert heldout.from_predictions(twice).bound().method == "betting"


def test_weights_say_how_many_rows_a_row_stands_for():
    weight = {"weight": lambda of: np.where(of["row"] < 10, 3.0, 1.0)}
    (found,) = heldout.from_predictions(table({"a": 10}, **weight), weight="weight").estimates
    assert found.value == pytest.approx(30 / 70)


@settings(deadline=None, max_examples=20)
@given(st.permutations(range(6)), st.sampled_from(["pandas", "polars", "pyarrow", "dict"]))
def test_the_order_of_lines_and_the_library_do_not_matter(order, library):
    big = 12345678901234567  # an id of 17 digits
    whole = pd.DataFrame(
        {"row": [big, big + 1, big + 2] * 2, "candidate": [*"aaabbb"], "answer": [*"xyxxxx"], "label": [*"xyyxyy"]}
    ).iloc[list(order)]
    made = heldout.from_predictions(
        {
            "pandas": whole,
            "polars": pl.DataFrame(whole.to_dict("list")),
            "pyarrow": pa.table(whole.to_dict("list")),
            "dict": whole.to_dict("list"),
        }[library]
    )
    assert [big, big + 1, big + 2] == made.rows.tolist()
    assert {"a": 1 / 3, "b": 2 / 3} == {one.candidate: pytest.approx(one.value) for one in made.estimates}


def test_labels_that_are_numbers_are_the_same_as_their_texts():
    whole = {"row": [0, 1, 2], "candidate": ["a"] * 3, "answer": ["1", "0", "1"], "label": [1, 0, 0]}
    (found,) = heldout.from_predictions(whole).estimates
    assert found.value == pytest.approx(1 / 3)


def broken(change) -> pd.DataFrame:
    made = table({"a": 5, "b": 9})
    made["answer"], made["label"] = np.where(made["loss"] > 0, "x", "y"), "y"
    return change(made)


def test_an_interval_that_needs_no_further_fit_can_be_named():
    (found,) = heldout.from_predictions(table({"a": 7}), intervals={"E_val": "Hoeffding"}).estimates
    assert "Hoeffding" == found.interval
    folds = table({"a": 7}, fold=lambda of: of["row"] % 5)
    (of_folds,) = heldout.from_predictions(folds, fold="fold", intervals={"E_cv": "k-fold Hoeffding"}).estimates
    assert "k-fold Hoeffding" == of_folds.interval
    with pytest.raises(BadArgument, match="needs the fits of the scheme subsamples, which were not made"):
        heldout.from_predictions(folds, fold="fold", intervals={"E_cv": "corrected t"})


AGENTS = pd.read_csv(Path(__file__).parents[3] / "docs/examples/agents/swe-bench-100.csv")
OF_AGENTS = {"row": "task", "candidate": "agent", "correct": "resolved"}


def of_agents(first, other) -> np.ndarray:
    """The error of one agent less that of another, task by task: -1, 0 or 1."""
    wrong = 1 - AGENTS.pivot(index="task", columns="agent", values="resolved").astype(float)
    return (wrong[first] - wrong[other]).to_numpy()


def with_two_more_rows(variance, d, n) -> float:
    """The standard error of the mean of d with two more rows on which two agents differ, one each way."""
    return np.sqrt(variance + 2 * (1 + d.mean() ** 2 * n / (n + 2)) / n**2)


def test_foreign_outcomes_have_the_intervals_of_scipy():
    made = heldout.from_predictions(AGENTS, **OF_AGENTS)
    assert [27, 28, 30, 30] == [
        round(100 * one.value) for one in made.estimates
    ]  # their source has 73, 72, 70, 70 right
    for one in made.estimates:
        exact = stats.binomtest(round(100 * one.value), 100).proportion_ci(0.95)
        assert (one.low, one.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
    each = 1 - 0.05 / 6  # of six pairs
    for one in (pair for name in made.candidates for pair in made.differences(name)):
        d = of_agents(one.candidate, one.against)
        reach = stats.t(99).isf((1 - each) / 2) * with_two_more_rows(d.var(ddof=1) / 100, d, 100)
        assert (one.low, one.high) == pytest.approx((d.mean() - reach, d.mean() + reach), abs=1e-9)
        exact = stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).pvalue  # McNemar's test
        assert (exact < 1 - each) == (one.shown_less or one.shown_more)


def test_foreign_outcomes_by_repository_have_the_variance_between_repositories():
    made = heldout.from_predictions(AGENTS, **OF_AGENTS, group="repository")
    sizes = AGENTS.drop_duplicates("task").groupby("repository").size()
    effective = sizes.sum() ** 2 / (sizes**2).sum()
    repositories = AGENTS.drop_duplicates("task").sort_values("task")["repository"].to_numpy()
    for one in made.differences(made.candidates[0]):
        d = of_agents(one.candidate, one.against)
        sums = pd.Series(d - d.mean()).groupby(repositories).sum()
        variance = effective / (effective - 1) * (sums**2).sum() / 100**2
        error = with_two_more_rows(variance, d, np.clip(d.var(ddof=1) / variance, effective, 100))
        reach = stats.t(effective - 1).isf(0.05 / 12) * error
        assert (one.low, one.high) == pytest.approx((d.mean() - reach, d.mean() + reach), abs=1e-9)


def wide(of=AGENTS, row="task", column="agent", value="resolved") -> pd.DataFrame:
    return of.pivot(index=row, columns=column, values=value).reset_index()


def same(one, other) -> bool:
    records = [sorted((of.candidate, of.value, of.low, of.high) for of in made.estimates) for made in (one, other)]
    return records[0] == records[1] and sorted(one.differences("OpenHands"), key=str) == sorted(
        other.differences("OpenHands"), key=str
    )


def test_a_column_for_each_candidate_is_the_same_as_lines():
    long, names = heldout.from_predictions(AGENTS, **OF_AGENTS), [*AGENTS["agent"].unique()]
    assert same(long, heldout.from_predictions(wide(), row="task", correct=names))
    assert same(long, heldout.from_predictions(wide()[names], correct=names))  # rows without names
    assert same(long, heldout.from_predictions((1 - wide()[names].astype(int)), losses=names))
    right = wide().assign(label="yes")
    right[names] = np.where(right[names], "yes", "no")
    assert same(long, heldout.from_predictions(right, answer=names))
    repositories = AGENTS.drop_duplicates("task").set_index("task")["repository"]
    by = {"group": "repository"}
    with_group = wide().assign(repository=lambda of: of["task"].map(repositories))
    assert same(
        heldout.from_predictions(AGENTS, **OF_AGENTS, **by),
        heldout.from_predictions(with_group, row="task", correct=names, **by),
    )


@pytest.mark.parametrize(
    "written",
    [
        lambda right: right.astype(int),
        lambda right: right.map({True: "true", False: "False"}),
        lambda right: right.astype(object),
    ],
)
def test_what_is_right_may_be_written_in_several_ways(written):
    other = AGENTS.assign(resolved=written(AGENTS["resolved"]))
    assert same(heldout.from_predictions(AGENTS, **OF_AGENTS), heldout.from_predictions(other, **OF_AGENTS))


def test_a_part_of_the_credit_is_no_error_and_has_a_limit():
    (found,) = heldout.from_predictions({"a": [1.0, 0.25, 0.5, 1.0] * 10}, correct=["a"]).estimates
    assert 1 - 0.6875 == found.value
    assert found.interval != "Clopper-Pearson"
    assert "betting" == heldout.from_predictions({"a": [1.0, 0.25, 0.5, 1.0] * 10}, correct=["a"]).bound().method


def test_rows_without_an_answer_are_left_out_or_count_as_errors_if_asked():
    some = AGENTS.drop([3, 250])  # no line
    some["resolved"] = some["resolved"].astype(object).where(some.index != 120)  # a line without an answer
    with pytest.raises(BadArgument, match=r"lacks 2 lines in all.*missing: leave_out.*missing: wrong"):
        heldout.from_predictions(some, **OF_AGENTS)
    with pytest.raises(BadArgument, match=r"correct is missing at row .* of Live-SWE-Agent.*missing: leave_out"):
        heldout.from_predictions(
            AGENTS.assign(resolved=some["resolved"].reindex(AGENTS.index, fill_value=True)), **OF_AGENTS
        )
    gone = AGENTS["task"].isin(AGENTS["task"][[3, 250, 120]])
    left = heldout.from_predictions(some, **OF_AGENTS, missing="leave_out")
    assert same(left, heldout.from_predictions(AGENTS[~gone], **OF_AGENTS))
    assert (97, 3) == (len(left.rows), left.left_out)
    wrong = heldout.from_predictions(some, **OF_AGENTS, missing="wrong")
    filled = AGENTS.assign(resolved=AGENTS["resolved"] & ~AGENTS.index.isin([3, 250, 120]))
    assert same(wrong, heldout.from_predictions(filled, **OF_AGENTS))
    assert "missing: 3 answers, which count as errors" in str(wrong)
    names = [*AGENTS["agent"].unique()]
    columns = wide(some)[["task", *names]].sample(frac=1, random_state=0)  # with gaps in three of its cells
    for how, lines in (("leave_out", left), ("wrong", wrong)):
        assert same(lines, heldout.from_predictions(columns, row="task", correct=names, missing=how))
    whole = columns.astype(dict.fromkeys(names, "boolean"))  # with the NA of pandas
    assert same(left, heldout.from_predictions(whole, row="task", correct=names, missing="leave_out"))
    groups = heldout.from_predictions(some, **OF_AGENTS, missing="leave_out", group="repository")
    assert same(groups, heldout.from_predictions(AGENTS[~gone], **OF_AGENTS, group="repository"))


def test_missing_answers_and_losses_of_0_and_1_count_as_errors_and_no_others():
    whole = broken(lambda of: of.assign(answer=of["answer"].where(of.index != 20)))
    of_answers = heldout.from_predictions(whole, missing="wrong")
    of_losses = heldout.from_predictions(
        whole.drop(columns="answer").assign(loss=whole["loss"].where(whole.index != 20)), missing="wrong"
    )
    assert [6 / 50, 9 / 50] == [one.value for one in of_answers.estimates] == [one.value for one in of_losses.estimates]
    with pytest.raises(BadArgument, match="no loss means an error"):
        heldout.from_predictions(table({"a": 5}).assign(loss=0.5), missing="wrong")
    with pytest.raises(BadArgument, match="no row has an answer of every candidate"):
        heldout.from_predictions({"a": [1, None], "b": [None, 1]}, correct=["a", "b"], missing="leave_out")
    with pytest.raises(BadArgument, match="must be one of refuse, leave_out, wrong"):
        heldout.from_predictions(table({"a": 5}), missing="drop")


def test_probabilities_of_the_last_of_two_classes_have_the_losses_of_scikit_learn():
    probability = RNG.beta(2, 2, size=(2, 120))
    made = {"p_a": probability[0], "p_b": probability[1], "y": Y, "fold": np.arange(120) % 5}
    for loss, peer in {"log": log_loss, "brier": brier_score_loss}.items():
        found = heldout.from_predictions(made, answer=["p_a", "p_b"], label="y", loss=loss, fold="fold")
        expected = [peer(Y == "yes", of) for of in probability]
        assert expected == pytest.approx([one.value for one in found.estimates], abs=1e-12)
    with pytest.raises(BadArgument, match="it must be the probability of yes, from 0 to 1"):
        heldout.from_predictions(
            {**made, "p_a": 2 * probability[0]}, answer=["p_a"], label="y", loss="log", fold="fold"
        )


def test_several_answers_of_a_candidate_are_told():
    twice = pd.concat([table({"a": 10}), table({"a": 20})])
    assert 2 == heldout.from_predictions(twice).taken.most
    assert 1 == heldout.from_predictions(table({"a": 10})).taken.most


def test_the_table_has_the_difference_from_the_best_with_its_interval():
    made = heldout.from_predictions(table({"a": 5, "b": 30}))
    (one,) = made.differences()
    text = str(made).splitlines()
    assert text[1].endswith("worse by")
    assert any(line.endswith(f" {-100 * one.difference:.1f}") for line in text)
    assert any(line.endswith(f" {-100 * one.high:.1f} to {-100 * one.low:.1f}") for line in text)
    assert "worse by" not in str(heldout.from_predictions(table({"a": 5})))


BAD = {
    "give one of both": (lambda of: of, {"correct": "loss", "losses": "loss"}),
    "name a column for each candidate, once": (lambda of: of, {"correct": ["loss", "loss"]}),
    "as a list of columns, one for each candidate": (lambda of: of, {"correct": "loss", "candidate": "model"}),
    "correct is 2 at row 0 of a": (lambda of: of.assign(loss=2), {"correct": "loss"}),
    "correct is 'maybe' at row 0 of a; it must hold numbers": (
        lambda of: of.assign(loss="maybe"), {"correct": "loss"},
    ),
    "table has what is right": (lambda of: of, {"correct": "loss", "loss": "squared"}),
    "the limit is 1; leave it out": (lambda of: of, {"correct": "loss", "loss_max": 1}),
    "for probabilities of the last of two classes|log or brier": (
        lambda of: of.assign(answer=0.5, label=of["row"] % 2), {},
    ),
    "has the columns": (lambda of: of.drop(columns=["row"]), {}),
    "no line for row 0 of a, and lacks 1 lines": (lambda of: of.iloc[1:], {}),
    "has no line;": (lambda of: of.iloc[:0], {}),
    "line 3 of the table has no name": (lambda of: of.assign(row=of["row"].where(of.index != 3)), {}),
    "answer is missing at row 4 of a": (lambda of: of.assign(answer=of["answer"].where(of.index != 4)), {}),
    "label: row 2 has y in one line and z in another": (
        lambda of: of.assign(label=np.where(of.index == 52, "z", of["label"])), {},
    ),
    "no answer at all is a label": (lambda of: of.assign(answer="q"), {}),
    "answer is 0.5 at row 0 of a, which is no class": (lambda of: of.assign(answer=0.5, label=1), {}),
    "answer is 7 at row 0 of a, and no answer at all is a label": (lambda of: of.assign(answer=7, label=1), {}),
    "the name of the best constant answer": (lambda of: of.assign(candidate="baseline"), {}),
    "no loss is below 0": (lambda of: of.drop(columns=["answer"]).assign(loss=-1.0), {}),
    "it must be a finite number": (lambda of: of.drop(columns=["answer"]).assign(loss=np.inf), {}),
    "it must hold numbers": (lambda of: of.drop(columns=["answer"]).assign(loss="much"), {}),
    "the losses themselves": (lambda of: of.drop(columns=["answer"]), {"loss": "squared"}),
    "the probability of every class": (lambda of: of, {"loss": "log"}),
    "level is 95": (lambda of: of, {"level": 95}),
    "compared is 1; it must be a whole number of at least 2": (lambda of: of, {"compared": 1}),
    "fold has the single value": (lambda of: of.assign(fold=0), {"fold": "fold"}),
    "rows of a group are in several folds": (
        lambda of: of.assign(fold=of["row"] % 5, group=of["row"] // 10), {"fold": "fold", "group": "group"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_a_table_that_cannot_be_used_is_refused_with_the_place(message):
    change, arguments = BAD[message]
    with pytest.raises(BadArgument, match=message):
        heldout.from_predictions(broken(change), **arguments)


def test_what_is_no_table_is_refused():
    with pytest.raises(BadArgument, match="it must be a data frame, or map names to columns"):
        heldout.from_predictions([1, 2])
    with pytest.raises(BadArgument, match="for a lazy frame give"):
        heldout.from_predictions(pl.LazyFrame({"row": [1]}))


def test_ten_equal_candidates_are_seldom_told_apart():
    """Of 200 tables of ten equal candidates some pair is shown different in at most 5 % of them, and 3 errors of it."""
    wrong = 0
    for number in range(200):
        rng = np.random.default_rng([1, number])
        losses = pd.DataFrame(
            {
                "row": np.tile(np.arange(60), 10),
                "candidate": np.repeat([f"c{place}" for place in range(10)], 60),
                "loss": (rng.random(600) < 0.3).astype(float),
            }
        )
        made = heldout.from_predictions(losses)
        wrong += any(one.shown_less or one.shown_more for name in made.candidates for one in made.differences(name))
    assert wrong / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)
