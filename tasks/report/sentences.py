"""The sentences of a report: what was chosen, what is known about it, and what that knowledge cost."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from heldout.diagnosis import too_good
from heldout.display import about_race, about_winner
from heldout.estimates import ESTIMATES, OF_THE_WINNER, OF_UNLABELED
from heldout.estimates.methods import DEFAULTS
from heldout.family import BOUND
from heldout.fits import baseline
from heldout.metrics.skill import Skill
from heldout.schemes.delivery import FORMS
from heldout.unlabelled import implied_error
from tasks.outcome.suspicious import Suspicious
from tasks.params.sections import Data
from tasks.report.headline import by_margin
from tasks.report.summary import Summary, shown_count
from tasks.runtime.own_code import COMMAND
from tasks.storage import files, findings
from tasks.storage.shard_report import ShardReport

DECISION, FOUND = "decision", "found"
_SHARDS_SHOWN = 10
_OPEN = f"`{COMMAND} open-test`"


def sentences(summary: Summary) -> dict[str, str]:
    """Each sentence under its name, in the order in which people read them."""
    not_shown = {} if summary.selection["beats_baseline"] else _baseline(summary)
    return {
        **_decision(summary),
        **not_shown,  # before all others, where the winner is not shown to beat it
        **_choice(summary),
        **_baseline(summary),
        **_suspicious(summary),
        **_found(summary),
        **_rows(summary),
        **_differences(summary),
        **_more_rows(summary),
        **_columns(summary),
        **_powered(summary),
        **_not_credible(summary),
        **_after_the_choice(summary),
        **_bound(summary),
        **_test_set(summary),
        **_prediction_sets(summary),
        **_metrics(summary),
        **{f"family {row.candidate}": _family(summary, row) for row in summary.tuned.chosen.itertuples()},
        **_unlabeled(summary),
        **_delivered(summary),
        **_dependent_rows(summary),
        **_duplicates(summary),
        **_optimism(summary),
        **{f"{name} failed": reason for name, reason in summary.failures.items()},
        **{f"{name} lacks estimates": text for name, text in summary.lacking.items()},
        **{f"{name} warned": str(warnings) for name, warnings in summary.warned.items()},
        **_shards(summary.unlabeled.shards),
    }


def why(summary: Summary, estimate: str) -> str:
    """Why the interval of an estimate is what it is: chosen by the user, or by the coverage study."""
    if estimate in (summary.settings.intervals or {}):
        return "named in params.yaml"
    if estimate not in DEFAULTS:
        return ""
    if summary.rows.kind is not None:
        return f"its argument does not need independent rows, and rows with {summary.rows.kind} are not independent"
    return DEFAULTS[estimate].why(summary.loss)


def _decision(summary: Summary) -> dict[str, str]:
    return {DECISION: summary.decision.sentence}


def _found(summary: Summary) -> dict[str, str]:
    """What `init` found, and batches that are held back: each that somebody should decide about, and how many more."""
    found = summary.rows.found
    pending = [finding for finding in found.findings if finding.open]
    texts = {f"{FOUND} {place}" if len(pending) > 1 else FOUND: one.line for place, one in enumerate(pending, 1)}
    dropped = [one.line for one in found.findings if one.topic == "batch" and not one.open]
    others = len(found.findings) - len(pending) - len(dropped)
    if dropped:
        texts["left out"] = "; ".join(dropped)
    if others:
        texts["also found"] = f"by init: {others} thing{'s' * (others > 1)} about the table, in {findings.PATH}"
    return {**texts, **({"findings": found.remark} if found.remark else {})}


def _baseline(summary: Summary) -> dict[str, str]:
    pairs = []
    for estimate in dict.fromkeys(("E_cv", summary.compared_by, "E_test")):
        value, of_baseline = (summary.value(name, estimate) for name in (summary.selected, baseline.NAME))
        if value is not None and of_baseline is not None:
            pairs.append((estimate, value, of_baseline))
    beaten = summary.selection["beats_baseline"]
    text = about_winner.against_baseline(summary.selected, beaten, summary.loss, pairs, summary.against_baseline)
    skill = Skill.read(summary.selection.get("skill"))
    return {"baseline": text if beaten or skill is None else f"{text}; {skill.sentence(summary.selected)}"}


def _suspicious(summary: Summary) -> dict[str, str]:
    doubt = Suspicious.read(summary.selection)
    if doubt is None:
        return {}
    of_baseline = summary.selection["baseline"]
    return {"suspicious": too_good.sentence(summary.selected, doubt.E_cv, of_baseline, doubt.carriers, summary.loss)}


def _share(summary: Summary, estimate: str) -> str:
    """R^2 of the winner, in brackets, for the squared loss."""
    value, of_baseline = (summary.value(name, estimate) for name in (summary.selected, baseline.NAME))
    if value is None or of_baseline is None:
        return ""
    share = summary.loss.share(value, of_baseline)
    return f" ({share} against the baseline)" if share else ""


def _choice(summary: Summary) -> dict[str, str]:
    selection = summary.selection
    value, _ = summary.cell(summary.selected, selection["criterion"])
    share = _share(summary, selection["criterion"])
    error = f" = {summary.with_unit(value)}{share}" if value else ""
    texts = {
        "selected": f"{summary.selected}, by {selection['rule'].replace('_', ' ')} of {selection['criterion']}{error}"
    }
    if summary.settings.loss is not None or summary.loss.limit_is_stated:
        limit = f"; at most {summary.loss.limit:g}, as loss_max states" if summary.loss.limit_is_stated else ""
        texts["loss"] = f"{summary.loss.name}: {summary.loss.says}{limit}"
    texts |= _weighed(summary.settings.data)
    raced, count = bool(summary.dropped), len(selection["candidates"]) - len(summary.failures)
    by = summary.compared_by if summary.chosen_by_metric else ""
    names, level = selection["indistinguishable"], summary.level
    if others := about_winner.not_ruled_out(summary.selected, names, level, raced=raced, by=by):
        texts["not ruled out"] = others
    if race := about_race.claim(summary.left_race, count, summary.level):
        texts["race"] = race
    errors = {name: summary.value(name, "E_cv") for name in selection["candidates"]}
    known = {name: error for name, error in errors.items() if error is not None}
    if shares := about_winner.shares(known, selection["baseline"], summary.loss):
        texts["R²"] = f"against the baseline, by E_cv: {shares}"
    return texts


def _differences(summary: Summary) -> dict[str, str]:
    of_winner, level, estimate = summary.of_winner, summary.settings.selection.level, summary.compared_by
    texts = {
        "differences": about_winner.differences(summary.selected, of_winner, level, estimate),
        "margin": by_margin(summary),
    }
    return {name: text for name, text in texts.items() if text}


def _more_rows(summary: Summary) -> dict[str, str]:
    if summary.no_more_rows is not None:
        return {"more rows": f"it cannot be told what they gain: {summary.no_more_rows}"}
    text = about_winner.more_rows(summary.selected, summary.more_rows_of(summary.selected), summary.loss)
    return {"more rows": text} if text else {}


def _columns(summary: Summary) -> dict[str, str]:
    """The columns that the winner is shown to use; nothing where nobody asked."""
    lines = summary.tables.columns
    if lines.empty:
        return {}
    used, whose = lines["columns"][lines["low"] > 0], f"at {summary.level} for all columns at once"
    said = f"{summary.selected} is shown to use {', '.join(used)}" if len(used) else "no column is shown to be used"
    return {"columns": f"{said}; {whose}"}


def _powered(summary: Summary) -> dict[str, str]:
    text = about_winner.prediction_powered(summary.selected, summary.powered_of(summary.selected), summary.loss)
    return {"unlabelled": text} if text else {}


def _not_credible(summary: Summary) -> dict[str, str]:
    """Nothing where every interval may be right."""
    doubts = summary.selection.get("not_credible", {})
    text = about_winner.not_credible(summary.selected, doubts, summary.loss, weighted=summary.weighted)
    return {"not credible": text} if text else {}


def _rows(summary: Summary) -> dict[str, str]:
    """On how many rows each number rests."""
    rows, delivered = summary.selection["rows"], summary.selection["rows_delivered"]
    estimates, labeled, test = (shown_count(rows[name]) for name in ("estimates", "labeled", "test"))
    used = f"all {labeled}" if estimates == labeled else f"{estimates} of {labeled}"
    tested = "" if rows["test"] == 0 else f"; the test set has {test} further rows"
    of = summary.in_groups("estimates")
    return {
        "rows": f"estimates on {used} labelled rows{of}; delivered model trained on {shown_count(delivered)}{tested}"
    }


def _after_the_choice(summary: Summary) -> dict[str, str]:
    texts = {}
    lines = summary.estimates.set_index("estimate")
    for estimate in OF_THE_WINNER:
        if estimate in lines.index:
            winner = str(lines["candidate"][estimate])
            value, interval = summary.cell(winner, estimate)
            how = ESTIMATES[estimate].after_the_choice
            texts[estimate] = f"{summary.with_unit(value)} [{interval}] for {winner}: {how}"
    return texts


def _bound(summary: Summary) -> dict[str, str]:
    bound, bound_of_one, compared = (summary.selection[name] for name in ("bound", "bound_of_one", "contamination"))
    if bound is None:
        return {}
    pairs = f"all pairs of a learner and a partition ever compared on these labels, {compared} so far"
    whose, method, level = "the winner's", summary.selection["bound_method"], summary.settings.selection.level
    texts = {"bound": about_winner.bound(whose, bound, bound_of_one, method, pairs, level, summary.loss)}
    if joint := about_winner.bound_joint(whose, summary.selection["bound_joint"], level, summary.loss):
        texts["bound_joint"] = joint
    return texts


def _prediction_sets(summary: Summary) -> dict[str, str]:
    """Nothing where there is no threshold: the report says why."""
    text = about_winner.prediction_sets(summary.prediction_sets)
    return {"prediction sets": text} if text else {}


def _metrics(summary: Summary) -> dict[str, str]:
    """The metrics that are no means, and why some have no number."""
    if not summary.test_set.headline:
        reason = "the test set is not opened" if summary.selection["rows"]["test"] else "split.test_fraction is 0"
        return {"metrics": f"none: {reason}, and all other rows were used to choose"}
    missing: dict[str, list[str]] = {}
    texts = []
    for metric, line in summary.test_set.headline:
        if pd.isna(line["value"]):
            missing.setdefault(line["reason"], []).append(metric.label)
        else:
            bounds = "" if pd.isna(line["low"]) else f" [{line['low']:.3g}–{line['high']:.3g}]"
            of_mean = " against the mean of these rows" if metric.name == "r_squared" else ""
            texts.append(f"{metric.label} {line['value']:.3g}{bounds}{of_mean}")
    texts += [f"no {', '.join(labels)}: {reason}" for reason, labels in missing.items()]
    further = f"; more in {files.TEST_METRICS}" if summary.test_set.slices else ""
    of = "" if summary.test_set.positive is None else f", of the class {summary.test_set.positive}"
    return {"metrics": f"on the test set{of}: {'; '.join(texts)}{further}"}


def _test_set(summary: Summary) -> dict[str, str]:
    selection = summary.selection
    if selection["test_refused"]:
        return {"E_test": f"not opened: {selection['test_refused']}"}
    if selection["E_test"] is None:
        return {"E_test": _sealed(selection)} if selection["test_sealed"] else {}
    _, interval = summary.cell(summary.selected, "E_test")
    error = f"{summary.amount(selection['E_test'])}{f' [{interval}]' if interval else ''}{_share(summary, 'E_test')}"
    openings, others, more = (selection[key] for key in ("test_openings", "test_others", "test_sealed"))
    models = "this model alone" if openings == 1 else f"{openings} different winners so far"
    models += ", as far as the store knows" if selection.get("removed") else ""
    opened = f"the test set was opened for {models}, and is used up"
    if others:
        opened = f"these rows are new since {_opened_for(others)}; they were opened for {models}, and are used up"
    new = f" ({shown_count(more)} rows of it are new, and sealed: {_OPEN})" if more else ""
    return {
        "E_test": (
            f"{error}, of {selection['deliver']['target']}; {opened}{new}: a "
            "choice that follows this number needs new rows"
        )
    }


def _sealed(selection: Mapping[str, Any]) -> str:
    """What the rows that nobody has opened will be for."""
    rows, others = shown_count(selection["test_sealed"]), selection["test_others"]
    since = f", new since {_opened_for(others)}" if others else ""
    return (
        f"sealed: {rows} rows that no choice has used{since}, for the error of the model that you ship; when you have "
        f"decided, {_OPEN} tests it on them, once"
    )


def _opened_for(others: int) -> str:
    return f"the test set was opened for {others} other winner{'s' * (others > 1)}"


def _family(summary: Summary, choice: Any) -> str:
    text = (
        f"{choice.parameter} = {choice.chosen}, by validation on {choice.validated_on} of its training rows; the error "
        f"there, {summary.amount(choice.E_val)}, is optimistic; corrected it is {summary.amount(choice.corrected)}"
    )
    if choice.bound is not None and not pd.isna(choice.bound):
        text += f", and at most {summary.amount(choice.bound)} ({BOUND})"
    if choice.many:
        text += f". Warning: one tuned degree of freedom is many for {choice.validated_on} rows"
    tuned = summary.selection["deliver"].get("tuned")
    if tuned is not None and choice.candidate == summary.selected:
        text += f". On all labelled rows, {choice.parameter} = {tuned}"
    return text + ". Its E_val, E_cv and E_prog are honest: each of its fits makes the choice again"


# docs/decisions/0097: by a table of 59 shifts
_NO_ERROR_THERE = "no error there is estimated: it takes labels, since without them no interval held in our study"


def _unlabeled(summary: Summary) -> dict[str, str]:
    """What the unlabelled rows alone say, and what cannot be learned from them."""
    texts = {}
    apart, in_population = summary.value(summary.selected, "disagreement"), summary.unlabeled.least_half_error
    if apart is not None and summary.loss.pair_factor is not None:
        here = implied_error.least_mean_error(apart, summary.loss)
        if text := about_winner.least_half_error(summary.selected, here, in_population, summary.level, summary.loss):
            if summary.other_population:
                text += f". This is about the shards' population and not about that of {_of_labeled(summary)}"
            texts["disagreement"] = text
    if summary.other_population:
        texts["another population"] = f"{summary.other_population}; {_NO_ERROR_THERE}"
    reasons = {name: ESTIMATES[name].refused_by(summary.loss) for name in OF_UNLABELED}
    refused = [name for name, reason in reasons.items() if reason is not None]
    if refused and summary.unlabeled.present:
        texts["left out"] = f"{', '.join(refused)}: {reasons[refused[0]]}"
    return texts


def _of_labeled(summary: Summary) -> str:
    """The estimate that speaks for the labelled rows' population."""
    return "E_cv" if summary.selection["E_test"] is None else "E_test"


def _delivered(summary: Summary) -> dict[str, str]:
    form = summary.selection["deliver"]
    size = f"{form['bytes'] / 1024:.0f} KiB"
    if form["form"] != "final":
        size += f"; the single model has {form['bytes_final'] / 1024:.0f} KiB"
    known = FORMS[form["form"]]
    about = known.untested if summary.selection["E_test"] is None else known.about
    return {"delivered": f"{form['target']} ({size}); {about}"}


def _dependent_rows(summary: Summary) -> dict[str, str]:
    if (kind := summary.rows.kind) is None:
        return {}
    return {
        "dependent rows": (
            f"rows depend by {kind}: intervals that need independent rows are left out, and so is the bound"
        )
    }


_BOTH_WAYS = ("E_cv", "E_cv_kept_together")


def _duplicates(summary: Summary) -> dict[str, str]:
    effect = summary.selection.get("duplicates")
    if not effect:
        return {}
    text = (
        f"{effect['rows']} labelled rows have the features of another row, {effect['differing'] or 'none'} of them "
        "with another label"
    )
    apart, together = (None if effect[key] is None else summary.amount(effect[key]) for key in _BOTH_WAYS)
    sides = f"{apart} with copies on both sides of folds, and " if apart and together else ""
    error = f"{sides}{together} with all copies of a row in one fold" if together else apart
    text += f"; E_cv of {summary.selected} is {error}"
    return {"duplicates": text}


def _optimism(summary: Summary) -> dict[str, str]:
    return {"warning": f"{summary.rows.optimism}; set split.stratify to null"} if summary.rows.optimism else {}


def _shards(shards: Sequence[ShardReport]) -> dict[str, str]:
    """The shards that were skipped, with the rows lost, and how many rows lie beyond the labelled rows."""
    texts = {}
    bad = [report for report in shards if report.bad is not None]
    if bad:
        lost = sum(report.rows or 0 for report in bad)
        unread = sum(report.rows is None for report in bad)
        more = f", and the rows of {unread} that cannot be read" if unread else ""
        texts["shards skipped"] = (
            f"{len(bad)} of {len(shards)}, {lost} rows lost{more}; the disagreement is about the other shards: "
            + "; ".join(f"{report.file} {report.bad}" for report in bad[:_SHARDS_SHOWN])
            + ("; …" if len(bad) > _SHARDS_SHOWN else "")
        )
    noted = [report for report in shards if report.noted]
    if noted:
        rows = sum(report.rows or 0 for report in shards if report.bad is None)
        beyond = sum(report.noted for report in noted)
        where = f"in {len(noted)} shard{'s' * (len(noted) > 1)}"
        texts["shards"] = (
            f"{beyond} of {rows} unlabelled rows ({100 * beyond / rows:.1f} %), {where}, have a value outside of the "
            "range or the categories of the labelled rows; report.html lists the columns"
        )
    return texts


def _weighed(data: Data) -> dict[str, str]:
    """The sentence about the weights of rows, if they have some."""
    if data.weight is not None:
        return {
            "weights": f"rows count by {data.weight}: each error is a weighted mean, about the population that the "
            "weights describe, if they are right"
        }
    if data.label_probability is not None:
        return {
            "weights": f"rows that label-next drew count by {data.label_probability}, so that each error is about the "
            "population of the unlabelled rows; the others are taken as random draws of it"
        }
    return {}
