"""Co-validation: train on both halves of each repeat; compare the two on the unlabelled shards."""

from prefect import flow

from tasks import results
from tasks.designs import read_design
from tasks.disagreement import disagree_all
from tasks.execution import RUNNER
from tasks.fit import fit_all
from tasks.params import load


@flow(name="covalidation", task_runner=RUNNER)
def covalidation(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """E_2cv, E_train and the disagreement for every candidate, from the same fits."""
    settings = load(params, overrides)
    finished, failures = fit_all(settings, ["covalidation"])
    disagreement, mute = disagree_all(settings, finished["covalidation"])
    results.write_covalidation(read_design(settings), finished["covalidation"], disagreement, {**mute, **failures})
