"""docs/datasets.md, from the stored runs of `studies.datasets`."""

import math
import re
from statistics import NormalDist, geometric_mean

from studies.public_sets import NAMES
from studies.run_set import JUDGES, Outcome

_NORMAL = NormalDist().inv_cdf(0.975)  # half the width of an interval at 95 %, in standard errors


def page(every: list[Outcome]) -> str:
    """docs/datasets.md: the runs with the seed that init writes, then the runs with other seeds."""
    outcomes = [outcome for outcome in every if outcome.seed == 0]
    others = [outcome for outcome in every if outcome.seed]
    left = [name for name in NAMES if name not in {outcome.name for outcome in outcomes}]
    head = _HEAD.format(
        counts="\n".join(_counts(every)),
        sets=len(outcomes),
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
            *(["The runs with other seeds (`--seed`):\n", *map(_again, others), ""] if others else []),
            _FOOT,
            *(f"### {outcome.name}\n\n```\n" + "\n".join(outcome.messages[:-2]) + "\n```\n" for outcome in outcomes),
        ]
    )


_HEAD = """\
# Public data sets

`python -m flows init FILE --target COLUMN`, then `dvc repro`, in a fresh clone, with nothing edited.
`make datasets DATA=FOLDER` makes this page. Errors of classes are in percent, errors of numbers in squared units of the
target.

The test part is opened once, at the end. For each estimate by itself, this is the number of runs in which the winner's
error on the test part is inside of the estimate's interval at 95 %:

{counts}

The column after each count is the number to be expected if the interval were right for the model that is tested: it is
below 95 % of the runs, since the test part has noise too. Two things differ from that. The estimates are about
hypotheses trained on fewer rows, which err more: so the test error tends to be below an interval that misses it. And
the winner has the least `E_cv` of all candidates, which makes its `E_cv` too small; its `E_val` has no part in the
choice.

The winner is shown to beat the constant `baseline` on {better} of {sets} sets. `peer` is the test error of gradient
boosting with its defaults, trained on every row outside the test part: the delivered winner's test error is
{ratio:.3f} times it (geometric mean, half a wrong row added to both). No run took more than {most:.2f} of its budget.

| set | rows | estimates | delivered | task | columns left out | baseline | selected | E_cv | E_val | E_test | inside |\
 peer | seconds | of budget |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"""
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


def _counts(every: list[Outcome]) -> list[str]:
    """A table: in how many runs the test error is inside of each estimate's interval, and in how many it should be."""
    seeds = sorted({outcome.seed for outcome in every})
    runs = {f"{seed}": [outcome for outcome in every if outcome.seed == seed] for seed in seeds}
    if len(seeds) > 1:
        runs["all"] = every
    heads = ["seed", "runs", *(head for judge in JUDGES for head in (f"inside `{judge}`", "expected"))]
    lines = [
        [name, f"{len(some)}", *(cell for judge in JUDGES for cell in _count(some, judge))]
        for name, some in runs.items()
    ]
    return ["| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), *lines)]


def _count(outcomes: list[Outcome], judge: str) -> tuple[str, str]:
    """The number of runs with the test error inside of an estimate's interval, and the number to be expected."""
    inside = sum(judge in outcome.inside for outcome in outcomes)
    return f"{inside}", f"{sum(chance(outcome, judge) for outcome in outcomes):.1f}"


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


def chance(outcome: Outcome, judge: str) -> float:
    """Probability that the test error is inside of an estimate's interval, if that is right for the tested model.

    Let e be the true error of the tested model. A right interval is v ± z s, where the estimate v = e + s A and
    z = 1.96; the test error is t = e + n B. A and B are independent and standard normal, since no row of the test part
    has a share in the estimate. t is inside if |t - v| = |n B - s A| <= z s, and n B - s A is normal with variance
    n² + s²: the probability is 2 Φ(z s / sqrt(n² + s²)) - 1. Without noise of the test part this is 95 %, and 83 % if
    the test part has the noise of the estimate.

    s is a 2 z-th of the interval's width. n² is the variance of the mean of T losses of one model; E_val is the mean of
    K such losses, so that n² = s²(E_val) K / T. For E_val itself, only K and T remain.
    """
    _, lowest, highest, held_out = outcome.estimates["E_val"]
    noise = (highest - lowest) / (2 * _NORMAL) * math.sqrt(held_out / outcome.test_rows)
    _, low, high, _ = outcome.estimates[judge]
    own = (high - low) / (2 * _NORMAL)
    return 2 * NormalDist().cdf(_NORMAL * own / math.hypot(noise, own)) - 1


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
