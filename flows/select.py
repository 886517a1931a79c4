"""Select: estimate every candidate's error, choose one, and test it on the test part if somebody asked for that."""

from functools import partial

from flows.stage import stage
from heldout.diagnosis.more_rows import more_rows
from heldout.estimates.criteria import compares_by
from heldout.selection.differences import differences
from tasks.data.prepare_tables import seen_in
from tasks.fits import scheme_results
from tasks.fits.run_schemes import hypotheses
from tasks.outcome import (
    against_baseline,
    by_margin,
    columns_that_matter,
    decision,
    duplicates_effect,
    hard_rows,
    not_credible,
    other_population,
    prediction_sets,
    selection_entries,
    suspicious,
    unlabeled_rows,
    unused_rows,
    winner_curves,
)
from tasks.outcome.deliver import deliver
from tasks.outcome.estimate import choose, estimate_all, read_results
from tasks.outcome.opening import check_weights, describe, open_test_part
from tasks.outcome.powered import powered_all
from tasks.params import Settings
from tasks.storage import files, metrics_files, model_file, report_tables
from tasks.track import lifecycle
from tasks.track.choice import enter_choice
from tasks.track.ledger_tags import read_ledger


@stage
def select(settings: Settings) -> None:
    """Write all losses and estimates, the selection with its bound, and the winner in the form that is delivered."""
    with lifecycle.run(settings):
        _select(settings)


def _select(settings: Settings) -> None:
    seen = files.read_seen_rows()
    results = read_results(settings)
    estimates = estimate_all(results)
    selection, of_the_winner = choose(settings, results, estimates)
    winner = next(candidate for candidate in settings.candidates if candidate.name == selection.selected)
    delivered = deliver(settings, winner)
    run = lifecycle.active()
    ledger = read_ledger(settings, seen, results.started, partial(seen_in, settings), run.earlier)
    ledger = ledger.with_removed(run.removed, settings.data.source, seen)
    asked = settings.selection.open_test or run.opens_test
    found_rows = unused_rows.look(settings, winner, ledger, run.tested, asked=asked, unfinished=run.unfinished)
    check_weights(results, found_rows)
    compared = [candidate for candidate in settings.candidates if candidate.name in results.started]
    # before a row is scored: what fails below was opened all the same
    found_rows = enter_choice(settings, winner, compared, seen, ledger, found_rows)
    opening = open_test_part(settings, results, winner, delivered, found_rows)
    for kind, said in selection_entries.after_opening(opening):
        run.enter(settings, kind, said)
    against = against_baseline.compare(results, selection, opening.against_baseline)
    files.write_losses(scheme_results.losses(results.candidates, results.design.weights))
    of_candidates = [record for records in estimates.values() for record in records]
    records = [*of_candidates, *opening.estimates, *of_the_winner, *against.estimates]
    report_tables.write_estimates(records)
    estimate = compares_by(selection.criterion)
    of_winner = differences(results.design, results.evidence, selection.selected, estimate)
    report_tables.write_differences(of_winner)
    doubted = not_credible.look(results, selection.selected, records)
    report_tables.write_not_credible(doubted.lines)
    report_tables.write_more_rows(more_rows(results.design, results.evidence, estimates))
    report_tables.write_columns(columns_that_matter.look(settings, results, winner))
    report_tables.write_powered(powered_all(settings, results, estimates))
    metrics_files.write(opening.metrics)
    g_minus = hypotheses(settings, winner, "holdout")[0]
    sets = prediction_sets.measure(settings, results, winner.name, g_minus, delivered, opening.part, opening.closed)
    report_tables.write_prediction_sets(sets)
    curves = winner_curves.measure(settings, results, winner.name, g_minus, opening.metrics.answered)
    report_tables.write_curves(curves.whose, curves.calibration, curves.roc, curves.residuals)
    files.write_csv(files.HARD_ROWS, hard_rows.table(settings, results, winner))
    report_tables.write_shards(unlabeled_rows.disagreement_by_shard(results, winner.name))
    files.write_csv(files.TO_LABEL, unlabeled_rows.to_label(winner.name))
    effect = duplicates_effect.compare(settings, results, winner)
    doubt = suspicious.look(results, winner.name, g_minus, against.described()["baseline"])
    description = describe(
        settings,
        results,
        selection,
        opening,
        ledger=ledger,
        delivered=delivered,
        against=against,
        effect=effect,
        doubt=doubt,
    )
    unlike = other_population.look(settings, results, winner.name, g_minus)
    description |= {**unlike, **doubted.described(), **by_margin.described(settings, of_winner)}
    found = decision.decide(results, selection, records, of_winner, description, curves.skill)
    files.write_json(files.SELECTION, {**description, **decision.described(found, curves.skill)})
    model_file.save(delivered.hypothesis, files.MODEL)
