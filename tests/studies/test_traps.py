"""What counts as a trap that was found and as a false alarm, and the page of both."""

from studies import trap_finds
from studies.trap_finds import Printed
from studies.traps import traps
from tasks.storage.findings import RecordedFinding


def test_there_are_thirty_traps_and_no_two_have_one_name():
    planted = traps()
    assert 30 == len(planted) == len({trap.name for trap in planted})


def test_what_is_missed_and_what_is_further_is_on_the_page():
    page = trap_finds.page({"x": None, "z": "leak      cost: a | b"}, {"iris": []}, {"adult": ["found     z"]})
    assert "| x | missed |" in page
    assert "| z | `leak cost: a ¦ b` |" in page
    assert "found 1 of 2 traps" in page
    assert "- adult: `found z`" in page


def test_an_alarm_is_false_unless_it_is_listed_as_true():
    care = RecordedFinding("found", "quality: whole numbers 3 to 9, taken as 7 classes", severity="care")
    printed = Printed([], (care, RecordedFinding("time", "date"), RecordedFinding("found", "a note")))
    assert ["time      date"] == trap_finds.false_alarms("wine_quality", printed)
    assert [f"found     {care.text}"] == trap_finds.false_alarms("occupancy", printed)
    assert ["error no"] == trap_finds.false_alarms("occupancy", Printed(["error no", "dropped   id: constant"]))
