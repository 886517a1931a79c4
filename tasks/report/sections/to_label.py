"""The unlabelled rows on which the winner's half models disagree most."""

from tasks.report.section import Section, Table
from tasks.report.summary import Summary, shown_count
from tasks.report.written_disagreement import Scale, shard_name
from tasks.storage import files

_SHOWN = 12


def section(summary: Summary) -> Section | None:
    """The first rows of to_label.csv; nothing without one."""
    lines = summary.tables.to_label
    if lines.empty:
        return None
    scale = Scale.of(summary)
    rows = [
        [shown_count(line["row"]), shard_name(line), scale.text(line["disagreement"])]
        for line in lines.head(_SHOWN).to_dict("records")
    ]
    of = "the data" if lines["file"].isna().all() else "the shard's file"
    caption = (
        f"The unlabelled rows on which the half models of {summary.selected} differ most. Their labels say most about "
        "what the models do not know yet; but an estimate that counts them as random draws is biased. For labels "
        "that keep the estimates right use label-next, which draws rows with known probabilities. "
        f"{'All of them are' if len(lines) <= _SHOWN else f'The first {len(lines)} are'} in {files.TO_LABEL}."
    )
    head = [f"row of {of}, from 0", "shard", f"disagreement{scale.unit}"]
    table = Table("The rows with the largest disagreement", head, rows)
    return Section("to-label", "Rows worth a label", caption, tables=[table])
