"""What MLflow holds after a run on the shipped parameters and the same run again, the second in a copied checkout."""

import contextlib
import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import mlflow
import pandas as pd
import pytest
import yaml
from mlflow import MlflowClient

from tasks.outcome.items import DATA_HASH
from tasks.params.by_name import listed
from tasks.track.changed import GIT_COMMIT
from tasks.track.promote import PROMOTED

pytestmark = pytest.mark.slow

CHAMPION = """
import json, mlflow, pandas
mlflow.set_tracking_uri("sqlite:///mlruns/mlflow.db")
address = "models:/digits@champion"
row = pandas.read_parquet("data/prepared/test.parquet").drop(columns="target").iloc[[0]]
told = mlflow.models.get_model_info(address)
print(json.dumps({
    "prediction": mlflow.sklearn.load_model(address).predict(row).tolist(),
    "inputs": told.signature.inputs.input_names(),
    "outputs": len(told.signature.outputs.inputs),
    "example": told.saved_input_example_info["artifact_path"],
}))
"""


@dataclass(frozen=True)
class Story:
    """The store after both runs, its parents in their order, and the contamination that each run told."""

    checkout: Any
    client: MlflowClient
    parents: list[Any]
    contamination: list[int]
    original_untouched: bool

    def children(self, parent) -> dict[str, Any]:
        query = f"tags.`mlflow.parentRunId` = '{parent.info.run_id}'"
        return {run.info.run_name: run for run in self.client.search_runs([parent.info.experiment_id], query)}


@pytest.fixture(scope="module")
def story(validated, tmp_path_factory) -> Story:
    """The runs go on in a copy: nothing in it may point at the original."""
    before = validated.hashes("mlruns", "reports", "models", "data")
    checkout = validated.copy(tmp_path_factory.mktemp("copy") / "heldout")

    checkout.flow("validate", "--promote")
    told = [
        json.loads((place.path / "reports/selection.json").read_text())["contamination"]
        for place in (validated, checkout)
    ]
    client = MlflowClient(f"sqlite:///{checkout.path}/mlruns/mlflow.db")
    experiment = client.get_experiment_by_name("heldout").experiment_id
    runs = client.search_runs([experiment], order_by=["attributes.start_time ASC"])
    parents = [run for run in runs if "mlflow.parentRunId" not in run.data.tags]
    return Story(checkout, client, parents, told, before == validated.hashes("mlruns", "reports", "models", "data"))


@pytest.fixture(scope="module")
def estimates(validated) -> pd.DataFrame:
    return pd.read_csv(validated.path / "reports/estimates.csv")


def test_every_validation_is_one_finished_parent_with_its_tags(story, validated):
    data_hash = (validated.path / "data/prepared/data_hash.txt").read_text().strip()
    selected = json.loads((validated.path / "reports/selection.json").read_text())["selected"]
    expected = {
        DATA_HASH: data_hash,
        GIT_COMMIT: validated.git("rev-parse", "HEAD").strip(),
        "selected_model": selected,
        "criterion": "E_cv",
    }
    assert ["FINISHED"] * 2 == [run.info.status for run in story.parents]
    for run in story.parents:
        assert expected == {name: run.data.tags.get(name) for name in expected}


def difference(checkout, against: str, name: str) -> dict[str, float]:
    """The metrics of a line of differences.csv."""
    table = pd.read_csv(checkout.path / "reports/differences.csv").set_index("against")
    if against not in table.index:
        return {}
    line = table.loc[against]
    return {name: line["difference"], f"{name}_low": line["low"], f"{name}_high": line["high"]}


def of_more_rows(checkout, candidate: str) -> dict[str, float]:
    """The metrics of the lines of more_rows.csv of a candidate."""
    table = pd.read_csv(checkout.path / "reports/tables/more_rows.csv")
    lines = table[(table["candidate"] == candidate) & table["estimate"].isin(["gain", "E_N", "E_2N"])]
    assert 3 == len(lines)
    ends = {"": "value", "_low": "low", "_high": "high"}
    return {
        f"{line['estimate']}{end}": line[column] for line in lines.to_dict("records") for end, column in ends.items()
    }


def of_powered(checkout, candidate: str) -> dict[str, float]:
    """The metrics of the line of prediction_powered.csv of a candidate's E_cv."""
    table = pd.read_csv(checkout.path / "reports/tables/prediction_powered.csv")
    [line] = table[(table["candidate"] == candidate) & (table["estimate"] == "E_cv")].to_dict("records")
    ends = {"E_cv_powered": "value", "E_cv_powered_low": "low", "E_cv_powered_high": "high"}
    metrics = {name: line[column] for name, column in {**ends, "labels_gained": "labels_gained"}.items()}
    return {} if pd.isna(line["value"]) else metrics


def test_the_metrics_of_a_parent_are_those_that_one_compares(story, validated, estimates):
    for run in story.parents:
        own = estimates[estimates["candidate"] == run.data.tags["selected_model"]]
        deciding = own["estimate"].isin(["E_test", "E_cv"])
        compared = own[own["estimate"].isin(["E_bbc", "E_val", "E_prog", "disagreement"])]
        expected = with_bounds(own[deciding]) | dict(zip(compared["estimate"], compared["value"], strict=True))
        choice = json.loads((validated.path / "reports/selection.json").read_text())
        expected |= {name: choice[name] for name in ("bound", "baseline")}
        measured = pd.read_csv(validated.path / "reports/tables/metrics.csv").set_index("metric")
        measured = measured[measured["slice"].isna() & measured["value"].notna()]
        expected |= {f"test_{name}": line["value"] for name, line in measured.iterrows()}
        assert {"E_cv_low", "E_cv_high", "E_test", "test_f1"} <= {*expected}
        assert len(expected) <= 20
        of_champion = {name: value for name, value in run.data.metrics.items() if name.startswith("E_champion")}
        # who does not win meets the champion, here itself: the whole test set is new to it
        met = [expected["E_test"]] if run.data.tags[PROMOTED].startswith("no:") else []
        assert pytest.approx(met) == [*of_champion.values()][:1]
        expected |= of_champion
        assert expected == {name: value for name, value in run.data.metrics.items() if not name.startswith("system/")}
        visible = {name for name in run.data.tags if not name.startswith("mlflow.")}
        assert len(visible) <= 8
        assert len(run.data.params) <= 25


def with_bounds(lines: pd.DataFrame) -> dict[str, float]:
    """The metrics of lines of estimates.csv."""
    ends = {"": "value", "_low": "low", "_high": "high"}
    metrics = {f"{line['estimate']}{end}": line[of] for line in lines.to_dict("records") for end, of in ends.items()}
    return {name: value for name, value in metrics.items() if not pd.isna(value)}


def test_runs_are_called_by_the_error_to_plan_with_winner_and_data_and_the_winner_is_marked(story):
    for run in story.parents:
        winner = run.data.tags["selected_model"]
        assert f"E_test {100 * run.data.metrics['E_test']:.1f} % · {winner} · digits" == run.info.run_name
        marked = [name for name, child in story.children(run).items() if "selected" in child.data.tags]
        assert [winner] == marked
        assert [] == [name for name in run.data.tags if name.startswith(("compared", "rows.", "test_opened"))]


@pytest.mark.long
def test_a_report_of_other_settings_is_refused_and_nothing_is_written(story):
    """Of a run with another seed, MLflow would have kept the seed of the one and the numbers of the other."""
    places = ("mlruns", "reports", "models", "data")
    before = story.checkout.hashes(*places)
    for stage in ("select", "report"):
        refused = story.checkout.flow(stage, "--set", "seed=11", check=False)
        assert (2, 1) == (refused.returncode, refused.stderr.count("seed is 11 here and 0 there"))
    assert before == story.checkout.hashes(*places)


def test_every_candidate_is_one_child_with_its_settings_and_estimates(story, validated, estimates):
    candidates = listed(yaml.safe_load((validated.path / "params.yaml").read_text())["candidates"])
    for parent in story.parents:
        children = story.children(parent)
        assert {candidate["name"] for candidate in candidates} == {*children}
        for candidate in candidates:
            data = children[candidate["name"]].data
            assert "FINISHED" == children[candidate["name"]].info.status
            settings = {f"params.{name}": str(value) for name, value in candidate.get("params", {}).items()}
            assert {"estimator": candidate["estimator"], **settings}.items() <= data.params.items()
            expected = with_bounds(estimates[estimates["candidate"] == candidate["name"]])
            expected |= difference(validated, candidate["name"], "E_cv_of_selected_less_this")
            expected |= of_more_rows(validated, candidate["name"])
            expected |= of_powered(validated, candidate["name"])
            of_this_run = ("fold_error", "progressive_error", "fit_seconds", "prediction_microseconds", "model_bytes")
            assert {**expected, **{name: data.metrics[name] for name in of_this_run}} == data.metrics
            assert 0 < data.metrics["fit_seconds"] < 60


def test_the_steps_of_the_curves_are_the_folds_and_the_examples_tested(story, validated):
    losses = pd.read_parquet(validated.path / "data/results/losses.parquet").set_index(["candidate", "scheme"])
    for name, child in story.children(story.parents[0]).items():
        folds = losses.loc[(name, "cross_validation")].groupby("unit")["loss"].mean()
        curve = losses.loc[(name, "progressive")].sort_values("unit")["loss"].expanding().mean()
        for metric, first, expected in (("fold_error", 0, folds), ("progressive_error", 1, curve)):
            history = sorted(story.client.get_metric_history(child.info.run_id, metric), key=lambda point: point.step)
            assert list(range(first, first + len(expected))) == [point.step for point in history]
            assert expected.tolist() == pytest.approx([point.value for point in history], abs=1e-12)
        assert child.data.metrics["E_prog"] == pytest.approx(history[-1].value, abs=1e-9)


def test_the_data_are_an_input_with_their_digest(story):
    for run in story.parents:
        for of in (run, *story.children(run).values()):
            (given,) = of.inputs.dataset_inputs
            assert "digits" == given.dataset.name
            assert run.data.tags[DATA_HASH].startswith(given.dataset.digest)
            assert len(given.dataset.digest) >= 32
    assert 1 == len({run.data.tags[DATA_HASH] for run in story.parents})


def test_a_parent_holds_the_table_the_report_and_the_plots(story, validated):
    for run in story.parents:
        with contextlib.chdir(story.checkout.path):
            names = [
                entry.path
                for folder in ("", "plots")
                for entry in story.client.list_artifacts(run.info.run_id, folder)
                if not entry.is_dir
            ]
            table = story.client.download_artifacts(run.info.run_id, "estimates.csv")
            assert (validated.path / "reports/estimates.csv").read_text() == (story.checkout.path / table).read_text()
        assert {
            "estimates.csv",
            "prediction_sets.csv",
            "metrics.csv",
            "confusion.csv",
            "selection.json",
            "report.html",
            "plots/estimates.csv",
        } <= {*names}


def test_the_estimates_of_all_candidates_are_a_table_that_mlflow_reads(story, estimates, monkeypatch):
    monkeypatch.chdir(story.checkout.path)
    mlflow.set_tracking_uri("sqlite:///mlruns/mlflow.db")  # where MLflow looks for the runs, whatever the client is
    try:
        table = mlflow.search_runs(experiment_names=["heldout"])
    finally:
        mlflow.set_tracking_uri(None)
    for name in ("E_cv", "E_val"):
        lines = estimates[estimates["estimate"] == name].set_index("candidate").drop(index="baseline")
        for candidate in lines.index:
            of = table[table["tags.mlflow.runName"] == candidate]
            for end, column in (("", "value"), ("_low", "low"), ("_high", "high")):
                assert [pytest.approx(lines.loc[candidate, column])] * 2 == of[f"metrics.{name}{end}"].tolist()


def test_the_hard_rows_are_a_table_that_mlflow_reads(story, validated):
    expected = pd.read_csv(validated.path / "reports/tables/hard_rows.csv")
    for run in story.parents:
        with contextlib.chdir(story.checkout.path):
            stored = story.client.download_artifacts(run.info.run_id, "hard_rows.json")
            table = json.loads((story.checkout.path / stored).read_text())
        assert [*expected.columns] == table["columns"]
        assert expected["row"].tolist() == [line[0] for line in table["data"]]


@pytest.fixture(scope="module")
def champion(story) -> dict:
    """What a program that loads the registered model finds."""
    return json.loads(story.checkout.run("python", "-c", CHAMPION).stdout.strip().splitlines()[-1])


def test_the_champion_predicts_on_a_raw_row(story, champion):
    expected = pd.read_parquet(story.checkout.path / "data/prepared/test.parquet")["target"].iloc[:1].tolist()
    assert expected == champion["prediction"]


def test_the_champion_tells_its_inputs_and_output_and_shows_an_example(story, champion):
    columns = pd.read_parquet(story.checkout.path / "data/prepared/labeled.parquet").columns.drop("target")
    assert list(columns) == champion["inputs"]
    assert 1 == champion["outputs"]
    assert "input_example.json" == champion["example"]


def test_both_runs_register_a_version_and_the_first_stays_the_champion(story, estimates):
    versions = {str(one.version): one for one in story.client.search_model_versions("name = 'digits'")}
    aliases = story.client.get_registered_model("digits").aliases
    assert {"champion": "1", "challenger": "2"} == {alias: str(version) for alias, version in aliases.items()}
    assert [run.info.run_id for run in story.parents] == [versions[number].run_id for number in ("1", "2")]
    assert ["first", "no"] == [run.data.tags[PROMOTED].partition(":")[0] for run in story.parents]
    assert "not distinguishable" in story.parents[1].data.tags[PROMOTED]
    lines = estimates[estimates["candidate"] == story.parents[0].data.tags["selected_model"]].set_index("estimate")
    value, low, high = (f"{100 * lines.loc['E_cv', end]:.1f}" for end in ("value", "low", "high"))
    assert f"{value} % [{low}–{high}] at 95 %" == versions["1"].tags["E_cv"]
    assert f"{value} [" in versions["1"].description  # in the table
    (output,) = story.parents[0].outputs.model_outputs
    of_model = story.client.get_logged_model(output.model_id)
    assert story.parents[0].data.metrics == {one.key: one.value for one in of_model.metrics}
    assert story.parents[0].data.tags[DATA_HASH] == versions["1"].tags["data_hash"]
    assert story.parents[0].data.tags[GIT_COMMIT] == versions["1"].tags["git_commit"]


def test_the_same_candidates_again_contaminate_no_further(story):
    assert [2, 2] == story.contamination


def test_artifacts_lie_at_relative_places_so_that_a_copy_leaves_the_original_alone(story):
    experiment = story.client.get_experiment_by_name("heldout")
    places = [experiment.artifact_location, *(run.info.artifact_uri for run in story.parents)]
    assert [] == [place for place in places if ":" in place or PurePosixPath(place).is_absolute()]
    assert story.original_untouched
