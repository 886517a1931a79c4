"""Readers: files of tools, run on data of our own or written by hand in the documented form, have the tools' numbers.

Outputs in `outputs/`, on iris (R. A. Fisher, public domain; versicolor and virginica, their two sepal columns, 50 rows
in `two`), `cars` of R, or random walks:

- caret 6.0-93: `train(Species ~ ., two, "knn", …, trControl = trainControl(METHOD, savePredictions = TRUE))`, METHOD
  repeatedcv 5 x 2 (caret_rep), cv 5 with `classProbs` and k = 3, 9 (caret_two), LOOCV (caret_loo), boot with number 4
  (caret_boot); `train(dist ~ speed, cars, "lm")`, cv 5 (caret_reg, four decimals).
- mlr 2.19.1: `resample("classif.lda", …)$pred$data`, RepCV 5 x 2 (mlr_rep), Bootstrap with iters 3 (mlr_boot).
- ranger 0.14.1: `ranger(Species ~ ., two, num.trees = 50, seed = 1)$predictions`.
- Weka 3.6.14: `weka.classifiers.bayes.NaiveBayes -t two.arff -x 5 -p 0`, two rows without a label, also with
  `-distribution`.
- LIBSVM 3.24: `svm-train -b 1`, `svm-predict -b 1 two.svm two.model two.out`.
- Vowpal Wabbit 9.11.9: `-d iris.vw -p one.p`; `-c -k --passes 3` (three.p); `--loss_function logistic --link logistic`
  (prob.p).
- river 0.26.1: `HoeffdingTreeClassifier(grace_period=10)` on 80 rows of iris.
- statsforecast 2.1.1: `cross_validation(h=1, step_size=1, n_windows=84)` with `Naive`, two random walks of 110 days
  (sf); `h=3, n_windows=50` with `Naive` and `WindowAverage(7)`, 130 days, one of a weekly pattern (sf_h3).
- prophet 1.5.0: `cross_validation(m, initial="60 days", period="5 days", horizon="10 days")` of the same.
- Weka 3.9.7: NaiveBayes as above, `-classifications "…CSV -distribution"` (weka39.csv), `-p 0` (weka39.txt);
  `LinearRegression` of the sepal length, CSV (weka39_numbers).
- MOA of capymoa 0.15.1: `EvaluatePrequential -l bayes.NaiveBayes -i 1200 -o moa.pred`, rows drawn from `two`.
- H2O 3.46.0.12: GBM with 5 trees, nfolds 5: `cross_validation_holdout_predictions()` bound to the label and
  `cross_validation_fold_assignment()` (h2o), `cross_validation_predictions()[0]` (h2o_fold); the same of the petal
  length (h2o_numbers, h2o_numbers_fold).
- lm_eval 0.4.13: `run --model dummy --tasks plus,times --log_samples`, two tasks of 20 and 12 sums of our own.
- AutoGluon 1.6.3: `TabularPredictor("label", eval_metric=METRIC).fit(two, num_bag_folds=5, …)` with LightGBM, forests
  of 30 trees and neighbours: `predict_proba_oof()` for log_loss (autogluon_shares), `predict_oof(model)` of each for
  balanced_accuracy (autogluon_labels).

mlr3 and tidymodels are written by hand here, in the form that they document.
"""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import heldout
from flows.__main__ import main
from heldout.errors import BadArgument
from heldout.predictions import recognise
from heldout.predictions.readers import READERS
from heldout.predictions.source import HEAD, Source

OUTPUTS = Path(__file__).parent / "outputs"


def file(name: str, text: str | None = None, **more) -> Source:
    """A file as `compare` gives it to readers."""
    lines = ((OUTPUTS / name).read_text() if text is None else text).splitlines()
    is_table = name.endswith((".csv", ".jsonl"))

    def load():
        whole = io.StringIO("\n".join(lines))
        return pd.read_csv(whole) if name.endswith(".csv") else pd.DataFrame([json.loads(line) for line in lines])

    head = () if name.endswith(".jsonl") else tuple(lines[:HEAD])
    return Source(Path(name).stem, load, head=head, text=lambda: lines, has_columns=is_table, **more)


def read(*sources: Source, **given):
    return heldout.from_predictions(
        recognise.read(sources, given), **{k: v for k, v in given.items() if k in ("loss", "metric")}
    )


def of(*names: str, **given):
    return read(*map(file, names), **given)


def frame(name: str, **given):
    return heldout.from_predictions(pd.read_csv(OUTPUTS / name), **given)


def values(found) -> dict[str, float]:
    return {one.candidate: round(one.value, 6) for one in found.estimates}


def test_caret_repeated_folds_are_200_lines_of_50_rows():
    found = frame("caret_rep.csv")
    assert "read as: caret predictions: 50 rows, 5 folds x 2 repeats, candidate k = 5" in str(found)
    assert {"k = 5": 0.5} == values(found)  # caret: Accuracy 0.5
    assert [("E_cv", 50, 40)] == [(one.estimate, one.n_tested, one.n_train) for one in found.estimates]


def test_caret_parameters_are_candidates_and_class_columns_go_by_name():
    table = pd.read_csv(OUTPUTS / "caret_two.csv")
    found = heldout.from_predictions(table)
    for k, of_k in table.groupby("k"):
        assert round(float((of_k["pred"] != of_k["obs"]).mean()), 6) == values(found)[f"k = {k}"]
    by_log = heldout.from_predictions(table, loss="brier")
    turned = heldout.from_predictions(
        table[[*table.columns[:3], "virginica", "versicolor", *table.columns[5:]]], loss="brier"
    )
    assert values(by_log) == values(turned)
    first = table[table["k"] == 3]
    right = np.where(first["obs"] == "virginica", first["virginica"], first["versicolor"])
    assert round(float(np.mean((1 - right) ** 2 * 2)), 6) == pytest.approx(values(by_log)["k = 3"], abs=1e-6) or (
        round(float(np.mean((1 - right) ** 2)), 6) == pytest.approx(values(by_log)["k = 3"], abs=1e-6)
    )


def test_caret_without_resample_is_leave_one_out():
    found = frame("caret_loo.csv")
    assert {"k = 5": 0.48} == values(found)  # caret: Accuracy 0.52
    assert "leave-one-out" in str(found)
    assert found.estimates[0].low is not None


def test_caret_bootstrap_has_a_target_of_its_own_and_no_interval():
    found = frame("caret_boot.csv")
    (one,) = found.estimates
    assert ("E_oob", None) == (one.estimate, one.low)
    assert "no interval:" in str(found)
    assert "caret prints 0.598: the mean of the resamples' errors" in str(found)  # Accuracy 0.4021649
    with pytest.raises(BadArgument, match="bound: "):
        found.bound()


def test_caret_prints_the_mean_of_the_folds_roots():
    found = frame("caret_reg.csv")
    pooled = pd.read_csv(OUTPUTS / "caret_reg.csv").eval("(pred - obs) ** 2").mean()
    assert pooled == pytest.approx(found.estimates[0].value)
    assert "caret prints 14.4: the mean of the resamples' roots" in str(found)  # RMSE 14.35179


def test_mlr_iterations_count_on_over_repeats_and_rows_of_training_are_left_out():
    table = pd.read_csv(OUTPUTS / "mlr_rep.csv")
    found = heldout.from_predictions(table)
    assert {"mlr": 0.41} == values(found)  # mlr: mmce.test.mean 0.41
    assert "5 folds x 2 repeats" in str(found)
    both = pd.concat([table, table.iloc[:7].assign(set="train")])
    assert "7 lines of rows that the model was trained on" in str(heldout.from_predictions(both))
    assert values(found) == values(heldout.from_predictions(both))
    boot = frame("mlr_boot.csv")
    assert "E_oob" == boot.estimates[0].estimate
    assert "mlr prints 0.331" in str(boot)  # mmce.test.mean 0.3314069


def test_mlr3_and_tidymodels_by_hand_have_the_numbers_of_the_same_answers():
    table = pd.read_csv(OUTPUTS / "mlr_rep.csv")
    expected = values(heldout.from_predictions(table))["mlr"]
    mlr3 = table.rename(columns={"id": "row_ids", "iter": "iteration"})[
        ["row_ids", "truth", "response", "prob.virginica", "prob.versicolor", "iteration"]
    ]
    assert {"mlr3": expected} == values(heldout.from_predictions(mlr3))
    with pytest.raises(BadArgument, match="idcol"):
        heldout.from_predictions(mlr3.drop(columns="iteration"))
    tune = pd.DataFrame(
        {
            ".pred_class": table["response"],
            ".pred_versicolor": table["prob.versicolor"],
            ".pred_virginica": table["prob.virginica"],
            "id": "Repeat" + ((table["iter"] - 1) // 5 + 1).astype(str),
            "id2": "Fold" + ((table["iter"] - 1) % 5 + 1).astype(str),
            ".row": table["id"],
            "Species": table["truth"],
            ".config": "Preprocessor1_Model1",
        }
    )
    found = heldout.from_predictions(tune)
    assert [expected] == [*values(found).values()]
    assert "5 folds x 2 repeats" in str(found)
    assert found.estimates[0].low == heldout.from_predictions(table).estimates[0].low
    two = pd.concat([tune.assign(penalty=0.1), tune.assign(penalty=1.0, **{".config": "Preprocessor1_Model2"})])
    assert ("penalty = 0.1", "penalty = 1") == heldout.from_predictions(two).candidates


@pytest.mark.parametrize("name", ["weka36.txt", "weka36_distribution.txt"])
def test_weka_text_has_a_fold_where_inst_starts_again(name):
    found = of(name)
    assert 16 / 48 == pytest.approx(found.estimates[0].value)  # Weka: 33.3333 % of 48
    assert "Weka predictions: 48 rows, 5 folds" in str(found)
    assert "2 rows without a label (?)" in str(found)


CSV = """inst#,actual,predicted,error,distribution,
1,1:good,1:good,,*0.9,0.1
2,2:bad,1:good,+,*0.6,0.4
1,2:bad,2:bad,,0,*1
1,1:?,1:good,,*0.7,0.3
2,1:good,1:good,,*0.8,0.2
3,2:bad,1:good,+,*1,0

"""


def test_weka_csv_has_folds_of_one_row_and_starred_cells_under_an_empty_name():
    found = read(file("nb.csv", CSV))
    assert "5 rows, 3 folds" in str(found)
    assert {"weka": 0.4} == values(found)
    read_by_pandas = pd.read_csv(io.StringIO(CSV))
    assert values(found) == values(heldout.from_predictions(read_by_pandas))
    log = read(file("nb.csv", CSV), loss="log")
    clipped = -np.log(np.finfo(float).eps)
    assert (-np.log(0.9) - np.log(0.4) - np.log(1) - np.log(0.8) + clipped) / 5 == pytest.approx(
        log.estimates[0].value, abs=1e-6
    )
    assert "probability 0 in 1 lines" in str(log)


def test_weka_probability_is_that_of_the_predicted_class():
    text = "inst#,actual,predicted,error,prediction\n1,1:a,1:a,,0.9\n2,2:b,1:a,+,0.7\n1,2:b,2:b,,0.6\n2,1:a,1:a,,0.8\n"
    found = read(file("nb.csv", text), loss="log")
    assert -np.log([0.9, 0.3, 0.6, 0.8]).mean() == pytest.approx(found.estimates[0].value)


def test_weka_names_that_were_cut_keep_their_numbers():
    text = "=== Predictions on test data ===\n\n inst#     actual  predicted error prediction\n"
    text += "     1 1:tested_n 2:tested_n   +   0.9 \n     2 2:tested_n 2:tested_n       0.8 \n"
    text += "     3 1:tested_n 1:tested_n       1 \n"
    found = read(file("nb.txt", text))
    assert "E_val" == found.estimates[0].estimate
    assert 1 / 3 == pytest.approx(found.estimates[0].value)


def test_weka_numbers_and_training_rows():
    text = "inst#,actual,predicted,error\n1,2,3,1\n2,?,3,?\n1,5,5.5,0.5\n2,4,4,0\n"
    assert (1 + 0.25 + 0) / 3 == pytest.approx(read(file("lr.csv", text)).estimates[0].value)
    with pytest.raises(BadArgument, match="training data"):
        read(file("lr.txt", "=== Predictions on training data ===\n\n inst#     actual  predicted error\n 1 2 3 1\n"))


def samples(task: str, credits, **more) -> str:
    lines = (
        {
            "doc_id": n,
            "resps": [["x"]],
            "filter": "none",
            "metrics": ["acc"],
            "doc_hash": f"{task}{n}",
            "acc": float(one),
            **more,
        }
        for n, one in enumerate(credits)
    )
    return "\n".join(map(json.dumps, lines))


def harness(model: str, task: str, credits, **more) -> Source:
    return file(f"samples_{task}_2026-11-27T12-21-04.745380.jsonl", samples(task, credits, **more), folder=model)


def test_lm_eval_tasks_are_strata_and_a_folder_is_a_candidate():
    one, other = [1, 0, 1, 1], [0, 0, 1, 0, 1, 0, 1, 0]
    found = read(harness("a", "x", one), harness("a", "y", other), harness("b", "x", one), harness("b", "y", one * 2))
    assert {"a": round((0.25 + 5 / 8) / 2, 6), "b": 0.25} == values(found)
    assert "12 rows, 2 tasks, candidates a, b" in str(found)
    alone = read(harness("a", "x", one), harness("a", "y", other))
    (estimate,) = alone.estimates
    assert "lm_eval prints 50.0" in str(alone)
    assert estimate.low < estimate.value < estimate.high


def test_lm_eval_samples_of_its_own():
    folder = OUTPUTS / "lm_eval" / "dummy"
    sources = [file(f"lm_eval/dummy/{path.name}", folder="dummy") for path in sorted(folder.iterdir())]
    found = read(*sources)
    assert {"dummy": round(1 - (0.05 + 2 / 12) / 2, 6)} == values(found)  # lm_eval: acc .0500 and .1667
    assert "32 rows, 2 tasks" in str(found)


def test_lm_eval_refuses_pairs_other_documents_and_several_filters():
    with pytest.raises(BadArgument, match="word_perplexity, each a pair"):
        read(harness("a", "x", [1], metrics=["word_perplexity"], word_perplexity=[-1.0, 3]))
    with pytest.raises(BadArgument, match="doc_hash"):
        read(harness("a", "x", [1, 0]), harness("b", "x", [1, 0], doc_hash="other"))
    text = samples("x", [1, 0]) + "\n" + samples("x", [1, 1], filter="strict")
    with pytest.raises(BadArgument, match="filter=none"):
        read(file("samples_x_2026-11-27T12-21-04.1.jsonl", text, folder="a"))


def test_vowpal_wabbit_one_pass_is_progressive():
    found = of("one.p", "iris.vw")
    labels = [float(line.split()[0]) for line in (OUTPUTS / "iris.vw").read_text().splitlines()]
    said = [float(line.split()[0]) for line in (OUTPUTS / "one.p").read_text().splitlines()]
    wrong = np.mean([(a > 0) != (b > 0) for a, b in zip(said, labels, strict=True)])
    assert ("E_prog", round(float(wrong), 6)) == (found.estimates[0].estimate, values(found)["vw"])
    low, high = found.band()
    assert low[-1] < found.estimates[0].low < found.estimates[0].high < high[-1]
    assert len(low) == 60


def test_vowpal_wabbit_passes_hold_out_each_tenth_row():
    found = of("three.p", "iris.vw")
    assert "VW prints an average loss of 0.878958" in str(found)  # vw: average loss = 0.878958 h
    assert ("E_val", 6) == (found.estimates[0].estimate, found.estimates[0].n_tested)
    assert ("E_prog", 60) == (of("three.p", "iris.vw", progressive=True).estimates[0].estimate, 60)


def test_vowpal_wabbit_passes_are_chosen_by_number():
    second = of("three.p", "iris.vw", only=["pass=2"])
    said = [float(line.split()[0]) for line in (OUTPUTS / "three.p").read_text().splitlines()]
    labels = [float(line.split()[0]) for line in (OUTPUTS / "iris.vw").read_text().splitlines()]
    wrong = [(said[60 + row] > 0) != (labels[row] > 0) for row in range(9, 60, 10)]
    assert np.mean(wrong) == pytest.approx(second.estimates[0].value)
    assert "of pass 2 of 3" in str(second)
    for only, more in (("pass=4", {}), ("pass=0", {}), ("row=1", {}), ("pass=1", {"progressive": True})):
        with pytest.raises(BadArgument, match=f"only is {only}"):
            of("three.p", "iris.vw", only=[only], **more)
    with pytest.raises(BadArgument, match="Weka's text has no columns"):
        of("weka36.txt", only=["fold=1"])


def test_vowpal_wabbit_probabilities_begin_at_one_half_and_labels_0_are_no_class_of_the_logistic_loss():
    log = of("prob.p", "iris.vw", loss="log")
    assert 0.726722 == pytest.approx(log.estimates[0].value, abs=2e-6)  # vw: average loss = 0.726722
    data = (OUTPUTS / "iris.vw").read_text().replace("-1 t", "0 t")
    with pytest.raises(BadArgument, match="one half"):
        read(file("prob.p"), file("zero.vw", data))
    with pytest.raises(BadArgument, match="the data with their"):
        of("one.p")


def h2o() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    p = rng.random(60).round(4)
    label = np.where(rng.random(60) < p, "bad", "good")
    return pd.DataFrame(
        {
            "predict": np.where(p > 0.3, "bad", "good"),
            "bad": p,
            "good": 1 - p,
            "label": label,
            "fold": np.arange(60) % 5,
        }
    )


def test_h2o_counts_the_likelier_class_and_says_what_its_own_labels_err():
    table = h2o()
    found = heldout.from_predictions(table)
    assert round(float(((table["bad"] > 0.5) != (table["label"] == "bad")).mean()), 6) == values(found)["h2o"]
    errors = (table["predict"] != table["label"]).groupby(table["fold"]).mean()
    assert f"H2O prints {100 * errors.mean():.1f}: its column predict is cut at the threshold" in str(found)
    one = table.drop(columns="fold")
    one.loc[one.index >= 20, ["bad", "good"]] = 0.0
    of_fold = heldout.from_predictions(one)
    assert ("E_val", 20) == (of_fold.estimates[0].estimate, of_fold.estimates[0].n_tested)
    assert "40 rows of other folds" in str(of_fold)
    with pytest.raises(BadArgument, match="cross_validation_fold_assignment"):
        heldout.from_predictions(table.drop(columns="fold"))
    renamed = table.rename(columns={"label": "y", "fold": "cv_fold", "bad": "p1", "good": "p0"})
    renamed = renamed.replace({"bad": 1, "good": 0})
    assert values(found) == values(heldout.from_predictions(renamed))


def test_h2o_holdout_frames_of_its_own():
    found = frame("h2o.csv")
    assert ("E_cv", 100) == (found.estimates[0].estimate, found.estimates[0].n_tested)
    assert "H2O prints 28.3: its column predict is cut" in str(found)  # summary: err .282657
    one = frame("h2o_fold.csv")
    assert ("E_val", 27) == (one.estimates[0].estimate, one.estimates[0].n_tested)
    assert "H2O prints 29.6" in str(one)  # cv_1_valid: err .296296


def test_h2o_numbers_have_predict_and_the_assignment_of_folds():
    found = frame("h2o_numbers.csv")
    (one,) = found.estimates
    assert ("E_cv", 0.659026) == (one.estimate, round(one.value**0.5, 6))  # rmse(xval=True) .6590257
    assert "H2O prints 0.664: the mean of the folds' roots" in str(found)  # summary: rmse .664061
    alone = pd.read_csv(OUTPUTS / "h2o_numbers_fold.csv")
    of_fold = heldout.from_predictions(alone, format="h2o")
    assert ("E_val", 27) == (of_fold.estimates[0].estimate, of_fold.estimates[0].n_tested)
    assert 0.626539 == round(of_fold.estimates[0].value ** 0.5, 6)  # cv_1_valid: rmse .626539
    assert "73 rows of other folds, whose predict is 0" in str(of_fold)
    table = pd.read_csv(OUTPUTS / "h2o_numbers.csv")
    with pytest.raises(BadArgument, match="cross_validation_fold_assignment"):
        heldout.from_predictions(table.drop(columns="fold_assignment"), format="h2o")
    joint = alone.assign(fold_assignment=table["fold_assignment"])
    assert values(of_fold) == values(heldout.from_predictions(joint))


def test_autogluon_marks_its_ensemble_and_its_probabilities_are_asked_about():
    found = of("autogluon_labels.csv")
    assert "WeightedEnsemble_L2: its weights were fitted on these rows" in str(found)
    assert {"E_cv"} == {one.estimate for one in found.estimates}
    assert None is found.estimates[0].n_train
    labels = pd.read_csv(OUTPUTS / "autogluon_labels.csv", index_col=0)
    by_metric = heldout.from_predictions(labels, metric="balanced_accuracy").estimates
    scores = {one.candidate: (round(1 - one.value, 2), one.low) for one in by_metric}
    # score_val of its leaderboard
    assert (0.71, 0.67, 0.56) == tuple(
        scores[f"{name}_BAG_L1"][0] for name in ("LightGBM", "KNeighbors", "RandomForest")
    )
    assert {None} == {low for _, low in scores.values()}
    shares = pd.read_csv(OUTPUTS / "autogluon_shares.csv", index_col=0)
    with pytest.raises(BadArgument, match=r"nearest are autogluon .* and probabilities "):
        heldout.from_predictions(shares)
    log = heldout.from_predictions(shares, format="autogluon", loss="log")
    assert 0.588026 == pytest.approx(log.estimates[0].value, abs=1e-5)  # its leaderboard
    one = heldout.from_predictions(shares, format="probabilities", metric="auc")
    assert "E_auc" == one.estimates[0].estimate


def test_probabilities_of_three_classes_have_the_log_loss_of_scikit_learn():
    from sklearn.metrics import log_loss

    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(3), 40)
    label = rng.choice([*"abc"], 40)
    table = pd.DataFrame(shares, columns=[*"cab"]).assign(y=label)
    found = heldout.from_predictions(table, format="probabilities", loss="log")
    assert log_loss(label, table[[*"abc"]]) == pytest.approx(found.estimates[0].value)


def test_weka_39_writes_the_same_as_text_and_csv():
    found, text = of("weka39.csv"), of("weka39.txt")
    assert values(found) == values(text)
    assert 17 / 48 == pytest.approx(found.estimates[0].value)  # Weka: 17 of 48, 35.4167 %
    assert "48 rows, 5 folds" in str(found)
    assert 0.5685 == round(of("weka39_numbers.csv").estimates[0].value ** 0.5, 4)  # Root mean squared error 0.5685


def test_libsvm_has_its_labels_in_the_data():
    found = of("two.out", "two.svm")
    assert {"svm": 0.32} == values(found)  # svm-predict: Accuracy = 68% (34/50)
    assert "E_val" == found.estimates[0].estimate
    with pytest.raises(BadArgument, match="no true labels"):
        of("two.out")
    order = np.loadtxt(OUTPUTS / "two.out", skiprows=1)
    label = np.loadtxt(OUTPUTS / "two.svm", usecols=0)
    right = np.where(label == 2, order[:, 2], order[:, 1])
    assert -np.log(right).mean() == pytest.approx(of("two.out", "two.svm", loss="log").estimates[0].value)


def test_river_lacks_the_first_answer():
    found = frame("river.csv")
    assert 1 - 0.8734 == pytest.approx(found.estimates[0].value, abs=5e-5)  # river: Accuracy: 87.34%
    assert ("E_prog", 79) == (found.estimates[0].estimate, found.estimates[0].n_tested)


def test_moa_has_no_names_and_its_window_is_the_last_1000_rows():
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 1500)
    answer = np.where(rng.random(1500) < np.linspace(0.4, 0.9, 1500), label, (label + 1) % 3)
    text = "?,1\n" + "\n".join(f"{a},{b}" for a, b in zip(answer, label, strict=True))
    found = read(file("out.pred", text))
    assert round(float(np.mean(answer != label)), 6) == values(found)["moa"]
    assert f"MOA prints {100 * np.mean((answer != label)[-1000:]):.1f}: EvaluatePrequential" in str(found)


def test_moa_prints_the_share_of_the_last_1000_of_1200_rows():
    found = of("moa.pred")
    assert 1 - 827 / 1200 == pytest.approx(found.estimates[0].value)
    assert "MOA prints 30.5: EvaluatePrequential" in str(found)  # classifications correct (percent) 69.5


def test_prophet_windows_have_no_interval_where_they_are_few():
    found = frame("prophet.csv")
    assert 14.871674 == pytest.approx(found.estimates[0].value, abs=2e-3)  # performance_metrics: mse 14.871674
    assert ("E_prog", None) == (found.estimates[0].estimate, found.estimates[0].low)


def test_windows_of_time_are_in_blocks_and_few_blocks_have_no_interval():
    table = pd.read_csv(OUTPUTS / "sf.csv")
    found = heldout.from_predictions(table)
    (one,) = found.estimates
    assert table.eval("(Naive - y) ** 2").mean() == pytest.approx(one.value)
    assert ("E_prog", "clustered log t") == (one.estimate, one.interval)
    assert 21 == len(np.unique(found.observed["Naive"].cluster))
    few = heldout.from_predictions(table[table["cutoff"] < "2024-03-01"])
    assert None is few.estimates[0].low
    assert "it needs 20 blocks of 4 times" in str(few)
    prophet = table[table["unique_id"] == "a"].rename(columns={"Naive": "yhat"}).drop(columns="unique_id")
    assert "prophet predictions" in str(heldout.from_predictions(prophet))


def test_out_of_bag_answers_are_named_and_have_no_interval():
    with pytest.raises(BadArgument, match="nearest are out_of_bag"):
        frame("ranger.csv")
    found = frame("ranger.csv", format="out_of_bag")
    (one,) = found.estimates
    assert ("E_oob", 0.44, None) == (one.estimate, one.value, one.low)  # ranger: prediction.error 0.44


def test_a_stream_of_a_plain_table_is_in_the_order_of_its_lines_or_of_a_column():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"row": np.arange(50)[::-1], "candidate": "m", "answer": rng.integers(0, 2, 50), "label": 1})
    found = heldout.from_predictions(table, progressive=True)
    assert [*range(49, -1, -1)] == found.rows.tolist()
    by_time = heldout.from_predictions(table.assign(at=np.arange(50)[::-1]), progressive=True, time="at")
    assert [*range(50)] == by_time.rows.tolist()
    assert "E_prog" == by_time.estimates[0].estimate
    with pytest.raises(BadArgument, match="set progressive"):
        heldout.from_predictions(table, time="row")


def test_the_interval_of_strata_holds_its_level():
    """Tasks of 30, 60 and 120 rows with errors of .1, .3 and .5; 95 % +- 3 standard errors of 400 samples is 91.7."""
    rng, sizes, errors = np.random.default_rng(5), (30, 60, 120), (0.1, 0.3, 0.5)
    held = 0
    for _ in range(400):
        drawn = [(rng.random(n) < p).astype(float) for n, p in zip(sizes, errors, strict=True)]
        table = {
            "row": np.arange(210),
            "candidate": np.full(210, "m"),
            "loss": np.concatenate(drawn),
            "task": np.repeat([*"abc"], sizes),
        }
        (one,) = heldout.from_predictions(table, stratum="task").estimates
        assert np.mean([of.mean() for of in drawn]) == pytest.approx(one.value)
        held += one.low <= 0.3 <= one.high
    assert held / 400 >= 0.917


def test_strata_are_stated_and_go_with_no_weights():
    rng = np.random.default_rng(1)
    table = {"row": np.arange(30), "candidate": ["m"] * 30, "loss": rng.random(30), "task": ["a"] * 20 + ["b"] * 10}
    found = heldout.from_predictions(table, stratum="task")
    assert "strata: the mean over 2 of 20 and 10 rows, each with the weight 1/2; variance within each" in str(found)
    one = np.asarray(table["loss"])
    parts = [part.var(ddof=1) / len(part) for part in (one[:20], one[20:])]
    losses = found.observed["m"].losses
    assert np.var(losses) / 30 == pytest.approx(sum(parts) / 4)
    for more in ({"weight": "loss"}, {"group": "task"}):
        with pytest.raises(BadArgument, match="stratum is 'task', and"):
            heldout.from_predictions(table, stratum="task", **more)
    single = heldout.from_predictions({**table, "task": ["a"] * 29 + ["b"]}, stratum="task")
    assert None is single.estimates[0].low
    assert "no interval: b has a single row" in str(single)


def test_a_table_that_is_of_no_format_is_asked_about_with_the_two_nearest():
    with pytest.raises(BadArgument, match=r"the nearest are caret .* and .*--format names one"):
        heldout.from_predictions({"pred": [1, 2], "obs": [1, 1], "id": [0, 1]})
    with pytest.raises(BadArgument, match="it must be one of caret, mlr"):
        heldout.from_predictions({"pred": [1, 2]}, format="mlr4")


def test_a_table_that_two_readers_fit_is_asked_about():
    table = pd.read_csv(OUTPUTS / "mlr_rep.csv")
    both = table.assign(pred=table["response"], obs=table["truth"], rowIndex=table["id"])
    with pytest.raises(BadArgument, match="--format caret, or --format mlr"):
        heldout.from_predictions(both)


def test_several_files_of_a_tool_are_candidates_of_the_same_rows():
    one, other = file("caret_loo.csv", candidate="knn"), file("caret_loo.csv", candidate="other")
    assert {"knn": 0.48, "other": 0.48} == values(read(one, other))


def test_the_command_reads_the_same(capsys):
    assert 0 == main(["compare", str(OUTPUTS / "three.p"), str(OUTPUTS / "iris.vw")])
    assert f"{of('three.p', 'iris.vw')}\n" == capsys.readouterr().out
    assert 0 == main(["compare", str(OUTPUTS / "weka36.txt")])
    assert "read as: Weka predictions: 48 rows" in capsys.readouterr().out
    assert 2 == main(["compare", str(OUTPUTS / "ranger.csv")])
    assert "--format out_of_bag" in capsys.readouterr().err


@pytest.mark.parametrize("reader", READERS, ids=lambda one: one.name)
def test_a_reader_says_what_it_reads_and_by_which_source(reader):
    texts = (reader.tool, reader.versions, reader.call, reader.holds, reader.prints, reader.source, reader.needs)
    assert all(text.strip() for text in texts)
    assert 0.0 == reader.fits([Source.of({"a": np.arange(3)})])


@pytest.mark.parametrize("as_frame", [False, True])
def test_what_cross_validate_returns_is_answered_by_its_models(as_frame):
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.model_selection import RepeatedKFold, ShuffleSplit, cross_val_predict, cross_validate

    X, y = load_iris(return_X_y=True, as_frame=as_frame)
    learner, cv = LogisticRegression(max_iter=500), RepeatedKFold(n_splits=4, n_repeats=2, random_state=0)

    def validated(cv):
        return {**cross_validate(learner, X, y, cv=cv, return_estimator=True, return_indices=True), "X": X, "y": y}

    results = validated(cv)
    found = heldout.from_predictions(results)
    assert "scikit-learn predictions: 150 rows, 4 folds x 2 repeats" in str(found)
    assert 1 - results["test_score"].mean() == pytest.approx(found.estimates[0].value, abs=1e-3)
    once = RepeatedKFold(n_splits=4, n_repeats=1, random_state=0)
    shares = cross_val_predict(learner, X, y, cv=once, method="predict_proba")
    by_log = heldout.from_predictions(validated(once), loss="log")
    assert log_loss(y, shares) == pytest.approx(by_log.estimates[0].value)
    assert "E_oob" == heldout.from_predictions(validated(ShuffleSplit(3, random_state=0))).estimates[0].estimate
    with pytest.raises(BadArgument, match="table has no 'X': give"):
        heldout.from_predictions({name: of for name, of in results.items() if name != "X"})


def test_what_lightgbm_cv_returns_is_answered_by_its_boosters():
    lightgbm = pytest.importorskip("lightgbm")
    from sklearn.datasets import load_iris
    from sklearn.metrics import log_loss
    from sklearn.model_selection import KFold

    X, y = (values[50:] for values in load_iris(return_X_y=True))
    y = y - 1
    folds = [*KFold(5, shuffle=True, random_state=0).split(X)]
    of = {"objective": "binary", "verbosity": -1, "num_threads": 1}
    results = lightgbm.cv(of, lightgbm.Dataset(X, y), 5, folds=folds, return_cvbooster=True)
    found = heldout.from_predictions({**results, "folds": folds, "X": X, "y": y}, loss="log")
    right = np.zeros(100)
    for (_, test), booster in zip(folds, results["cvbooster"].boosters, strict=True):
        right[test] = booster.predict(X[test])
    assert log_loss(y, right) == pytest.approx(found.estimates[0].value)
    assert results["valid binary_logloss-mean"][-1] == pytest.approx(found.estimates[0].value)  # folds of equal size
    stopped = lightgbm.cv(
        of, lightgbm.Dataset(X, y), 80, folds=folds, return_cvbooster=True, callbacks=[lightgbm.early_stopping(3)]
    )
    found = heldout.from_predictions({**stopped, "folds": folds, "X": X, "y": y}, loss="log")
    assert stopped["valid binary_logloss-mean"][-1] == pytest.approx(found.estimates[0].value)
    assert "the number of rounds was chosen on the tested rows" in str(found)


def boosted(**objective):
    """What `xgboost.cv` returns, with its boosters, of iris or of a table of numbers."""
    xgboost = pytest.importorskip("xgboost")
    from sklearn.datasets import load_diabetes, load_iris
    from sklearn.model_selection import KFold

    class Keep(xgboost.callback.TrainingCallback):
        def after_training(self, model):
            self.boosters = [one.bst for one in model.cvfolds]
            return model

    X, y = load_diabetes(return_X_y=True) if objective["objective"].startswith("reg:") else load_iris(return_X_y=True)
    if "num_class" not in objective and not objective["objective"].startswith("reg:"):
        X, y = X[50:], y[50:] - 1
    keep, folds = Keep(), [*KFold(5, shuffle=True, random_state=0).split(X)]
    early = None if objective["objective"].startswith("reg:") else 3
    of = {"max_depth": 2, "nthread": 1, **objective}
    made = xgboost.cv(of, xgboost.DMatrix(X, y), 20, folds=folds, callbacks=[keep], early_stopping_rounds=early)
    return made, {**made, "boosters": keep.boosters, "folds": folds, "X": X, "y": y}


def test_what_xgboost_cv_returns_is_answered_by_boosters_with_the_rounds_of_its_table():
    made, held = boosted(objective="binary:logistic")
    found = heldout.from_predictions(held, loss="log")
    assert len(made) < held["boosters"][0].num_boosted_rounds()
    assert made["test-logloss-mean"].iloc[-1] == pytest.approx(found.estimates[0].value, rel=1e-5)
    assert "the number of rounds was chosen on the tested rows" in str(found)
    made, held = boosted(objective="multi:softmax", num_class=3, eval_metric="merror")
    assert {"xgboost_cv": round(made["test-merror-mean"].iloc[-1], 6)} == values(heldout.from_predictions(held))
    made, held = boosted(objective="reg:squarederror")
    assert f"XGBoost prints {made['test-rmse-mean'].iloc[-1]:.1f}: the mean of the folds" in str(
        heldout.from_predictions(held)
    )


def test_what_xgboost_cv_returns_is_refused_without_boosters_by_margins_and_with_a_splitter():
    from sklearn.model_selection import KFold

    made, held = boosted(objective="binary:logitraw")
    with pytest.raises(BadArgument, match="these are no probabilities"):
        heldout.from_predictions(held)
    with pytest.raises(BadArgument, match="table has no 'boosters': give"):
        heldout.from_predictions(made)
    with pytest.raises(BadArgument, match="give the list"):
        heldout.from_predictions({**held, "folds": KFold(5, shuffle=True)})


def test_what_catboost_cv_returns_is_answered_by_its_models():
    catboost = pytest.importorskip("catboost")
    from sklearn.datasets import load_iris
    from sklearn.model_selection import KFold

    X, y = (values[50:] for values in load_iris(return_X_y=True))
    y, folds = np.array(["versicolor", "virginica"])[y - 1], [*KFold(5, shuffle=True, random_state=0).split(X)]
    of = {
        "loss_function": "Logloss",
        "iterations": 30,
        "learning_rate": 0.3,
        "random_seed": 0,
        "logging_level": "Silent",
        "allow_writing_files": False,
    }
    scores, models = catboost.cv(catboost.Pool(X, y), of, folds=folds, return_models=True, early_stopping_rounds=3)
    found = heldout.from_predictions({**scores, "models": models, "folds": folds, "X": X, "y": y}, loss="log")
    assert scores["test-Logloss-mean"].iloc[-1] == pytest.approx(found.estimates[0].value, rel=1e-6)
    assert "the number of rounds was chosen on the tested rows" in str(found)
    with pytest.raises(BadArgument, match="table has no 'models': give"):
        heldout.from_predictions(scores)
