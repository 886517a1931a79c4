"""Select: estimate every candidate's error, choose one, open the test part for it alone."""

from flows.stage import stage
from tasks.fits import scheme_results
from tasks.outcome import duplicates_effect, open_test
from tasks.outcome.deliver import deliver
from tasks.outcome.estimate import choose, estimate_all, read_results
from tasks.params import Settings
from tasks.storage import files, model_file
from tasks.track import mlflow_runs


@stage
def select(settings: Settings) -> None:
    """Write all losses and estimates, the selection with its bound, and the winner in the form that is shipped."""
    with mlflow_runs.run(settings):
        _select(settings)


def _select(settings: Settings) -> None:
    data_hash = files.read_data_hash()
    found = read_results(settings)
    estimates = estimate_all(found)
    selection, of_the_winner = choose(settings, found, estimates)
    winner = next(candidate for candidate in settings.candidates if candidate.name == selection.selected)
    delivered = deliver(settings, winner)
    ledger = mlflow_runs.read_ledger(settings, data_hash, found.candidates)
    opening = open_test.open_test_part(settings, found, winner, delivered, ledger)
    files.write_losses(scheme_results.losses(found.candidates))
    files.write_estimates(
        [*(record for own in estimates.values() for record in own), *opening.estimates, *of_the_winner]
    )
    copies = duplicates_effect.compare(settings, found, winner)
    description = open_test.describe(settings, found, selection, estimates, opening, ledger, delivered, copies)
    files.write_json(files.SELECTION, description)
    model_file.save(delivered.hypothesis, files.MODEL)
    compared = [candidate for candidate in settings.candidates if candidate.name in found.candidates]
    mlflow_runs.tag_selection(data_hash, winner, compared, winner if opening.estimates else None)
