"""A quarter of nights through the deployment's own flow.

A real `serve` in a clone of this checkout; each night the table has 150 further rows and a further shard of 200
unlabelled rows, and `watch-shards` and `nightly-validation` are started as `trigger` does. The label is 1 with
probability 1 / (1 + exp(-2 a - 3 b c)); d says nothing of it. The nights begin with a logistic regression and naive
Bayes. What happens: a tree, which errs ten points less, is a candidate from night 20 on; in the morning before night 30
a person goes back to the champion before, and leaves the tree in params.yaml; 40 % of the labels of night 45 are
flipped; from night 60 on d is 1.5 higher, which changes no label; from night 75 on three rows in ten are of class 1,
and not a half. What the person does was settled before: the batch of night 45 is dropped on the next morning, any other
that is held back is released, and after an alarm the reference is moved.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from mlflow import MlflowClient

from studies.made_tables import markdown
from studies.study import Record
from tasks.track import operations_ledger
from tasks.track.promote import PROMOTED

SEED = 0
FIRST_ROWS, SHARD_ROWS = 1000, 200
FLIPPED_SHARE, DISTANCE, RARE = 0.4, 1.5, 0.3
OLD = {
    "bayes": {"estimator": "sklearn.naive_bayes.GaussianNB"},
    "logistic": {"estimator": "sklearn.linear_model.LogisticRegression"},
}
BETTER = {
    "tree": {
        "estimator": "sklearn.tree.DecisionTreeClassifier",
        "params": {"max_depth": 8, "min_samples_leaf": 20, "random_state": 0},
    }
}
ERROR = ("E_champion", "E_champion_low", "E_champion_high", "E_champion_rows")
# the folders that grow, and what ends that
STORES = {
    "mlruns": "equal, until `prune` and `mlflow gc`",
    ".prefect": "equal, for 90 days",
    ".dvc/cache": "the whole table, until `dvc gc`",
    ".cache": "as the table, until `execution.cache_gb`",
    "reports": "0",
}
EXPERIMENT = "heldout"
MORNING = Path("reports/history.html")
TABLE, SHORT_TABLE = Path("docs/quarter.csv"), Path("reports/quarter.csv")
PATIENCE_SECONDS, LOOK_SECONDS = 1200, 0.2


@dataclass(frozen=True)
class Quarter:
    """So many nights, and before which of them what happens."""

    nights: int = 90
    improved: int = 20
    rolled_back: int = 30
    flipped: int = 45
    moved: int = 60
    shares: int = 75
    rows: int = 150  # that a night brings

    def population(self, night: int) -> tuple[float, float | None]:
        """How much higher d is, and the share of class 1 where it is not that of the population."""
        return DISTANCE if night >= self.moved else 0.0, RARE if night >= self.shares else None


def nights(plan: Quarter) -> Iterator[Record]:
    """A record for each night: what the ledger, `watch`, the morning page and the stores say after it."""
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as folder:
        checkout = Checkout(plan, Path(folder) / "quarter")
        checkout.prepare()
        table = labelled(rng, FIRST_ROWS)
        last: Record = {}
        with checkout.serving():
            for night in range(plan.nights):
                did = checkout.morning(night, last)
                world = plan.population(night)
                if night:
                    rows = labelled(rng, plan.rows, *world)
                    if night == plan.flipped:
                        wrong = rng.permutation(plan.rows) < round(FLIPPED_SHARE * plan.rows)
                        rows["label"] = rows["label"].where(~wrong, 1 - rows["label"])
                    table = pd.concat([table, rows], ignore_index=True)
                started = time.monotonic()
                checkout.night(night, table, labelled(rng, SHARD_ROWS, *world).drop(columns="label"))
                seconds = round(time.monotonic() - started, 1)
                last = {"night": night, "did": did, **checkout.said(), "seconds": seconds}
                yield last


def labelled(rng: np.random.Generator, n: int, moved: float = 0.0, share: float | None = None) -> pd.DataFrame:
    """Rows of the population, with d higher by `moved`, or with a `share` of class 1."""
    drawn = n if share is None else 8 * n
    X = rng.normal(size=(drawn, 4)) + np.array([0, 0, 0, moved])
    label = rng.random(drawn) < 1 / (1 + np.exp(-2 * X[:, 0] - 3 * X[:, 1] * X[:, 2]))
    if share is not None:
        count = round(share * n)
        rows = np.concatenate([np.flatnonzero(label)[:count], np.flatnonzero(~label)[: n - count]])
        rows = rng.permutation(rows)
        X, label = X[rows], label[rows]
    return pd.DataFrame(X.round(6), columns=list("abcd")).assign(label=label.astype(int))


SHORT = Quarter(nights=22, improved=1, rolled_back=7, flipped=14, moved=17, shares=20, rows=300)


@dataclass(frozen=True)
class Checkout:
    """A clone, with the commands of a user in it."""

    plan: Quarter
    path: Path

    def prepare(self) -> None:
        """A clone with the parameters of the first night."""
        subprocess.run(["git", "clone", "--quiet", ".", str(self.path)], check=True)  # noqa: S603, S607
        (self.path / "data/raw/shards").mkdir(parents=True)
        self._write(
            OLD,
            data={
                "source": "data/raw/rows.csv",
                "target": "label",
                "positive": None,
                "labeled_rows": None,
                "unlabeled": "data/raw/shards",
            },
            split={"folds": 5},
            covalidation={"repeats": 5},
            report={"slices": []},
        )

    def _write(self, candidates: Mapping[str, Any], **sections: Mapping[str, Any]) -> None:
        path = self.path / "params.yaml"
        params = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, section in sections.items():
            params[name] = {**params.get(name, {}), **section}
        params["candidates"] = dict(candidates)
        path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")

    def start(self, *command: str, **options: Any) -> "subprocess.Popen[str]":
        """Start `python -m flows`, as a user does, with nothing of this process."""
        foreign = ("PREFECT_", "MLFLOW_", "DVC_", "HELDOUT_", "GIT_")
        own = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        own["PREFECT_RUNNER_POLL_FREQUENCY"] = "1"  # seconds: a night begins at once
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "flows", *command],
            cwd=self.path,
            env=own,
            text=True,
            start_new_session=True,
            **options,
        )

    def run(self, *command: str) -> str:
        """Run a command to its end. Raises RuntimeError if it fails."""
        process = self.start(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said, _ = process.communicate(timeout=PATIENCE_SECONDS)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {said}")
        return said

    @contextmanager
    def serving(self) -> Iterator[None]:
        """`serve`, at ports that were free."""
        said = self.path.parent / "serve.txt"
        with ExitStack() as probes:
            found = [probes.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
            pages, runs = (str(probe.getsockname()[1]) for probe in found)
        with said.open("w") as out:
            process = self.start("serve", "--port", pages, "--runs-port", runs, stdout=out, stderr=out)
            try:
                deadline = time.monotonic() + PATIENCE_SECONDS
                while "Ctrl-C stops all" not in said.read_text():
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise RuntimeError(f"serve did not start: {said.read_text()}")
                    time.sleep(LOOK_SECONDS)
                yield
            finally:
                process.terminate()
                process.wait(PATIENCE_SECONDS)

    def morning(self, night: int, last: Record) -> str:
        """What the person does before a night, in words."""
        did = []
        if night == self.plan.improved:
            self._write(OLD | BETTER)
            did.append("the tree is a candidate")
        if night == self.plan.rolled_back and last["champion"] != "1":
            self.run("rollback", "--why", "it errs on Mondays")
            did.append("rollback")
        if last and last["batch"] == "held":
            number = str(last["batch_number"])
            how = "--drop" if last["night"] == self.plan.flipped else "--release"
            self.run("batch", how, number, "--why", "looked at")
            did.append(f"batch {number}: {how}")
        if last and (last["alarm"] or last["alarm_of_columns"]):
            self.run("watch", "--new-reference")
            did.append("watch --new-reference")
        return "; ".join(did)

    def night(self, number: int, table: pd.DataFrame, unlabelled: pd.DataFrame) -> None:
        """The rows arrive, and both deployments run."""
        table.to_csv(self.path / "data/raw/rows.csv", index=False)
        unlabelled.to_csv(self.path / f"data/raw/shards/{number:03d}.csv", index=False)
        if number:  # watch compares with a validated run
            self.run("trigger", "watch-shards", "--wait")
        self.run("trigger", "--wait")

    def said(self) -> Record:
        """The newest words of the ledger and of `watch`, the error of the champion, and the sizes of the stores."""
        client = MlflowClient(f"sqlite:///{self.path}/mlruns/mlflow.db")
        entries = operations_ledger.entries(client)
        contest = next(one for one in reversed(entries) if one.kind in ("contest", "champion"))
        looked = [one for one in entries if one.kind == "batch"][-1:]
        experiment: Any = client.get_experiment_by_name(EXPERIMENT)
        of_winners = client.search_runs([experiment.experiment_id], f"tags.`{PROMOTED}` != ''")
        run = max(of_winners, key=lambda one: one.info.start_time)
        alias = client.get_registered_model("rows").aliases["champion"]
        champion = client.get_run(str(client.get_model_version("rows", alias).run_id))
        page = (self.path / MORNING).read_text(encoding="utf-8")
        lines = pd.read_csv(path) if (path := self.path / "reports/watch.csv").exists() else pd.DataFrame()
        last = {} if lines.empty else lines.iloc[-1].to_dict()
        return {
            "promoted": contest.said["promoted"],
            "capital": contest.said.get("capital", np.nan),
            "reason": run.data.tags[PROMOTED].partition(": ")[2],
            "winner": run.data.tags["selected_model"],
            "champion": str(alias),
            "champion_is": champion.data.tags["selected_model"],
            **{name: run.data.metrics.get(name, np.nan) for name in ERROR},
            "batch": looked[0].said["verdict"] if looked else "",
            "batch_number": looked[0].number if looked else -1,
            "batch_reasons": "; ".join(looked[0].said["reasons"]) if looked else "",
            "alarm": bool(last.get("alarm", False)),
            "alarm_of_columns": bool(last.get("alarm_of_columns", False)),
            "first_line": unescape(re.sub("<[^>]*>", "", re.findall("<h1[^>]*>(.*?)</h1>", page, re.DOTALL)[0])),
            "evidence": last.get("evidence", np.nan),
            **{f"MB of {name}": _megabytes(self.path / name) for name in STORES},
        }


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 1e6


def answers(results: pd.DataFrame, plan: Quarter) -> list[tuple[str, str, str]]:
    """What is asked of the nights, what they answer, and what was wanted."""
    by_night = results.set_index("night")
    promoted = [int(night) for night in results.loc[results["promoted"] == "yes", "night"]]
    back = [night for night in promoted if night >= plan.rolled_back]
    held = [int(night) for night in results.loc[results["batch"] == "held", "night"]]
    raised = [int(night) for night in results.loc[results["alarm"] | results["alarm_of_columns"], "night"]]
    right = [night for night in held if night < plan.shares and night != plan.flipped]
    kept = by_night["champion"].get(plan.flipped) == by_night["champion"].get(plan.flipped - 1)
    half = len(results) // 2
    return [
        ("promotions before anything was better", str(sum(night < plan.improved for night in promoted)), "0"),
        ("nights until the better learner was champion", _delay(promoted, plan.improved), "some"),
        ("nights for which the rollback held", _delay(back, plan.rolled_back, 0), "until fresh rows outweigh it"),
        ("the wrong batch is held back, and changes no champion", _yes(plan.flipped in held and kept), "yes"),
        ("right batches that were held back, of " + str(plan.shares - 2), str(len(right)), "0"),
        ("nights until other class shares are held back", _delay(held, plan.shares), "1"),
        ("alarms of `watch` before a shift", str(sum(night < plan.moved for night in raised)), "0"),
        ("shards until the alarm, d moved", _delay(raised, plan.moved, until=plan.shares), "few"),
        ("alarms again, the reference moved", str(sum(plan.moved < night < plan.shares for night in raised)), "0"),
        ("shards until the alarm, other class shares", _delay(raised, plan.shares), "few"),
        *(
            (f"MB that a night adds to `{name}`, first half; second", _growth(results, name), STORES[name])
            for name in STORES
        ),
        ("seconds of a night, first half; second", _seconds(results["seconds"], half), "as the table"),
    ]


def _delay(nights: Sequence[int], since: int, first: int = 1, until: int | None = None) -> str:
    found = [night for night in nights if night >= since and (until is None or night < until)]
    return str(found[0] - since + first) if found else "not seen"


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"


def _growth(results: pd.DataFrame, store: str) -> str:
    added, half = results[f"MB of {store}"].diff(), len(results) // 2
    return f"{added[:half].mean():.2f}; {added[half:].mean():.2f}"


def _seconds(seconds: "pd.Series[float]", half: int) -> str:
    return f"{seconds[1:half].mean():.0f}; {seconds[half:].mean():.0f}"


def read(table: Path) -> pd.DataFrame:
    """The nights that were run."""
    return pd.read_csv(table).fillna({"did": "", "batch": "", "batch_reasons": ""})


def main() -> int:
    """Run the nights; the records are written after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="22 nights of 300 rows, written to reports/")
    parser.add_argument("--answers", action="store_true", help="no night: only the answers of those that were run")
    asked = parser.parse_args()
    plan, table = (SHORT, SHORT_TABLE) if asked.short else (Quarter(), TABLE)
    table.parent.mkdir(exist_ok=True)
    records: list[Record] = []
    for record in () if asked.answers else nights(plan):
        records.append(record)
        pd.DataFrame(records).to_csv(table, index=False)
        print(f"night {record['night']} of {plan.nights}: {record['seconds']} s; {record['first_line']}", flush=True)
    print(markdown([["asked", "found", "wanted"], *map(list, answers(read(table), plan))]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
