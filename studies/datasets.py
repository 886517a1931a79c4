"""Fifteen public data sets, from the file to the decision; only the target is named by hand: docs/datasets.md.

Each set is run in a fresh clone of the last commit: `python -m flows init FILE --target COLUMN`, then `dvc repro`.
The results are stored below `.cache/studies/datasets`, and the page is written from all stored results.

    python -m studies.datasets --data FOLDER                # all sets, a quarter of an hour
    python -m studies.datasets --data FOLDER --only votes   # one set
    python -m studies.datasets --data FOLDER --only votes --seed 1   # again, with other random draws
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import pandas as pd

from tasks.plans.budget import VALIDATION_FRACTION

CACHE = Path(".cache/studies/datasets")
PAGE = Path("docs/datasets.md")
FOLDER = Path(os.environ.get("HELDOUT_DATA", Path(__file__).parents[2] / "shared/data"))
# name: file below the folder, target
SETS = {
    "votes": ("votes/house_votes_84.csv", "party"),
    "chess_kr_vs_kp": ("chess_kr_vs_kp/kr_vs_kp.csv", "class"),
    "adult": ("adult/adult_train.parquet", "income"),
    "optdigits": ("optdigits/optdigits_train.csv", "digit"),
    "lfd_digits": ("lfd_digits/features_train.csv", "digit"),
    "news20_baseball_hockey": ("news20_baseball_hockey/news20_baseball_hockey.parquet", "label"),
    "news20_religion": ("news20_religion/news20_religion.parquet", "label"),
    "reuters_top10": ("reuters_top10/reuters_modapte_top10.parquet", "label"),
    "electricity_elec2": ("electricity_elec2/elec2.parquet", "class"),
    "occupancy": ("occupancy/occupancy_detection.csv", "Occupancy"),
    "spambase": ("spambase/spambase.csv", "class"),
    "letter": ("letter/letter.csv", "class"),
    "german_credit": ("german_credit/german_credit.csv", "class"),
    "wine_quality": ("wine_quality/wine_quality.csv", "quality"),
    "california_housing": ("california_housing/california_housing.csv", "medianHouseValue"),
}
JUDGES = ("E_cv", "E_val")
_NORMAL = 1.96  # half the width of an interval at 95 %, in standard errors


@dataclass(frozen=True)
class Outcome:
    """One set: the lines that `init` printed, and the winner's results; `estimates` are value, low, high."""

    name: str
    messages: list[str]
    selected: str
    estimates: dict[str, list[float]]
    test_error: float
    seconds: float
    seed: int = 0

    @property
    def inside(self) -> list[str]:
        """The estimates whose interval contains the error on the test part."""
        return [name for name in JUDGES if self.estimates[name][1] <= self.test_error <= self.estimates[name][2]]


def run(name: str, data: Path, seed: int) -> Outcome:
    """Take one set from its file to the decision, in a clone below a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="heldout-") as folder:
        clone = Path(folder) / "checkout"
        call(["git", "clone", "--quiet", str(Path.cwd()), str(clone)], Path(folder))
        return run_in(clone, name, data, seed)


def run_in(clone: Path, name: str, data: Path, seed: int = 0) -> Outcome:
    """The same, in an existing clone. Raises SystemExit with the output of a command that failed."""
    file, target = SETS[name]
    started = time.monotonic()
    printed = call([sys.executable, "-m", "flows", "init", str(data / file), "--target", target], clone)
    params = clone / "params.yaml"
    params.write_text(re.sub(r"^seed: 0$", f"seed: {seed}", params.read_text(), flags=re.MULTILINE))
    call([sys.executable, "-m", "dvc", "repro"], clone)
    seconds = time.monotonic() - started
    selection: dict[str, Any] = json.loads((clone / "reports/selection.json").read_text())
    estimates = pd.read_csv(clone / "reports/estimates.csv")
    of_winner = estimates[estimates["candidate"] == selection["selected"]].set_index("estimate")
    return Outcome(
        name=name,
        messages=printed.splitlines(),
        selected=selection["selected"],
        estimates={name: of_winner.loc[name, ["value", "low", "high"]].astype(float).tolist() for name in JUDGES},
        test_error=selection["E_test"],
        seconds=round(seconds, 1),
        seed=seed,
    )


def page(every: list[Outcome]) -> str:
    """docs/datasets.md: the runs with the seed that init writes, then the runs with other seeds."""
    outcomes = [outcome for outcome in every if outcome.seed == 0]
    others = [outcome for outcome in every if outcome.seed]
    again = [_all_draws(every), *map(_again, others), ""]
    inside = sum(bool(outcome.inside) for outcome in outcomes)
    expected = sum(map(_chance, outcomes))
    rows = ["| " + " | ".join(_line(outcome)) + " |" for outcome in outcomes]
    details = [f"### {outcome.name}\n\n```\n" + "\n".join(outcome.messages[:-2]) + "\n```\n" for outcome in outcomes]
    left = [name for name in SETS if name not in {outcome.name for outcome in outcomes}]
    not_run = [f"\nNot run yet: {', '.join(left)}."] if left else []
    return "\n".join(
        [
            _HEAD.format(inside=inside, sets=len(outcomes), expected=expected),
            *rows,
            *not_run,
            "",
            *(again if others else []),
            _FOOT,
            *details,
        ]
    )


_HEAD = """\
# Public data sets

`python -m flows init FILE --target COLUMN`, then `dvc repro`, in a fresh clone, with nothing edited.
`make datasets DATA=FOLDER` makes this page. Errors of classes are in percent, errors of numbers in squared units of the
target. For {inside} of {sets} sets the winner's error on the test part, which is opened once at the end, is inside the
interval of its `E_cv` or its `E_val`. The test part has noise too: {expected:.1f} of {sets} would be expected if
every interval were right for the model that is tested. But the intervals are about hypotheses trained on fewer rows,
which err more: so the test error tends to be below an interval that misses it.

| set | rows | task | columns left out | copies | order | selected | E_cv | E_val | E_test | inside | seconds |
|---|---|---|---|---|---|---|---|---|---|---|---|"""
_AGAIN = """\
All sets were run again with other seeds (`--seed`); inside are {by_seed}.
Of all {runs} runs {inside} are inside; {expected:.1f} would be expected. {often} of {sets} sets are inside in more than
half of their runs.
"""
_FOOT = """\
Seconds are for `init` and `dvc repro` together, on two cores, with other programs running at times.

## The output of init
"""


def _all_draws(every: list[Outcome]) -> str:
    """How many runs of the sets are inside: by seed, in all, and as expected."""
    inside = pd.DataFrame({"set": run.name, "seed": run.seed, "inside": bool(run.inside)} for run in every)
    by_seed = inside.groupby("seed")["inside"].agg(["sum", "size"])
    often = inside.groupby("set")["inside"].mean() > 1 / 2
    return _AGAIN.format(
        by_seed=", ".join(f"{row['sum']} of {row['size']} with seed {seed}" for seed, row in by_seed.iterrows()),
        runs=len(every),
        inside=inside["inside"].sum(),
        expected=sum(map(_chance, every)),
        often=often.sum(),
        sets=len(often),
    )


def _again(outcome: Outcome) -> str:
    """A line about a run with another seed."""
    return (
        f"- {outcome.name} with seed {outcome.seed}: {outcome.selected}, E_cv {_cell(outcome, 'E_cv')}, E_val "
        f"{_cell(outcome, 'E_val')}, E_test {_number(outcome, outcome.test_error)}: inside "
        f"{' and '.join(outcome.inside) or 'no'}"
    )


def _line(outcome: Outcome) -> list[str]:
    return [
        f"[{outcome.name}](#{outcome.name})",
        _find(outcome, r"table .*: (\d+) rows;") or "",
        _task(outcome),
        _left_out(outcome),
        _copies(outcome),
        _order(outcome),
        outcome.selected,
        _cell(outcome, "E_cv"),
        _cell(outcome, "E_val"),
        _number(outcome, outcome.test_error),
        " and ".join(outcome.inside) or "no",
        f"{outcome.seconds:.0f}",
    ]


def _chance(outcome: Outcome) -> float:
    """Probability that the test error is inside, if E_cv is unbiased, and E_cv and the test part have normal noise."""
    value, low, high = outcome.estimates["E_cv"]
    _, lowest, highest = outcome.estimates["E_val"]
    rows, share = int(_find(outcome, r"table .*: (\d+) rows;") or 0), float(_find(outcome, r"(\d+) % of the lab") or 0)
    kept = int(_find(outcome, r"plan +estimates on (?:all )?(\d+)") or rows * (1 - share / 100))
    tested, held_out = rows * share / 100, VALIDATION_FRACTION * kept
    noise = (highest - lowest) / (2 * _NORMAL) * math.sqrt(held_out / tested)
    spread = NormalDist(value, math.hypot((high - low) / (2 * _NORMAL), noise))
    return spread.cdf(max(high, highest)) - spread.cdf(min(low, lowest))


def _find(outcome: Outcome, pattern: str) -> str | None:
    match = re.search(pattern, "\n".join(outcome.messages))
    return match[1] if match else None


def _task(outcome: Outcome) -> str:
    return _find(outcome, r"target .*?: (\d+ classes|numbers)") or ""


def _left_out(outcome: Outcome) -> str:
    lines = [line for line in outcome.messages if line.startswith("dropped")]
    leaks = sum(": leak:" in line for line in lines)
    kept = sum("LEAK in" in line for line in outcome.messages)
    parts = [f"{leaks} leaks" if leaks else "", f"{len(lines) - leaks} useless" if len(lines) > leaks else ""]
    return ", ".join(filter(None, [*parts, f"{kept} leak reported, kept" if kept else ""])) or "none"


def _copies(outcome: Outcome) -> str:
    same = _find(outcome, r"found +(\d+) rows repeat an earlier row exactly") or "0"
    contradictory = _find(outcome, r"found +(\d+) rows repeat the features")
    return same + (f", {contradictory} with another label" if contradictory else "")


def _order(outcome: Outcome) -> str:
    messages = "\n".join(outcome.messages)
    if "sorted by class" in messages:
        return "sorted by class"
    if "the rows are a stream" in messages:
        return "stream, split in time"
    return "neighbours alike" if "neighbouring rows are alike" in messages else "none"


def _cell(outcome: Outcome, estimate: str) -> str:
    value, low, high = (_number(outcome, number) for number in outcome.estimates[estimate])
    return f"{value} [{low}–{high}]"


def _number(outcome: Outcome, number: float) -> str:
    return f"{number:.3g}" if _task(outcome) == "numbers" else f"{100 * number:.1f}"


def call(command: list[str], folder: Path) -> str:
    """What a command prints in `folder`. Raises SystemExit with its output if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "DVC_NO_ANALYTICS": "1"}
    environment.pop("PYTHONPATH", None)
    finished = subprocess.run(  # noqa: S603
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if finished.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {finished.returncode}:\n{finished.stdout}\n{finished.stderr}")
    return finished.stdout


def main() -> None:
    """Run the wanted sets, and write the page from all stored results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=FOLDER, help="the folder of the data sets, instead of HELDOUT_DATA"
    )
    parser.add_argument("--only", choices=SETS, help="run this set alone")
    parser.add_argument("--seed", type=int, default=0, help="the seed in params.yaml, instead of 0")
    arguments = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in [arguments.only] if arguments.only else SETS:
        outcome = run(name, arguments.data.resolve(), arguments.seed)
        (CACHE / f"{name}-{arguments.seed}.json").write_text(json.dumps(asdict(outcome), indent=2))
        print(
            f"{name}: {outcome.selected}, E_test inside {outcome.inside or 'none'}, {outcome.seconds:.0f} s", flush=True
        )
    stored = [path for name in SETS for path in sorted(CACHE.glob(f"{name}-*.json"))]
    PAGE.write_text(page([Outcome(**json.loads(path.read_text())) for path in stored]), encoding="utf-8")


if __name__ == "__main__":
    main()
