"""Select: estimate every candidate's error, choose one, open the test part for it alone."""

from prefect import flow

from tasks import choice, files, models, tracking
from tasks.estimates import estimate_all, read_results
from tasks.execution import RUNNER
from tasks.fit import final_hypothesis
from tasks.params import load


@flow(name="select", task_runner=RUNNER)
def select(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """Write all losses and estimates, the selection with its bound, and the winner retrained on all rows."""
    settings = load(params, overrides)
    data_hash = files.read_data_hash()
    results = read_results(settings)
    estimates = estimate_all(settings, results)
    selection = choice.choose(settings, results, estimates)
    winner = next(candidate for candidate in settings.candidates if candidate.name == selection.selected)
    model = final_hypothesis(settings, winner)
    test_estimate = choice.open_test_part(settings, winner, model)
    ledger = tracking.read_ledger(settings, data_hash, results.candidates, winner if test_estimate else None)
    files.write_losses(results.losses)
    files.write_estimates([*(record for records in estimates.values() for record in records), *test_estimate])
    files.write_json(files.SELECTION, choice.describe(settings, selection, estimates, test_estimate, ledger))
    models.save(model, files.MODEL)
    tracking.tag_selection(data_hash, winner, opened=bool(test_estimate))
