"""`@pytest.mark.fault("name")`: tries a fault of docs/reliability.md; a run of such tests ends with their count.

And no test writes into the checkout.
"""

import os

import pytest

from tests import checkout_stays

checkout_stays.watch()
_PICTURES = os.environ.get("HELDOUT_PICTURES")


@pytest.fixture(autouse=True)
def _nothing_is_written_into_the_checkout():
    """What is written while a module of tests is imported counts for the first test after it."""
    yield
    written = checkout_stays.written()
    if _PICTURES:  # `make pictures` asks for those
        written = [one for one in written if f" {_PICTURES}/" not in one]
    assert [] == written, "a test works in a folder of its own: tmp_path, or a clone"


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_written_into_the_folders_of_the_user(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


_outcomes: dict[str, bool] = {}
_faults: dict[str, str] = {}


def pytest_collection_modifyitems(items):
    """Remember the faults of each test."""
    for item in items:
        if markers := [*item.iter_markers("fault")]:
            _faults[item.nodeid] = ", ".join(name for marker in markers for name in marker.args)


def pytest_runtest_logreport(report):
    """A fault is survived where the test and its set-up passed."""
    if report.nodeid in _faults and not (report.passed and report.when == "setup"):
        _outcomes[report.nodeid] = _outcomes.get(report.nodeid, True) and report.passed


def pytest_terminal_summary(terminalreporter):
    """Print the count."""
    if _outcomes:
        lost = sorted({_faults[test] for test, survived in _outcomes.items() if not survived})
        terminalreporter.write_line(f"faults tried: {len(_outcomes)}, survived: {sum(_outcomes.values())}")
        for fault in lost:
            terminalreporter.write_line(f"not survived: {fault}")
