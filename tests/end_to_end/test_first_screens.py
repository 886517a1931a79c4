"""Every claim on the first screens of seven runs, listed once, with its check from the rows: `CLAIMS`.

A screen is what a person reads first: the last lines of the terminal, the head of report.html, MLflow's note above its
strip, and the decision of a notebook. A claim is a pattern; what it finds is computed again, from the losses of the
rows and from the delivered model's answers to the test set. What no claim finds must hold no number.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from mlflow import MlflowClient
from numpy.typing import NDArray
from scipy.stats import beta, ttest_rel

import heldout
from heldout.losses import SQUARED, ZERO_ONE, Loss
from heldout.losses.amounts import amount, apart, number, points, rounded, shown

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

BAYES, RIDGE = "sklearn.naive_bayes.GaussianNB", "sklearn.linear_model.Ridge"
NEIGHBOURS = {"estimator": "sklearn.neighbors.KNeighborsClassifier"}
TWO = [{"name": "bayes", "estimator": BAYES}, {"name": "neighbours", **NEIGHBOURS}]
THREE = [*TWO, {"name": "tree", "estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 3}}]
SMOOTHED = [
    {"name": name, "estimator": BAYES, "params": {"var_smoothing": by}} for name, by in (("a", 0.1), ("b", 1.0))
]
COIN = {"estimator": "sklearn.dummy.DummyClassifier", "params": {"strategy": "uniform"}}
LETTERS = [f"{first}{second}" for first in "abcde" for second in "vwxyz"]
NUMBERS = [
    {"name": "mean", "estimator": "sklearn.dummy.DummyRegressor"},
    {"name": "ridge", "estimator": RIDGE},
    {"name": "tree", "estimator": "sklearn.tree.DecisionTreeRegressor", "params": {"max_depth": 3}},
]
RUNS = {
    "two classes, opened": {"candidates": THREE, "selection": {"open_test": True}},
    "another rule": {"candidates": THREE, "selection": {"rule": "one_standard_error"}},
    "another criterion": {"candidates": THREE, "selection": {"criterion": "E_prog"}, "split": {"test_fraction": 0}},
    "thirty and a race": {
        "data": {"labeled_rows": 300},
        "candidates": [*({"name": f"coin {name}", **COIN} for name in LETTERS), *THREE, *SMOOTHED],
        "progressive": {"block": "auto"},
    },
    "numbers": {"data": {"source": "sklearn:diabetes", "positive": None, "labeled_rows": 200}, "candidates": NUMBERS},
    "ten classes": {"data": {"positive": None, "labeled_rows": 200}, "candidates": THREE},
    "groups": {
        "data": {"source": "visits.csv", "target": "ill", "positive": None, "labeled_rows": None, "groups": "patient"},
        "candidates": THREE,
        "selection": {"open_test": True},
    },
}


def visits() -> pd.DataFrame:
    """Six visits of each of 60 patients, who are ill or not."""
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 60)
    rows = np.repeat(np.arange(60), 6)
    values = rng.normal(size=(60, 3))[rows] + rng.normal(size=(360, 3)) + 2.5 * ill[rows, None]
    table = pd.DataFrame(values, columns=["pulse", "sugar", "iron"]).assign(
        patient=rows, ill=np.array(["no", "yes"])[ill][rows]
    )
    return table.sample(frac=1, random_state=0)


@dataclass(frozen=True, eq=False)
class Run:
    """What a run left: its screens, and the files from which their claims are computed again."""

    path: Path
    loss: Loss
    selection: dict
    screens: dict[str, str] = field(repr=False)
    first_table: list[list[str]] = field(repr=False)  # of report.html

    def table(self, name: str) -> pd.DataFrame:
        read = pd.read_csv if name.endswith("csv") else pd.read_parquet
        return read(self.path / name)

    @cached_property
    def y(self) -> NDArray:
        return self.table("data/prepared/labeled.parquet")["target"].to_numpy()

    @cached_property
    def test(self) -> pd.DataFrame:
        return self.table("data/prepared/test.parquet")

    @cached_property
    def by_scheme(self) -> pd.DataFrame:
        return self.table("data/results/losses.parquet")

    def losses(self, candidate: str, scheme: str = "cross_validation") -> NDArray:
        """Of each tested row, in their order."""
        lines = self.by_scheme[(self.by_scheme["candidate"] == candidate) & (self.by_scheme["scheme"] == scheme)]
        return lines.sort_values("row", kind="stable")["loss"].to_numpy()

    def of(self, answers: NDArray, y: NDArray) -> NDArray:
        """The losses of answers."""
        return (answers != y).astype(float) if self.loss.binary else (answers - y) ** 2

    def constant(self, y: NDArray) -> object:
        """The best constant answer, by the labels that it is trained on."""
        return y.mean() if self.loss is SQUARED else np.unique(y)[np.argmax(np.unique(y, return_counts=True)[1])]

    def error(self, estimate: str, candidate: str | None = None) -> float:
        """An estimate, by the rows."""
        if estimate == "E_test":
            file = self.path / "models/selected.skops"
            model = skops.io.load(file, trusted=skops.io.get_untrusted_types(file=file))
            X = self.test.drop(columns="target")
            return float(self.of(model.predict(X), self.test["target"].to_numpy()).mean())
        if estimate == "E_bbc":
            return self.bootstrapped()
        scheme = {"E_cv": "cross_validation", "E_val": "holdout", "E_prog": "progressive", "E_2cv": "covalidation"}
        return float(self.losses(candidate or self.selection["selected"], scheme[estimate]).mean())

    def bootstrapped(self) -> float:
        """E_bbc by a bootstrap of ours, whose draws are others."""
        names, rng, errors = [self.selection["selected"], *self.compared], np.random.default_rng(1), []
        table = np.stack([self.losses(name) for name in names])
        for _ in range(2000):
            drawn = rng.integers(0, table.shape[1], table.shape[1])
            left = np.setdiff1d(np.arange(table.shape[1]), drawn)
            errors.append(table[np.argmin(table[:, drawn].mean(axis=1)), left].mean())
        return float(np.mean(errors))

    def of_constant(self, estimate: str) -> float:
        """The same estimate of the best constant answer."""
        if estimate == "E_test":
            y = self.test["target"].to_numpy()
            return float(self.of(np.full(len(y), self.constant(self.y)), y).mean())
        fold = self.table("data/prepared/partition.parquet").sort_values("row")["fold"].to_numpy()
        answers = np.empty(len(self.y), self.y.dtype if self.loss.binary else float)
        for one in np.unique(fold):
            answers[fold == one] = self.constant(self.y[fold != one])
        return float(self.of(answers, self.y).mean())

    def line(self, estimate: str, candidate: str | None = None) -> pd.Series:
        """Of estimates.csv."""
        lines = self.table("reports/estimates.csv").set_index(["candidate", "estimate"])
        return lines.loc[(candidate or self.selection["selected"], estimate)]

    @cached_property
    def left(self) -> pd.DataFrame:
        """Of differences.csv, those that are not ruled out."""
        lines = self.table("reports/differences.csv")
        return lines[lines["against"].isin(self.selection["indistinguishable"])]

    @cached_property
    def compared(self) -> list[str]:
        """The candidates that have losses of cross-validation, without the winner."""
        lines = self.by_scheme[self.by_scheme["scheme"] == "cross_validation"]
        return [name for name in lines["candidate"].unique() if name != self.selection["selected"]]

    @property
    def level(self) -> float:
        return float(self.line("E_cv")["level"])

    def chose_least(self, estimate: str) -> bool:
        """Whether the winner was chosen as the least by this estimate."""
        return (self.selection["criterion"], self.selection["rule"]) == (estimate, "minimum")

    def groups(self, part: str) -> int:
        return self.table(f"data/prepared/{part}.parquet")["group"].nunique()


def read(text: str) -> str:
    """A number as people write it, without its unit."""
    return text.replace(",", "").removesuffix(" %").removeprefix("RMSE ")


def is_shown(text: str, error: float, loss: Loss, spread: float = 0.0) -> bool:
    """Whether a text says an error, with as many digits as it has, or about it."""
    if spread:
        return abs(float(read(text)) - shown(error, loss)) <= spread * shown(error, loss) + 0.1
    return read(text) in {read(one(error, loss)) for one in (number, rounded, amount)}


def ruled_out(run: Run) -> bool:
    """Those that are not named are shown to err more by a plain paired test too, which asks for less."""
    ours, worse = (
        run.losses(run.selection["selected"]),
        [name for name in run.compared if name not in {*run.left["against"]}],
    )
    return all(ttest_rel(ours, run.losses(name), alternative="less").pvalue < 0.05 for name in worse)


def differences_hold(run: Run) -> bool:
    """Each difference of those that are left is that of the rows, and none errs no less than the constant."""
    ours = run.losses(run.selection["selected"])
    of_rows = [(line["difference"], (ours - run.losses(line["against"])).mean()) for _, line in run.left.iterrows()]
    useful = all(run.error("E_cv", name) < run.of_constant("E_cv") for name in run.left["against"])
    return useful and all(written == pytest.approx(seen, rel=1e-8, abs=1e-9) for written, seen in of_rows)


def worst(run: Run) -> str:
    return points(run.left["low"].min(), run.error("E_cv"), run.loss).lstrip("-")


def bracketed(run: Run, low: str, high: str, estimate: str) -> bool:
    """An interval holds its value; that of E_test of independent rows, right or wrong, is Clopper and Pearson's."""
    line = run.line(estimate)
    if estimate == "E_test" and run.loss.binary and "groups" not in run.selection:
        wrong, n = round(run.error(estimate) * len(run.test)), len(run.test)
        ends = beta.ppf(0.025, wrong, n - wrong + 1) if wrong else 0.0, beta.ppf(0.975, wrong + 1, n - wrong)
        return [read(low), read(high)] == [number(end, run.loss) for end in ends]
    same = [read(low), read(high)] == [read(rounded(line[end], run.loss)) for end in ("low", "high")]
    return same and line["low"] <= line["value"] <= line["high"]


def bound_holds(run: Run, bound: str) -> bool:
    """It is between the limits of E_val that count one candidate, and all that were compared."""
    held = run.losses(run.selection["selected"], "holdout")
    count, wrong, n = run.selection["contamination"], round(held.sum()), len(held)
    one, every = (100 * beta.isf(0.05 / m, wrong + 1, n - wrong) for m in (1, count))
    return one <= float(bound) + 0.05 and float(bound) - 0.05 <= every


def gained(run: Run, difference: str) -> bool:
    """From half of the rows to those of E_cv."""
    of_halves = run.error("E_2cv")
    return is_close(difference, apart(of_halves - run.error("E_cv"), of_halves, run.loss))


def is_close(text: str, value: float) -> bool:
    return float(read(text)) == pytest.approx(value, abs=0.0501, rel=1e-3)


def error_holds(run: Run, estimate: str, value: str) -> bool:
    """An error is that of the rows; E_bbc that of other draws, of the choice of the least E_cv."""
    if estimate == "E_bbc":
        return not run.chose_least("E_cv") or is_shown(value, run.error(estimate), run.loss, spread=0.06)
    return is_shown(value, run.error(estimate), run.loss)


def share_holds(run: Run, estimate: str, share: str) -> bool:
    constant = run.of_constant("E_test" if estimate == "E_test" else "E_cv")
    return float(share) == pytest.approx(1 - run.error(estimate) / constant, abs=0.03 if estimate == "E_bbc" else 0.006)


def of_groups(run: Run, rows: str, groups: str) -> bool:
    return (int(rows), int(groups)) == (len(run.y), run.groups("roles"))


def counted(run: Run, some: str) -> bool:
    """So many others are not ruled out, and the rest is shown to err more."""
    return int(some) == len(run.left) and ruled_out(run)


def planned(run: Run) -> str:
    """The estimate that one plans with."""
    return re.search(r"plan with +(E_\w+) =", run.screens["terminal"])[1]


def to_plan_with(run: Run, error: str, low: str, high: str, constant: str | None) -> bool:
    """The error, its interval, and that of a constant answer, all by the estimate that one plans with."""
    plan = planned(run)
    same = error_holds(run, plan, error.removesuffix(" errors")) and bracketed(run, low, high, plan)
    return same and (constant is None or baseline_holds(run, constant, "E_test" if plan == "E_test" else "E_cv"))


def baseline_holds(run: Run, value: str, estimate: str) -> bool:
    return is_shown(value, run.of_constant(estimate), run.loss)


def still(run: Run, now: str) -> bool:
    return is_shown(now.rstrip("."), run.error("E_cv"), run.loss)


def reaches(run: Run, high: str, constant: str) -> bool:
    plan = planned(run)
    of_constant = run.of_constant("E_test" if plan == "E_test" else "E_cv")
    return is_shown(high, run.line(plan)["high"], run.loss) and is_shown(constant, of_constant, run.loss)


def steps(run: Run) -> int:
    return run.screens["report"].partition("What to do next")[2].count("<li>")


def learned(run: Run, metric: str, value: str, low: str, high: str, part: str, constant: str) -> bool:
    """What the winner has learned by a metric, as it was measured on that part."""
    skill = run.selection["skill"]
    same = (skill["metric"], skill["part"]) == (metric, part) and float(constant) == skill["of_constant"]
    return (
        same and float(low) <= float(value) <= float(high) and float(value) == pytest.approx(skill["value"], abs=5e-4)
    )


def unseen(run: Run, rows: str, groups: str | None) -> bool:
    """So many rows of so many groups are in the test set, and none of them is a labelled row."""
    if groups is not None and int(groups) != run.groups("test_roles"):
        return False
    tables = [run.table(f"data/prepared/{name}.parquet").round(9) for name in ("test", "labeled")]
    tested, labeled = ({*map(tuple, table.to_numpy().tolist())} for table in tables)
    return int(rows) == len(run.test) and not tested & labeled


N = r"(?:[\d.,]+\d|\d)"
V = r"(?:RMSE )?(?:[\d.,]+\d|\d)(?: %)?"
# what is said, and whether it is so
CLAIMS: dict[str, Callable[..., bool]] = {
    rf"(?<!may be )({N} % errors|RMSE {N}) \[({N})–({N})\](?:, a constant ({V}))?": to_plan_with,
    r"(E_\w+) = RMSE [\d.,]+\d \(R² (-?[\d.]+) against the baseline\)": share_holds,
    rf"(E_test|E_cv|E_prog|E_val|E_bbc) = ({V})": error_holds,
    r"on (\d+) rows that no choice has used(?: of (\d+) groups \(patient\))?": unseen,
    r"(\d+) rows of (\d+) groups \(patient\)": of_groups,
    r"by cross-validation; too low, since it won": lambda run: run.chose_least("E_cv"),
    r"at most ([\d.]+) %(?:, with all comparisons counted)?": bound_holds,
    r"(\d+) others? (?:is|are) not ruled out": lambda run, some: counted(run, some) and differences_hold(run),
    r"up to ([\d.]+) (?:points worse|worse in RMSE)": lambda run, most: most == worst(run),
    r"sealed: (\d+) rows": lambda run, rows: int(rows) == len(run.test),
    r"open the test set \((\d+) rows\)": lambda run, rows: int(rows) == len(run.test),
    r"they gained (-?[\d.]+)(?: percentage points)? \[-?[\d.]+ to -?[\d.]+\]": gained,
    rf"with \d+ training rows the error may be (?:{V}) \[[\d.,]+–[\d.,]+\], in place of ({V})": still,
    r"(AUC|R\^2) ([\d.]+) \[([\d.]+)–([\d.]+)\] on the ([a-z -]+), where a constant has (0(?:\.5)?)": learned,
    r"at 95 %": lambda run: run.level == 0.95,
    r"\(and (\d) more in the report\)": lambda run, more: int(more) == steps(run) - 1,
    r"caveat (\d)/(\d)": lambda run, place, of: int(place) <= int(of) <= len(run.selection["caveats"]),
    rf"its upper end, ({V}), reaches the baseline's ({V})": reaches,
}


def in_a_notebook(checkout: Path, made: dict) -> heldout.Validation:
    """The same candidates on the same labelled rows."""
    from sklearn.utils import all_estimators

    known = dict(all_estimators())
    labeled = pd.read_parquet(checkout / "data/prepared/labeled.parquet")
    groups = pd.read_parquet(checkout / "data/prepared/roles.parquet").get("group")
    learners = {}
    for one in made["candidates"]:
        learner = known[one["estimator"].rpartition(".")[2]](**one.get("params", {}))
        learners[one["name"]] = (
            learner.set_params(random_state=0) if "random_state" in learner.get_params() else learner
        )
    X, y = labeled.drop(columns="target"), labeled["target"].to_numpy()
    more = {} if groups is None else {"groups": groups.to_numpy()}
    return heldout.validate(learners, X, y, estimates=["E_cv", "E_bbc"], folds=3, progress=False, **more)


@pytest.fixture(scope="module", params=RUNS)
def run(request, clone, server, write_params, tmp_path_factory) -> Run:
    checkout, changes = clone(server), RUNS[request.param]
    visits().to_csv(checkout.path / "visits.csv", index=False)
    params = write_params(checkout.path / "params.yaml", **changes)
    said = checkout.flow("validate", "--params", params).stdout
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    parent = next(one for one in client.search_runs([experiment]) if "mlflow.parentRunId" not in one.data.tags)
    page = (checkout.path / "reports/report.html").read_text()
    selection = json.loads((checkout.path / "reports/selection.json").read_text())
    screens = {
        "terminal": said[said.rindex("\nplan with") :],
        "report": page[page.index("<h1>") : page.index('<div class="scroll"')],
        "MLflow": parent.data.tags["mlflow.note.content"].partition("```")[0],
    }
    head = page[page.index('<div class="scroll"') : page.index("</header>")]
    table = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", head)[1:]]
    return Run(checkout.path, SQUARED if request.param == "numbers" else ZERO_ONE, selection, screens, table)


def plain(screen: str) -> str:
    """The words of a screen, without its pictures and marks."""
    text = re.sub(r"</?abbr[^>]*>", "", screen)
    text = re.sub(r"<(figure|style).*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL)
    return " ".join(unescape(text).replace("\\", "").replace("**", "").split())


@pytest.mark.parametrize("screen", ["terminal", "report", "MLflow"])
def test_every_number_on_a_first_screen_is_a_claim_that_is_true(run, screen):
    text, seen = plain(run.screens[screen]), 0
    assert plain(run.selection["advice"]) in text
    for pattern, holds in CLAIMS.items():
        for found in re.finditer(pattern, text):
            seen += 1
            assert holds(run, *found.groups()), found[0]
    for pattern in CLAIMS:
        text = re.sub(pattern, " ", text)
    assert seen > 2
    assert not re.search(r"\d", text), text


def test_the_first_table_has_the_error_of_each_and_how_much_more_than_the_winner_it_errs(run):
    rows = {row[0].partition("<em>")[0]: row[1:] for row in run.first_table}
    ours, seen = run.losses(run.selection["selected"]), 0
    for name, (error, worse) in rows.items():
        if name not in (run.selection["selected"], *run.compared):
            continue
        value, low, high = re.fullmatch(rf"({N})<em>({N})–({N})(?: \?)?</em>", error).groups()
        losses, line, seen = run.losses(name), run.line("E_cv", name), seen + 1
        assert [value, low, high] == [
            read(rounded(one, run.loss)) for one in (losses.mean(), line["low"], line["high"])
        ]
        if name != run.selection["selected"]:
            assert is_close(worse.partition("<em>")[0], -apart((ours - losses).mean(), ours.mean(), run.loss))
    assert seen == min(1 + len(run.compared), 10)
    assert {run.selection["selected"], "baseline"} <= {*rows}


def test_a_notebook_says_the_same_of_these_rows(run, request):
    changes = RUNS[request.node.callspec.params["run"]]
    if run.selection["dropped"] or run.selection["criterion"] != "E_cv":
        pytest.skip("a notebook decides by E_cv, and this race needs E_prog")
    made = in_a_notebook(run.path, changes)
    losses = made.losses("E_cv")
    winner = min(losses, key=lambda name: losses[name].mean())
    text = plain(made._repr_html_().partition('<div class="wide"')[0])
    assert text.startswith(made.decide().advice)
    assert made.decide().others in text
    left = [name for name in made.select().indistinguishable if name != winner]
    assert not left or made.decide().verdict == "not_yet" or f"{len(left)} other" in text
    assert winner in text
