"""Study: every week, what the choice among the candidates promises, and what later rows say."""

import logging
from typing import Annotated

from prefect.artifacts import create_table_artifact
from prefect.runtime import deployment
from pydantic import Field

from flows.stage import named_flow
from tasks.outcome import later_rows
from tasks.params import load
from tasks.params.from_server import check_given
from tasks.runtime import environment

log = logging.getLogger("heldout")


@named_flow
def study(
    params: str = "params.yaml",
    overrides: tuple[str, ...] = (),
    halvings: Annotated[int, Field(ge=1)] = 20,
    minutes: Annotated[float, Field(gt=0)] = 60,
) -> None:
    """Halve the labelled rows again and again: how often who wins on one half, and what its error is on the other.

    Args:
        params: the file with the parameters, in the checkout
        overrides: further parameters, each as a.b=c
        halvings: how often, at most
        minutes: after so many no further halving begins
    """
    environment.enter()
    if deployment.id is not None:
        check_given(params, overrides)
    settings = load(params, overrides)
    found = list(later_rows.compare(settings, halvings, minutes))
    lines = later_rows.table(found)
    for line in lines:
        log.info("study: %s", ", ".join(f"{name} {value}" for name, value in line.items()))
    create_table_artifact(lines, key="weekly-study", description=f"{later_rows.__doc__}\n{len(found)} halvings.")
