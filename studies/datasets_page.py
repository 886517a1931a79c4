"""docs/datasets.md, from the stored runs of `studies.datasets`."""

import math
import re
from statistics import NormalDist, geometric_mean

import pandas as pd

from studies.public_sets import NAMES
from studies.run_set import Outcome

_NORMAL = 1.96  # half the width of an interval at 95 %, in standard errors


def page(every: list[Outcome]) -> str:
    """docs/datasets.md: the runs with the seed that init writes, then the runs with other seeds."""
    outcomes = [outcome for outcome in every if outcome.seed == 0]
    others = [outcome for outcome in every if outcome.seed]
    left = [name for name in NAMES if name not in {outcome.name for outcome in outcomes}]
    head = _HEAD.format(
        inside=sum(bool(outcome.inside) for outcome in outcomes),
        sets=len(outcomes),
        expected=sum(map(_chance, outcomes)),
        better=sum(outcome.beats_baseline is True for outcome in outcomes),
        ratio=_mean_ratio(outcomes),
        most=max(_time(outcome) for outcome in outcomes),
    )
    return "\n".join(
        [
            head,
            *("| " + " | ".join(_line(outcome)) + " |" for outcome in outcomes),
            *([f"\nNot run yet: {', '.join(left)}."] if left else []),
            "",
            *([_all_draws(every), *map(_again, others), ""] if others else []),
            _FOOT,
            *(f"### {outcome.name}\n\n```\n" + "\n".join(outcome.messages[:-2]) + "\n```\n" for outcome in outcomes),
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

The winner is shown to beat the constant `baseline` on {better} of {sets} sets. `peer` is the test error of gradient
boosting with its defaults, trained on every row outside the test part: the delivered winner's test error is
{ratio:.3f} times it (geometric mean, half a wrong row added to both). No run took more than {most:.2f} of its budget.

| set | rows | estimates | delivered | task | columns left out | baseline | selected | E_cv | E_val | E_test | inside |\
 peer | seconds | of budget |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""
_AGAIN = """\
All sets were run again with other seeds (`--seed`); inside are {by_seed}.
Of all {runs} runs {inside} are inside; {expected:.1f} would be expected. {often} of {sets} sets are inside in more than
half of their runs.
"""
_FOOT = """\
Estimates are about hypotheses that were trained on part of the rows of the column `estimates`; the winner was then
trained on the rows of the column `delivered`. Seconds are for `init` and `dvc repro` together, on two cores.

## The output of init
"""


def _mean_ratio(outcomes: list[Outcome]) -> float:
    """Test error of the winner to that of boosting; half a row is added, since errors may be 0."""
    return geometric_mean(
        (outcome.test_error + half) / (outcome.peer_error + half)
        for outcome in outcomes
        for half in [0.5 / outcome.test_rows if _of_classes(outcome) else 0.0]
    )


def _time(outcome: Outcome) -> float:
    return outcome.seconds / outcome.budget


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
    beats = {True: "", False: " (not beaten)", None: " (perhaps not beaten)"}[outcome.beats_baseline]
    return [
        f"[{outcome.name}](#{outcome.name})",
        f"{outcome.rows}",
        f"{outcome.rows_estimated}",
        f"{outcome.rows_delivered}",
        _task(outcome),
        _left_out(outcome),
        _number(outcome, outcome.baseline) + beats,
        outcome.selected,
        _cell(outcome, "E_cv"),
        _cell(outcome, "E_val"),
        _number(outcome, outcome.test_error),
        " and ".join(outcome.inside) or "no",
        _number(outcome, outcome.peer_error),
        f"{outcome.seconds:.0f}",
        f"{_time(outcome):.2f}",
    ]


def _chance(outcome: Outcome) -> float:
    """Probability that the test error is inside, if E_cv is unbiased, and E_cv and the test part have normal noise."""
    value, low, high, _ = outcome.estimates["E_cv"]
    _, lowest, highest, held_out = outcome.estimates["E_val"]
    noise = (highest - lowest) / (2 * _NORMAL) * math.sqrt(held_out / outcome.test_rows)
    spread = NormalDist(value, math.hypot((high - low) / (2 * _NORMAL), noise))
    return spread.cdf(max(high, highest)) - spread.cdf(min(low, lowest))


def _task(outcome: Outcome) -> str:
    match = re.search(r"target .*?: (\d+ classes|numbers)", "\n".join(outcome.messages))
    return match[1] if match else ""


def _of_classes(outcome: Outcome) -> bool:
    return _task(outcome) != "numbers"


def _left_out(outcome: Outcome) -> str:
    """The columns that `init` left out, by the first word of its lines."""
    counts = {word: sum(line.startswith(word) for line in outcome.messages) for word in ("leak", "dropped")}
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "none"


def _cell(outcome: Outcome, estimate: str) -> str:
    value, low, high = (_number(outcome, number) for number in outcome.estimates[estimate][:3])
    return f"{value} [{low}–{high}]"


def _number(outcome: Outcome, number: float) -> str:
    return f"{100 * number:.1f}" if _of_classes(outcome) else f"{number:.3g}"
