"""Watch: new unlabelled shards against the validated run, with an alarm that may be looked at for ever."""

import logging
from dataclasses import replace

from flows.checkout import in_checkout
from flows.events import alarm_raised, failure_reported
from flows.night import keep_page
from flows.stage import named_flow
from tasks.outcome.watched_shards import WatchRecord, check_validated, stored, watch_shards, write
from tasks.params import Settings, load
from tasks.report.watch_picture import draw
from tasks.storage import watch_files
from tasks.track.watch_run import champion, enter, enter_move, log_lines, log_picture

log = logging.getLogger("heldout")

_MOST_LINES = 20  # in the terminal


@named_flow
def watch(
    params: str = "params.yaml",
    overrides: tuple[str, ...] = (),
    shards: tuple[str, ...] = (),
    new_reference: bool = False,
    since: str = "",
) -> None:
    """How far the champion's half models disagree on new shards; the results are on disk before anybody is told.

    What a run stored and did not tell, because it ended too early, is told by the next one.

    Args:
        params: the file with the parameters, in the checkout
        overrides: further parameters, each as a.b=c
        shards: files with new unlabelled rows, or folders of them; empty: those of data.unlabeled
        new_reference: compare with the rows of the validated run from now on, not with those fixed before
        since: of these rows only those of this shard and of later shards, by its file or the stem of it; empty: all
    """
    with in_checkout("watch", params, overrides):
        settings = load(params, overrides)
        check_validated()
        known = stored()
        if known is not None and known.untold:  # the run that stored them ended before it had told
            _tell(settings, known)
        with failure_reported(settings):
            record = watch_shards(settings, champion(settings), shards, new_reference=new_reference, since=since)
        if new_reference:
            write(record)
            enter_move(settings, record)
        if not record.untold:
            log.info("watch: no shard without a line in %s; the reference is %s", watch_files.TABLE, record.reference)
            return
        write(record)
        _tell(settings, record)


def _tell(settings: Settings, record: WatchRecord) -> None:
    """Report the lines that are on disk and not reported yet; the picture comes last."""
    delta = settings.operations.false_alarm
    _print(record, delta)
    for line, reason in record.alarms():
        alarm_raised(settings, line, record.watched, reason)
    log_lines(settings, record)
    entered = enter(settings, record)
    watch_files.write_state(replace(record, told=len(record.lines)).numbers())
    draw(record.lines, delta)
    log_picture(settings, record)
    if entered:
        keep_page(settings)


def _print(record: WatchRecord, delta: float) -> None:
    """The newest lines, and every shard at which the alarm began."""
    for line in record.untold[-_MOST_LINES:]:
        log.info(
            "watch: %s: %d rows, disagreement %.4g, evidence %.3g of %.3g%s, on columns %.3g%s",
            line.shard,
            line.rows,
            line.disagreement,
            line.evidence,
            1 / delta,
            ", ALARM" if line.alarm else "",
            line.evidence_of_columns or 0.0,
            ", ALARM" if line.alarm_of_columns else "",
        )
    for line, reason in record.alarms():
        log.warning("watch: at %s %s: look at the new rows, label some, and validate again", line.shard, reason)
    if record.evidence_of_answers >= 1 / delta:
        log.warning(
            "watch: what the half models of %s answer is distributed otherwise than on the rows of the reference "
            "(evidence %.3g of %.3g); this raises no alarm",
            record.candidate,
            record.evidence_of_answers,
            1 / delta,
        )
    read = len(record.untold)
    log.info("watch: %d shards read, compared with %s -> %s", read, record.reference, watch_files.TABLE)
