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

import os
import re
import shutil
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
from matplotlib.figure import Figure
from mlflow import MlflowClient

from studies.colours import COLOURS
from studies.study import Finding, Record
from tasks.track import operations_ledger

SEED, NEEDS_DATA = 0, False
FIRST_ROWS, ROWS, SHARD_ROWS = 1000, 150, 200
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
STORES = ("mlruns", ".prefect", ".dvc/cache", ".cache", "reports")
EXPERIMENT, PROMOTED = "heldout", "promoted"
MORNING, PAGE = "reports/history.html", "reports/quarter.html"  # of the last morning: a copy stays
PATIENCE_SECONDS, LOOK_SECONDS = 1200, 0.2
SOON = {"promotion": 10, "held": 1, "alarm": 5}  # nights within which something is said


@dataclass(frozen=True)
class Quarter:
    """So many nights, and before which of them what happens."""

    nights: int = 90
    improved: int = 20
    rolled_back: int = 30
    flipped: int = 45
    moved: int = 60
    shares: int = 75

    def population(self, night: int) -> tuple[float, float | None]:
        """How much higher d is, and the share of class 1 where it is not that of the population."""
        return DISTANCE if night >= self.moved else 0.0, RARE if night >= self.shares else None


def units(quick: bool) -> list[Quarter]:
    """One: each night goes on from the night before."""
    return [Quarter(2, 1) if quick else Quarter()]


def measure(unit: Quarter, data: Path | None) -> list[Record]:  # noqa: ARG001
    """A record for each night: what the ledger, `watch` and the stores say after it."""
    rng = np.random.default_rng(SEED)
    with tempfile.TemporaryDirectory() as folder:
        checkout = Checkout(unit, Path(folder) / "quarter")
        checkout.prepare()
        table = labelled(rng, FIRST_ROWS)
        records: list[Record] = []
        with checkout.serving():
            for night in range(unit.nights):
                did = checkout.morning(night, records)
                world = unit.population(night)
                if night:
                    rows = labelled(rng, ROWS, *world)
                    if night == unit.flipped:
                        wrong = rng.permutation(ROWS) < round(FLIPPED_SHARE * ROWS)
                        rows["label"] = rows["label"].where(~wrong, 1 - rows["label"])
                    table = pd.concat([table, rows], ignore_index=True)
                started = time.monotonic()
                checkout.night(night, table, labelled(rng, SHARD_ROWS, *world).drop(columns="label"))
                if night == unit.nights - 1:
                    shutil.copy(checkout.path / MORNING, PAGE)
                records.append({"night": night, "did": did, **checkout.said(), "seconds": time.monotonic() - started})
        return records


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
            params[name] |= section
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

    def morning(self, night: int, nights: Sequence[Record]) -> str:
        """What the person does before a night, in words."""
        did = []
        if night == self.plan.improved:
            self._write(OLD | BETTER)
            did.append("the tree is a candidate")
        if night == self.plan.rolled_back and nights[-1]["champion"] != "1":
            self.run("rollback", "--why", "it errs on Mondays")
            did.append("rollback")
        if nights and nights[-1]["batch"] == "held":
            number = str(nights[-1]["batch_number"])
            how = "--drop" if nights[-1]["night"] == self.plan.flipped else "--release"
            self.run("batch", how, number, "--why", "looked at")
            did.append(f"batch {number}: {how}")
        if nights and (nights[-1]["alarm"] or nights[-1]["alarm_of_columns"]):
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
        of_winners = client.search_runs([experiment.experiment_id], f"tags.{PROMOTED} != ''")
        run = max(of_winners, key=lambda one: one.info.start_time)
        alias = client.get_registered_model("rows").aliases["champion"]
        champion = client.get_run(str(client.get_model_version("rows", alias).run_id))
        page = (self.path / MORNING).read_text(encoding="utf-8")
        lines = pd.read_csv(path) if (path := self.path / "reports/watch.csv").exists() else pd.DataFrame()
        last = {} if lines.empty else lines.iloc[-1].to_dict()
        return {
            "promoted": contest.said["promoted"],
            "capital": contest.said.get("capital", np.nan),
            "reason": run.data.tags["promotion_reason"],
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


def findings(results: pd.DataFrame) -> list[Finding]:
    """What was said when; agrees where it was said in time, and nothing was said before there was a reason."""
    plan = Quarter() if len(results) == Quarter().nights else Quarter(len(results), 1)
    return [*_of_champion(results, plan), *_of_batches(results, plan), *_of_alarms(results, plan), *_of_stores(results)]


def _of_champion(results: pd.DataFrame, plan: Quarter) -> Iterator[Finding]:
    promoted = results[results["promoted"] == "yes"]
    early = promoted[promoted["night"] < plan.improved]
    yield Finding(
        "false promotions", len(early), early.empty, f"of {plan.improved - 1} nights in which nothing was better", 0
    )
    after = [int(night) for night in promoted["night"] if night >= plan.improved]
    first = after[0] - plan.improved + 1 if after else -1
    yield Finding(
        "nights until the better learner was champion",
        first,
        0 < first <= SOON["promotion"],
        f"promoted in night {', '.join(map(str, after)) or 'none'}",
        f"at most {SOON['promotion']}",
    )
    back = [night for night in after if night >= plan.rolled_back]
    if back:
        reason = str(results.set_index("night").loc[back[0], "reason"])
        yield Finding(
            "nights for which a rollback held",
            back[0] - plan.rolled_back,
            "outweighs the pin" in reason,
            f"then the tree came back in night {back[0]}: {reason}",
            "until fresh evidence",
        )


def _of_batches(results: pd.DataFrame, plan: Quarter) -> Iterator[Finding]:
    held = results[results["batch"] == "held"]
    wrong = held[held["night"] == plan.flipped]
    if plan.flipped < plan.nights:
        champions = results.set_index("night")["champion"]
        kept = champions[plan.flipped] == champions[plan.flipped - 1]
        why = "; ".join(wrong["batch_reasons"]) or "it was accepted"
        yield Finding("the wrong batch is held back", "yes" if len(wrong) else "no", bool(len(wrong)) and kept, why)
    like = results["night"].between(1, plan.shares - 1) & (results["night"] != plan.flipped)
    false = held[held["night"].isin(results.loc[like, "night"])]
    moved = max(0, min(plan.shares, plan.nights) - plan.moved)
    why = f"of {like.sum()} batches with right labels, {moved} of them with d moved"
    yield Finding("right batches held back", len(false), false.empty, why, 0)
    if plan.shares < plan.nights:
        later = held[held["night"] >= plan.shares]
        first = int(later["night"].iloc[0]) - plan.shares + 1 if len(later) else -1
        why = f"held in night {', '.join(map(str, later['night'])) or 'none'}: {'; '.join(later['batch_reasons'][:1])}"
        yield Finding(
            "nights until other class shares were held back",
            first,
            0 < first <= SOON["held"],
            why,
            f"at most {SOON['held']}",
        )


def _of_alarms(results: pd.DataFrame, plan: Quarter) -> Iterator[Finding]:
    raised = results[results["alarm"] | results["alarm_of_columns"]]
    early = raised[raised["night"] < plan.moved]
    yield Finding(
        "false alarms", len(early), early.empty, f"in {min(plan.moved, plan.nights)} nights without a shift", 0
    )
    for name, since, until in (("d moved", plan.moved, plan.shares), ("class shares", plan.shares, plan.nights)):
        if since < plan.nights:
            nights = [int(night) for night in raised["night"] if since <= night < until]
            first = nights[0] - since + 1 if nights else -1
            why = f"raised in night {', '.join(map(str, nights)) or 'none'}, without labels"
            yield Finding(
                f"shards until the alarm, {name}", first, 0 < first <= SOON["alarm"], why, f"at most {SOON['alarm']}"
            )


def _of_stores(results: pd.DataFrame) -> Iterator[Finding]:
    total = results[[f"MB of {name}" for name in STORES]].sum(axis=1)
    half = len(total) // 2
    first, second = (float(part.diff().mean()) for part in (total[: half + 1], total[half:]))
    last = ", ".join(f"{name} {results[f'MB of {name}'].iloc[-1]:.0f}" for name in STORES)
    yield Finding(
        "MB that a night adds, second half", round(second, 2), True, f"first half {first:.2f}; at the end {last}"
    )


def pictures(results: pd.DataFrame) -> Mapping[str, Figure]:
    """The error of the champion with its interval, the capital, the evidence of `watch`, and what was said when."""
    figure = Figure(figsize=(7.5, 6.5), layout="constrained")
    error, capital, evidence = figure.subplots(3, sharex=True)
    night = results["night"]
    error.fill_between(
        night, 100 * results["E_champion_low"], 100 * results["E_champion_high"], color=COLOURS["sky"], alpha=0.4
    )
    error.plot(night, 100 * results["E_champion"], color=COLOURS["blue"])
    error.set_ylabel("error of the\nchampion, %")
    capital.semilogy(night, results["capital"], ".-", color=COLOURS["green"])
    capital.axhline(20, color=COLOURS["black"], linewidth=0.8, linestyle="--")
    capital.set_ylabel("capital of\nthe winner")
    evidence.semilogy(night, results["evidence"].clip(lower=1e-3), ".-", color=COLOURS["purple"])
    evidence.axhline(20, color=COLOURS["black"], linewidth=0.8, linestyle="--")
    evidence.set_ylabel("evidence\nof watch")
    evidence.set_xlabel("night")
    changes = results["champion"].ne(results["champion"].shift())
    marks = [
        (changes, "champion", COLOURS["blue"]),
        (results["batch"] == "held", "batch held back", COLOURS["red"]),
        (results["alarm"] | results["alarm_of_columns"], "alarm", COLOURS["orange"]),
    ]
    for axis in (error, capital, evidence):
        for where, label, colour in marks:
            for place, at in enumerate(night[where]):
                axis.axvline(at, color=colour, linewidth=1, alpha=0.7, label=label if place == 0 else None)
    handles, labels = error.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return {"": figure}
