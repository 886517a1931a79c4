"""Prepare: cut the test part, keep some labels, deal out the shards, draw every partition."""

import logging

from prefect import flow

from tasks import files, shards, tables
from tasks.params import load

log = logging.getLogger("heldout")


@flow(name="prepare")
def prepare(params: str = "params.yaml", overrides: tuple[str, ...] = ()) -> None:
    """Write data/prepared from the source that the parameters name."""
    settings = load(params, overrides)
    prepared = tables.prepare(settings)
    reports = files.write_prepared(prepared)
    for warning in prepared.warnings:
        log.warning("prepare: %s", warning)
    log.info("prepare: %s, %s", prepared, shards.summary(reports))
    for line in shards.told(reports):
        log.warning("prepare: %s", line)
