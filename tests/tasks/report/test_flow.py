"""The report as a step of a run: what it still needs, and what it ends."""

import pytest

from flows import report
from tasks.fits import executor


class _Reached(Exception):
    pass


def test_no_worker_waits_while_models_are_asked(settings_with, monkeypatch):
    settings = settings_with("execution.workers=1")
    assert 7 == executor.local(settings.execution).submit(int, "7").result()

    def summary(_settings):
        assert [] == executor._workers
        raise _Reached

    monkeypatch.setattr(report, "read_summary", summary)
    with pytest.raises(_Reached):
        report._report(settings, None)
