"""Select: estimate every candidate's error, choose one, and test it on the test set if somebody asked for that."""

from functools import partial

from flows.stage import stage
from tasks.data.prepare_tables import seen_in
from tasks.outcome import (
    by_margin,
    columns_that_matter,
    decision,
    duplicates_effect,
    prediction_sets,
    selection_entries,
    suspicious,
    unlabeled_rows,
    unused_rows,
)
from tasks.outcome.deliver import deliver
from tasks.outcome.loss_lines import loss_lines
from tasks.outcome.opening import check_weights, describe, open_test_set
from tasks.outcome.read_validation import choose, read_validation
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
    validation = read_validation(settings)
    selection = choose(settings, validation)
    winner = next(candidate for candidate in settings.candidates if candidate.name == selection.selected)
    delivered = deliver(settings, winner)
    run = lifecycle.active()
    ledger = read_ledger(settings, seen, validation.started, partial(seen_in, settings), run.earlier)
    ledger = ledger.with_removed(run.removed, settings.data.source, seen)
    asked = settings.selection.open_test or run.opens_test
    found_rows = unused_rows.look(settings, winner, ledger, run.tested, asked=asked, unfinished=run.unfinished)
    check_weights(validation, found_rows)
    compared = [candidate for candidate in settings.candidates if candidate.name in validation.started]
    # before a row is scored: what fails below was opened all the same
    found_rows = enter_choice(settings, winner, compared, seen, ledger, found_rows)
    opening = open_test_set(settings, validation, winner, delivered, found_rows)
    for kind, said in selection_entries.after_opening(opening):
        run.enter(settings, kind, said)
    validation = validation.with_opened(opening.opened)
    validation.save(files.VALIDATION, overwrite=True, asked=[winner.name])
    files.write_losses(loss_lines(validation))
    report_tables.write(validation)
    report_tables.write_columns(columns_that_matter.look(settings, validation))
    metrics_files.write(opening.metrics)
    report_tables.write_prediction_sets(prediction_sets.measure(settings, validation, winner, delivered, opening))
    report_tables.write_shards(unlabeled_rows.disagreement_by_shard(validation, winner.name))
    files.write_csv(files.TO_LABEL, unlabeled_rows.to_label(winner.name))
    description = describe(
        settings,
        validation,
        selection,
        opening,
        ledger=ledger,
        delivered=delivered,
        against=decision.of_baseline(validation),
        effect=duplicates_effect.compare(settings, validation, winner),
        doubt=suspicious.look(validation),
    )
    if reason := validation.other_population():
        description["other_population"] = reason
    description |= {"not_credible": validation.not_credible(), **by_margin.described(settings, validation)}
    found = decision.decide(settings, validation, description)
    files.write_json(files.SELECTION, {**description, **decision.described(found, validation.skill())})
    model_file.write(delivered.stored, files.MODEL)
