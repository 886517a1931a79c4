"""Prepare: cut the test set, keep some labels, deal out the shards, draw every partition."""

import logging

from flows.stage import stage
from tasks.data import look_at_rows, prepare_tables, unlabeled
from tasks.data.write_prepared import write_prepared
from tasks.params import Settings
from tasks.storage import findings

log = logging.getLogger("heldout")


@stage
def prepare(settings: Settings) -> None:
    """Write data/prepared from the source that the parameters name."""
    found = findings.read(settings)
    prepared = prepare_tables.prepare(settings)
    found = look_at_rows.look(prepared, settings, found).with_more(prepared.left_out)
    reports = write_prepared(prepared, found)
    if found.remark:
        log.warning("prepare: %s", found.remark)
    for left_out in prepared.left_out:
        log.warning("prepare: %s", left_out.line)
    for warning in prepared.warnings:
        log.warning("prepare: %s", warning)
    log.info("prepare: %s, %s", prepared, unlabeled.summary(reports))
    for line in unlabeled.messages(reports):
        log.warning("prepare: %s", line)
