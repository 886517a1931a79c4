"""The sentences about unlabelled shards: which were skipped, and which go beyond the labelled rows."""

from collections.abc import Sequence

from tasks.storage.shard_report import ShardReport

_SHARDS_SHOWN = 10


def of_shards(shards: Sequence[ShardReport]) -> dict[str, str]:
    """The shards that were skipped, with the rows lost, and how many rows lie beyond the labelled rows."""
    texts = {}
    bad = [report for report in shards if report.bad is not None]
    if bad:
        lost = sum(report.rows or 0 for report in bad)
        unread = sum(report.rows is None for report in bad)
        more = f", and the rows of {unread} that cannot be read" if unread else ""
        texts["shards skipped"] = (
            f"{len(bad)} of {len(shards)}, {lost} rows lost{more}; the disagreement is about the other shards: "
            + "; ".join(f"{report.file} {report.bad}" for report in bad[:_SHARDS_SHOWN])
            + ("; …" if len(bad) > _SHARDS_SHOWN else "")
        )
    noted = [report for report in shards if report.noted]
    if noted:
        rows = sum(report.rows or 0 for report in shards if report.bad is None)
        beyond = sum(report.noted for report in noted)
        where = f"in {len(noted)} shard{'s' * (len(noted) > 1)}"
        texts["shards"] = (
            f"{beyond} of {rows} unlabelled rows ({100 * beyond / rows:.1f} %), {where}, have a value outside of the "
            "range or the categories of the labelled rows; report.html lists the columns"
        )
    return texts
