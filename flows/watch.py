"""Watch: new unlabelled shards against the validated run, with an alarm that may be looked at for ever."""

import logging

from flows.checkout import in_checkout
from flows.events import alarm_raised, failure_reported
from flows.stage import named_flow
from tasks.outcome.watch import Record, check_validated, watch_shards
from tasks.params import load
from tasks.report.watch_picture import draw
from tasks.storage import watch_files
from tasks.track.watch import champion, log_lines

log = logging.getLogger("heldout")

_MOST_LINES = 20  # in the terminal


@named_flow
def watch(params: str = "params.yaml", overrides: tuple[str, ...] = (), shards: tuple[str, ...] = ()) -> None:
    """How far the champion's half models disagree on new shards; the results are on disk before anybody is told.

    Args:
        params: the file with the parameters, in the checkout
        overrides: further parameters, each as a.b=c
        shards: files with new unlabelled rows, or folders of them; empty: those of data.unlabeled
    """
    with in_checkout("watch", params, overrides):
        settings = load(params, overrides)
        check_validated()
        with failure_reported(settings):
            record, new = watch_shards(settings, champion(settings), shards)
        if not new:
            log.info("watch: no shard without a line in %s", watch_files.TABLE)
            return
        watch_files.write(record.numbers(), record.lines)
        draw(record.lines, settings.operations.alarm_level)
        _print(record, new, settings.operations.alarm_level)
        for line in record.alarms(new):
            alarm_raised(settings, line, record.watched)
        log_lines(settings, record, new, [watch_files.TABLE, watch_files.PICTURE])


def _print(record: Record, new: int, level: float) -> None:
    """The newest lines, and every shard at which the alarm began."""
    for line in record.lines[-min(new, _MOST_LINES) :]:
        log.info(
            "watch: %s: %d rows, disagreement %.4g, evidence %.3g of %.3g%s",
            line.shard,
            line.rows,
            line.disagreement,
            line.evidence,
            1 / level,
            ", ALARM" if line.alarm else "",
        )
    for line in record.alarms(new):
        log.warning(
            "watch: at %s the half models of %s disagree %s than on the rows of the validated run: look at the new "
            "rows, label some, and validate again",
            line.shard,
            record.candidate,
            "more" if record.alarm.rises else "less",
        )
    if record.evidence_of_answers >= 1 / level:
        log.warning(
            "watch: what the half models of %s answer is distributed otherwise than on the rows of the validated run "
            "(evidence %.3g of %.3g); this raises no alarm",
            record.candidate,
            record.evidence_of_answers,
            1 / level,
        )
    log.info("watch: %d shards read -> %s", new, watch_files.TABLE)
