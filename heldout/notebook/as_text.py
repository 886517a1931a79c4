"""What `print` and a notebook show of a `Validation`: the table, and sentences about the candidate of least error."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from heldout.decision.judging import bound_of, no_bound
from heldout.diagnosis import too_good
from heldout.diagnosis.more_rows import missing
from heldout.display import about_race, about_winner, cells
from heldout.fits import baseline
from heldout.notebook.decision import against_baseline
from heldout.printable import printable
from heldout.schemes.design import Design, Evidence, disagreement_of

if TYPE_CHECKING:
    from heldout.notebook.result import Validation


def text(
    made: "Validation",
    first: Sequence[str],
    names: Sequence[str],
    notes: Mapping[str, str],
    worse: Mapping[str, tuple[str, str]],
    remarks: Mapping[str, str],
) -> str:
    """What to read `first`, the table of the candidates `names` by error, and `remarks` by a word for each.

    A candidate of `notes` has its note in place of numbers; `worse` is the column that says how much more each errs.
    """
    loss, columns = made.design.loss, cells.first(record.estimate for record in made.estimates)
    records = [*made.estimates, *made.baseline] if made.judged is not None else made.estimates
    shown = cells.text(
        [record for record in records if record.estimate in columns],
        names,
        loss,
        made.winner if made.judged is not None else "",
        "" if made.judged is None else f"least {made.judged.estimate}",
        notes,
        {cells.WORSE: worse} if worse else {},
        elsewhere="to_frame()",
    )
    further = [f"{name}: {printable(text)}" for name, text in remarks.items()]
    more = ["all estimates: to_frame(); all sentences: report(PATH)"] if first else []
    return "\n".join([*(printable(line) for line in first), *([""] if first else []), shown, *further, *more])


def sentences(made: "Validation", winner: str, decision: str) -> dict[str, str]:
    """What follows from the estimates, a word and a sentence each, about the `winner`.

    The `decision` comes last. Where neither E_val nor E_cv was computed, which intervals are not credible, and no more.
    """
    design, evidence, loss = made.design, made.evidence[winner], made.design.loss
    weighted = design.weights is not None
    few_rows = about_winner.not_credible(winner, made.not_credible(winner), loss, weighted=weighted)
    if made.judged is None:
        return {"not credible": few_rows} if few_rows else {}
    errors = {(record.estimate, record.candidate): record.value for record in made.estimates}
    beaten = made.beats_baseline(winner)
    pairs = [(record.estimate, errors[record.estimate, winner], record.value) for record in made.baseline]
    name, of_baseline = made.judged.estimate, made.judged.value
    error = errors[name, winner]
    of_estimate = {candidate: errors[name, candidate] for candidate in made.candidates}
    shares = about_winner.shares(of_estimate, of_baseline, loss)
    of_winner = made.differences(winner)
    learning = made.more_rows(winner) if missing(design) is None and "covalidation" in evidence.losses else ()
    every = {
        baseline.NAME: about_winner.against_baseline(winner, beaten, loss, pairs, against_baseline(made, winner)),
        name: shares and f"against the baseline {shares}",
        "not ruled out": _not_ruled_out(made, winner, name, design),
        "race": about_race.claim(made.dropped, len(made.candidates) + len(made.dropped), f"{100 * design.level:g} %"),
        "differences": about_winner.differences(winner, of_winner, design.level),
        "margin": about_winner.by_margin(winner, of_winner, design.margin, f"{100 * design.level:g} %", loss),
        "more rows": about_winner.more_rows(winner, learning, loss),
        "unlabelled": about_winner.prediction_powered(winner, made.prediction_powered(winner), loss),
        "not credible": few_rows,
        **_bound(made, winner, design, evidence),
        "disagreement": about_winner.half_error(winner, disagreement_of(design, evidence), design),
        "suspicious": _doubt(made, winner, error, of_baseline),
        "decision": decision,
    }
    return {name: text for name, text in every.items() if text}


def _not_ruled_out(made: "Validation", winner: str, estimate: str, design: Design) -> str:
    """The candidates that are not shown to err more than the winner."""
    names, level = made.select(estimate).indistinguishable, f"{100 * design.level:g} %"
    return about_winner.not_ruled_out(winner, names, level, raced=bool(made.dropped))


def _bound(made: "Validation", winner: str, design: Design, evidence: Evidence) -> dict[str, str]:
    """The bound for the candidates of this call, and the sharper figure; empty where there is none."""
    if no_bound(design) is not None:
        return {}
    count, found = len(made.candidates) + len(made.dropped), made.bound(winner)
    of_one = bound_of(design, {winner: evidence}, winner)
    compared = f"{count} candidate{'s' * (count > 1)}"
    whose, level, loss = f"{winner}'s", design.level, design.loss
    shown = about_winner.bound(whose, found.value, of_one.value, found.method, compared, level, loss)
    return {
        "bound": f"{shown}. bound(models=M) counts all M that were ever compared on these rows",
        "bound_joint": about_winner.bound_joint(whose, found.joint, level, loss),
    }


def _doubt(made: "Validation", winner: str, error: float, of_baseline: float) -> str:
    """What to ask where the winner errs too little to be believed; empty where it does not."""
    carried_by = made.too_good(winner)
    return "" if carried_by is None else too_good.sentence(winner, error, of_baseline, carried_by, made.design.loss)
