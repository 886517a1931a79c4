"""The report page as a file."""

from tasks.report.page import page
from tasks.report.summary import Summary
from tasks.storage import files


def write_report(summary: Summary) -> None:
    """report.html."""
    files.write_text(files.REPORT, page(summary))
