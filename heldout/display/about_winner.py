"""Sentences about a winner, which a notebook and a report share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from heldout.diagnosis.prediction_sets import LAC
from heldout.display.cells import DOUBTED
from heldout.fits.baseline import NAME
from heldout.intervals import credible
from heldout.losses import Loss
from heldout.losses.amounts import amount, apart, margin_text, number, points, written
from heldout.losses.tested_losses import RepeatedByRow
from heldout.printable import plain
from heldout.records import Difference, MoreRows, PredictionPowered, PredictionSets
from heldout.schemes.design import Design
from heldout.unlabelled import implied_error
from heldout.unlabelled.half_model_controls import NO_ROWS

# what is said of a winner by each word of `heldout.selection.margin`
_BY_MARGIN = {
    "better": "better than",
    "alike": "alike with",
    "worse": "worse than",
    "undecided": "undecided against",
}
_BEATS = {True: "beats", False: "does not beat", None: "is not shown to beat"}


def not_credible(whose: str, doubts: Mapping[str, str], loss: Loss, *, weighted: bool) -> str:
    """Which intervals of a candidate cannot be right, why, and what to do first; empty without `doubts`.

    `doubts` are the reasons by the name of the estimate.
    """
    if not doubts:
        return ""
    by_reason: dict[str, list[str]] = {}
    for estimate, reason in doubts.items():
        by_reason.setdefault(reason, []).append(estimate)
    said = "; ".join(f"{', '.join(estimates)}: {reason}" for reason, estimates in by_reason.items())
    return (
        f"intervals of {whose} marked {DOUBTED} are likely to be too narrow, and their upper ends too low ({said}): "
        f"{credible.advice(loss, weighted=weighted, reasons=doubts.values())}"
    )


def against_baseline(
    winner: str,
    beaten: bool | None,
    loss: Loss,
    pairs: Iterable[tuple[str, float, float]],
    differences: Mapping[str, Difference],
) -> str:
    """Whether the winner beats the baseline; with the name of each estimate, its value, and that of the baseline.

    `differences` are the winner's errors less the baseline's, on the same rows, as far as they are known.
    """
    errors = ", ".join(
        f"{estimate} {amount(value, loss)} against {amount(of_baseline, loss)}"
        + (f" ({from_baseline(differences[estimate], value, loss)})" if estimate in differences else "")
        for estimate, value, of_baseline in pairs
    )
    constant = f"the baseline, which answers {loss.constant.says} whatever the features are"
    return f"{winner} {_BEATS[beaten]} {constant}: {errors}"


def from_baseline(record: Difference, error: float, loss: Loss) -> str:
    """How far the winner, with its `error`, is from the baseline, on the same rows."""
    unit, difference = " percentage points" if loss.binary else "", points(record.difference, error, loss)
    if record.low is None or record.high is None:
        return f"winner less baseline {difference}{unit}"
    ends = f"{points(record.low, error, loss)} to {points(record.high, error, loss)}"
    return f"winner less baseline {difference} [{ends}]{unit}"


def least_half_error(winner: str, here: float, in_population: float | None, level: str, loss: Loss) -> str:
    """What the winner's half models err at least, `here` on the unlabelled rows; empty where that is shown as 0."""
    if _nothing(here, loss):
        return ""
    text = (
        f"the half models of {winner} have a mean error of at least {amount(here, loss)} on the unlabelled rows, "
        "whatever their labels are: two answers that differ are not both right"
    )
    if in_population is None or _nothing(in_population, loss):
        return text
    return (
        f"{text}; with {level} confidence it is at least {amount(in_population, loss)} in the population of these rows"
    )


def half_error(winner: str, disagreement: RepeatedByRow | None, design: Design) -> str:
    """The same from the disagreement of the half models; empty without one, or without a bound for the loss."""
    loss = design.loss
    if disagreement is None or "disagreement" not in design.estimates or loss.pair_factor is None:
        return ""
    here = implied_error.least_mean_error(disagreement.error, loss)
    independent = design.dependence.kind is None
    limit = implied_error.least_half_error(disagreement, loss, design.level) if independent else None
    return least_half_error(winner, here, limit, f"{100 * design.level:g} %", loss)


def differences(winner: str, of_winner: Sequence[Difference], level: float, estimate: str = "E_cv") -> str:
    """The candidates that the winner is shown to err less than, and the others; empty where it is the only one."""
    others = [record for record in of_winner if record.against != NAME]
    if not others:
        return ""
    lower, higher = [one for one in others if one.shown_less], [one for one in others if one.shown_more]
    groups = {
        "shown to be lower than that of": lower,
        "shown to be higher than that of": higher,
        "not shown to be lower than that of": [one for one in others if one not in lower and one not in higher],
    }
    parts = [f"{says} {', '.join(one.against for one in group)}" for says, group in groups.items() if group]
    return f"{estimate} of {winner} is {', and '.join(parts)}; at {100 * level:g} % for all its comparisons together"


def not_ruled_out(winner: str, names: Sequence[str], level: str, *, raced: bool = False, by: str = "") -> str:
    """The candidates that are not shown to err more than the winner; empty where it is alone.

    `raced`: others were dropped before. `by` is the 1 - a metric that chose, empty for an error.
    """
    least = "the least error of those left" if raced else "the least error"
    others, more = [name for name in names if name != winner], f"err more by {by}" if by else "err more"
    if not others:
        return ""
    if len(others) == 1:
        return f"at {level} {others[0]} is not shown to {more} than {winner}; {least} is that of one of the two"
    return (
        f"at {level} none of these {len(others)} is shown to {more} than {winner}: {', '.join(others)}; {least} "
        f"is that of one of the {len(others) + 1}"
    )


def what_words_say(winner: str, margin: float, loss: Loss) -> str:
    """What the words of a table of differences mean, for its caption."""
    return (
        f"{winner} is better or worse by the margin where the whole interval lies beyond ±{margin_text(margin, loss)}, "
        "alike where it lies within, and enough rows say so, else undecided"
    )


def by_margin(
    winner: str, of_winner: Sequence[Difference], margin: float | None, level: str, loss: Loss, estimate: str = "E_cv"
) -> str:
    """What the winner is next to each other by a margin, the baseline last; empty without a margin."""
    if margin is None or not of_winner:
        return ""
    others = words(one for one in of_winner if one.against != NAME)
    constant = words(replace(one, against="the baseline") for one in of_winner if one.against == NAME)
    text = f"by a margin of {margin_text(margin, loss)} of {estimate} {winner} is "
    if not others:
        return f"{text}{constant}, at {level}"
    text += f"{others}; at {level} for all its comparisons together"
    return f"{text}; and it is {constant}" if constant else text


def words(of_winner: Iterable[Difference], listed: Callable[[list[str]], str] = ", ".join) -> str:
    """Whom the winner is better than, alike with, worse than, and undecided against, as far as there are some.

    `listed` writes the names of one kind.
    """
    by_word: dict[str, list[str]] = {}
    for one in of_winner:
        by_word.setdefault(one.by_margin or "undecided", []).append(one.against)
    return "; ".join(f"{says} {listed(by_word[word])}" for word, says in _BY_MARGIN.items() if word in by_word)


def more_rows(winner: str, lines: Sequence[MoreRows], loss: Loss) -> str:
    """What more rows gained and may gain, from the lines of the winner; empty without them."""
    by_name = {line.estimate: line for line in lines}
    if not by_name:
        return ""
    halves, gain, twice = by_name["E_2cv"], by_name["gain"], by_name["E_2N"]
    fell, sign = ("rose", -1) if gain.value < 0 else ("fell", 1)
    text = f"from {halves.rows} to {gain.rows} training rows the error of {winner} {fell} by "
    text += f"{written(sign * apart(gain.value, halves.value, loss), loss)}"
    text += " percentage points" if loss.binary else ""
    if gain.low is None or gain.high is None or twice.low is None or twice.high is None:
        return f"{text}; no interval is claimed, as E_2cv or E_cv has none"
    low, high = sorted(sign * apart(end, halves.value, loss) for end in (gain.low, gain.high))
    text += f" [{written(low, loss)} to {written(high, loss)}]"
    if gain.high < 0:
        return (
            f"{text}: more rows did harm for this candidate, so E_N and E_2N, which assume that each doubling of the "
            "rows lowers the error, do not hold for it"
        )
    if low <= 0:
        return f"{text}, which may be chance: whether more rows lower it cannot be told yet"
    error = f"{amount(twice.value, loss)} [{number(twice.low, loss)}–{number(twice.high, loss)}]"
    hardly = "" if _nothing(twice.low, loss) else ", and hardly less"
    return (
        f"{text}; if each further doubling gains no more than the one before, which does not hold for at least 15 % "
        f"of learning curves, {twice.rows} rows lead to an error of {error}{hardly}"
    )


def bound(
    whose: str,
    value: float,
    of_one: float,
    method: str,
    compared: str,
    level: float,
    loss: Loss,
    trained: str = "trained without the held-out rows",
) -> str:
    """What the error of a winner is at most, and `of_one` without a choice; `compared` says what it was chosen from."""
    unit = " percentage points" if loss.binary else ""
    adds = f"; the comparison of more than one adds {points(value - of_one, value, loss)}{unit}"
    price = adds if value > of_one else ""
    return (
        f"with probability {100 * level:g} % or more {whose} error, {trained}, is at most "
        f"{amount(value, loss)}{_stated(loss)}: the upper {method} limit of its E_val, for {compared}{price}"
    )


def bound_joint(whose: str, value: float | None, level: float, loss: Loss) -> str:
    """The sharper figure next to the bound, which holds approximately; empty where there is none."""
    if value is None:
        return ""
    return (
        f"approximately, by how alike the errors of the candidates are, {whose} error is at most {amount(value, loss)}"
        f"{_stated(loss)}, at {100 * level:g} %; only the bound is guaranteed"
    )


def _stated(loss: Loss) -> str:
    return f", if no loss is above {loss.limit:g} (loss_max)" if loss.limit_is_stated else ""


def prediction_sets(line: PredictionSets) -> str:
    """What the sets are, and how often they held the label of test rows; empty without a threshold."""
    if line.threshold is None:
        return ""
    of_classes, level = line.method == LAC, f"{100 * line.level:g} %"
    what = "each class with a probability of" if of_classes else "the prediction"
    reach = f"at least {max(1 - line.threshold, 0):.3g}" if of_classes else f"± {plain(line.threshold)}"
    text = f"{what} {reach}, by {line.calibrated} held-out rows at {level}"
    if line.coverage is None or line.low is None or line.high is None:
        return f"{text}; {line.reason}"
    bounds = f"[{100 * line.low:.1f}–{100 * line.high:.1f}]"
    text += f"; they hold the label in {100 * line.coverage:.1f} % {bounds} of {line.tested} test rows"
    if line.mean_size is not None and line.single is not None:
        text += f", with {line.mean_size:.3g} classes on average, and a single one in {100 * line.single:.3g} %"
    return f"{text}; {line.reason}" if line.reason else text


def prediction_powered(winner: str, lines: Sequence[PredictionPowered], loss: Loss) -> str:
    """What unlabelled rows make of E_cv, or of E_val without it, from the lines of the winner; empty without them."""
    if not lines or lines[-1].reason == NO_ROWS:
        return ""
    line = lines[-1]
    if line.value is None or line.low is None or line.high is None:
        return f"{line.estimate} of {winner} is not narrowed: {line.reason}"
    if round(line.width or 1, 2) >= 1:
        return f"{line.unlabeled} unlabelled rows do not narrow the interval of {line.estimate} of {winner}"
    text = f"by {line.unlabeled} unlabelled rows {line.estimate} of {winner} is {amount(line.value, loss)} "
    text += f"[{number(line.low, loss)}–{number(line.high, loss)}], {line.width:.2f} times as wide as the plain "
    gained = round(line.labels_gained or 0)
    return f"{text}interval; they are worth {f'{gained} further labels' if gained > 1 else 'no further label'}"


def shares(errors: Mapping[str, float], of_baseline: float, loss: Loss) -> str:
    """R^2 of each candidate, for the squared loss; empty for another loss."""
    found = {name: loss.share(error, of_baseline) for name, error in errors.items()}
    return "; ".join(f"{name} {share}" for name, share in found.items() if share)


def _nothing(error: float, loss: Loss) -> bool:
    """Whether people would read it as 0."""
    return not number(error, loss).strip("0.")
