"""The picture of the shards over time, for whatever evidence there is."""

import pytest

from tasks.report.watch_picture import draw
from tasks.storage import files, watch_files
from tasks.storage.watch_files import WatchedShard
from tests.variants import some


def lines(*evidence, disagreement=0.1):
    return [
        WatchedShard(f"shard-{number}", 100, disagreement, 0.05, 0.2, value, value >= 20)
        for number, value in enumerate(evidence)
    ]


@pytest.fixture(autouse=True)
def reports(checkout):
    files.REPORTS.mkdir()


@pytest.mark.parametrize("evidence", some([0.05, 1.0, 1e100, 1e240, 1e270, 1e300], 0.05, 1e300))
def test_evidence_of_any_strength_is_drawn(evidence):
    draw(lines(1.0, 3.0, evidence, evidence), 0.05)
    assert watch_files.PICTURE.read_bytes().startswith(b"\x89PNG")
    watch_files.PICTURE.unlink()
    draw(lines(evidence), 0.05)
    assert watch_files.PICTURE.exists()


def test_a_picture_that_cannot_be_drawn_is_a_line_in_the_log_and_no_old_one_stays(monkeypatch, caplog):
    draw(lines(1.0), 0.05)
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *_, **__: 1 / 0)
    draw(lines(1.0), 0.05)
    assert not watch_files.PICTURE.exists()
    assert "the picture watch.png could not be drawn: ZeroDivisionError" in caplog.text
