"""Select: estimate every candidate's error, choose one, open the test part for it alone."""

from prefect import flow

from tasks import choice, files, kept_together, models, results, tracking
from tasks.delivery import deliver
from tasks.estimates import choose, estimate_all, read_results
from tasks.execution import RUNNER
from tasks.params import Settings, load


@flow(name="select", task_runner=RUNNER)
def select(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """Write all losses and estimates, the selection with its bound, and the winner in the form that is shipped."""
    settings = load(params, overrides)
    with tracking.run(settings):
        _select(settings)


def _select(settings: Settings) -> None:
    data_hash = files.read_data_hash()
    found = read_results(settings)
    estimates = estimate_all(found)
    selection, of_the_winner = choose(settings, found, estimates)
    winner = next(candidate for candidate in settings.candidates if candidate.name == selection.selected)
    delivered = deliver(settings, winner)
    ledger = tracking.read_ledger(settings, data_hash, found.candidates)
    opening = choice.open_test_part(settings, found, winner, delivered, ledger)
    files.write_losses(results.losses(found.candidates))
    files.write_estimates(
        [*(record for own in estimates.values() for record in own), *opening.estimates, *of_the_winner]
    )
    copies = kept_together.compare(settings, found, winner)
    description = choice.describe(settings, found, selection, estimates, opening, ledger, delivered, copies)
    files.write_json(files.SELECTION, description)
    models.save(delivered.hypothesis, files.MODEL)
    compared = [candidate for candidate in settings.candidates if candidate.name in found.candidates]
    tracking.tag_selection(data_hash, winner, compared, winner if opening.estimates else None)
