"""Co-validation: train on both halves of each repeat; compare both models on the unlabelled shards."""

from flows.stage import stage
from tasks.fits import scheme_results
from tasks.fits.controls import control_all
from tasks.fits.half_model_disagreement import disagree_all
from tasks.fits.run_race import fit_left
from tasks.params import Settings
from tasks.plans.read_design import read_design


@stage
def covalidation(settings: Settings) -> None:
    """E_2cv, E_train and the disagreement for every candidate that is left, from the same fits."""
    settings, finished, failures = fit_left(settings, ["covalidation"])
    halves = finished["covalidation"]
    disagreement, no_answer = disagree_all(settings, halves)
    controls = control_all(settings, {name: of for name, of in halves.items() if name not in no_answer})
    tables = {**disagreement, "controls": controls}
    scheme_results.write_covalidation(read_design(settings), halves, tables, {**no_answer, **failures})
