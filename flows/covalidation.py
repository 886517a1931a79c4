"""Co-validation: train on both halves of each repeat; compare both models on the unlabelled shards."""

from flows.stage import stage
from tasks.fits import scheme_results
from tasks.fits.controls import control_all
from tasks.fits.half_model_disagreement import disagree_all
from tasks.fits.run_halvings import fit_halves
from tasks.fits.run_race import among_left
from tasks.params import Settings


@stage
def covalidation(settings: Settings) -> None:
    """E_2cv, E_train and the disagreement for every candidate that is left, from the same fits."""
    with among_left(settings) as left:
        halves = fit_halves(left)
    disagreement, no_answer = disagree_all(left, halves.by_candidate)
    controls = control_all(left, {name: of for name, of in halves.by_candidate.items() if name not in no_answer})
    tables = {**disagreement, "controls": controls}
    failures = {**no_answer, **halves.failed}
    scheme_results.write_covalidation(halves.design, halves.by_candidate, tables, failures, halves.halvings)
