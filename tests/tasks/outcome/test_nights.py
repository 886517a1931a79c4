"""What the entries of nights say in the morning: where things stand, and whether somebody must do something."""

from datetime import timedelta

import pytest

from tasks.outcome.nights import Morning, morning, night_said
from tasks.outcome.operations import KINDS, Of
from tests.nights import OF, PERCENT, RMSE, Chain, at, contest, ended, quarter

OTHER = Of("churn", "source other.csv, target left, positive None")
FREE = {"capital": 2.0, "capital_needed": 20.0, "E_champion": 0.1, "E_champion_rows": 50.0}


@pytest.fixture
def told() -> Chain:
    """The first champion and two quiet nights after it."""
    made = Chain()
    made.append("champion", {**contest(0, "tree", 1), "promoted": "first", "alias": "churn@champion"}, at(0, -0.1))
    ended(made.append, 0)
    for night in (1, 2):
        made.append("contest", contest(night, "forest", night + 1, **FREE), at(night, -0.1))
        ended(made.append, night)
    return made


def read(told: Chain, night: float = 2.1, **more) -> Morning:
    return morning(told.entries, OF, at(0) + timedelta(days=night), **more)


def rolled_back(told: Chain) -> int:
    promoted = {**contest(3, "forest", 4, **FREE), "promoted": "yes", "instead_of": "1", "alias": "churn@champion"}
    told.append("champion", promoted, at(3))
    back = {"alias": "churn@champion", "version": "1", "instead_of": "4", "candidate": "forest", "learner": "forest"}
    return told.append("rollback", OF.said(**back, why="complaints"), at(3, 5))


def test_quiet_nights_ask_for_nothing(told):
    made = read(told)
    assert ("Nothing to do", ()) == (made.first_line, made.matters)
    assert ["1", "1", "1"] == [night.champion for night in made.nights]
    first, _, last = made.nights
    assert (None, 0.1, 50) == (first.error, last.error, last.error_rows)
    assert (4240, 96.0, 2.0, 20.0, PERCENT) == (last.rows, last.seconds, last.capital, last.needed, last.unit)
    assert last.size == sum(last.sizes.values()) > last.sizes["MLflow"] > 0


def test_a_store_without_an_entry_asks_for_the_first_night_alone():
    made = morning((), OF, at(0))
    assert (1, (), ()) == (len(made.matters), made.nights, made.reigns)
    assert made.first_line.startswith("Look: no night has run yet; run the first: `")
    assert 1 == len(morning((), OF, at(0), unended=("2026-08-04 02:00", "KILLED")).matters)


def test_a_failed_night_says_why_until_one_succeeds(told):
    ended(told.append, 3, failed="no column age")
    made = read(told, 3.1)
    assert made.first_line.startswith(
        "Look: the night of 2026-08-04 02:05 failed: no column age; fix it, and run again: `"
    )
    assert (None, None) == (made.nights[-1].rows, made.nights[-1].unit)
    ended(told.append, 4)
    assert "Nothing to do" == read(told, 4.1).first_line


def test_the_last_night_is_that_of_the_last_entry_whatever_the_clock_said(told):
    """Of two days ago by the clock, which was set back; and what a person did after it has an earlier time too."""
    told.append("night", night_said(OF, "run 3", 95.0, {}, 10**12, failed="no column age"), at(0, 12))
    made = read(told)
    assert "no column age" == made.nights[-1].failed
    assert "failed: no column age" in made.first_line
    prevented = {"pin": 9, "prevented": True}
    told.append("contest", contest(4, "forest", 5, **FREE) | prevented, at(4))
    number = rolled_back(told)
    told.append("contest", contest(5, "forest", 6, **FREE) | prevented | {"pin": number}, at(5))
    assert "pin" in read(told, 5).first_line
    told.append("rollback", OF.said(version="4", instead_of="1", candidate="tree", learner="tree"), at(2))
    assert "pin" not in read(told, 5).first_line


def test_a_night_whose_process_died_is_known_by_its_run_alone(told):
    made = read(told, unended=("2026-08-04 02:00", "KILLED"))
    assert made.first_line.startswith("Look: the night of 2026-08-04 02:00 did not end (KILLED); run again: `")


def test_a_night_that_did_not_come_is_missed_after_more_than_a_day(told):
    assert "Nothing to do" == read(told, 2 + 25 / 24).first_line
    assert read(told, 3.6).first_line.startswith("Look: no night has ended since 2026-08-03 02:05, and one came about")


def test_weekly_nights_are_not_missed_after_a_day():
    told = Chain()
    for night in (0, 7, 14):
        ended(told.append, night)
    assert "Nothing to do" == read(told, 22).first_line
    assert "about every 7 days" in read(told, 25).first_line


def test_a_champion_that_gives_no_answers_is_looked_at_until_another_is_in_use(told):
    told.append("contest", {**contest(3, "forest", 4), "compared": False}, at(3, -0.1))
    assert read(told, 3.1).first_line.startswith("Look: the champion, version 1, cannot be compared with the winners; ")
    back = {"alias": "churn@champion", "version": "9", "instead_of": "1", "candidate": "tree", "learner": "tree"}
    told.append("rollback", OF.said(**back), at(3, 1))
    assert "Nothing to do" == read(told, 3.2).first_line


def test_a_batch_that_is_held_back_waits_for_a_person(told):
    why = {"verdict": "held", "reasons": ["labels: 40 % yes, 20 % before"]}
    held = told.append("batch", OF.said(run="run3", rows=120, **why), at(3, -0.5))
    ended(told.append, 3)
    first = read(told, 3.1).first_line
    why = f"(batch {held}, 120 rows: labels: 40 % yes, 20 % before); look at them, then `"
    assert first.startswith(f"Look: new labelled rows are held back, and no run uses them {why}")
    assert f"--release {held}`" in first
    told.append("batch-dropped", OF.said(batch=held, why="a test system"), at(3, 2))
    made = read(told, 3.2)
    assert "Nothing to do" == made.first_line
    texts = [one.text for one in made.happened]
    assert f"batch {held} dropped: a test system" in texts


def test_a_column_that_is_gone_and_values_that_moved_have_remedies_of_their_own(told):
    why = {"verdict": "held", "left": 400, "reasons": ["the column tenure is gone"], "gone": ["tenure"]}
    told.append("batch", OF.said(run="run3", rows=400, **why), at(3))
    (matter,) = morning(told.entries, OF, at(3, 0.1)).matters
    assert "it lacks tenure, which 400 rows of the past had" in str(matter)
    assert "bring the column back" in str(matter)
    told.append("batch-dropped", OF.said(batch=told.entries[-1].number, why="another table came"), at(3, 0.2))
    why = {
        "verdict": "held",
        "corrected": 400,
        "reasons": ["bill is at most 42 in 0 % of the known rows, and was in 10 %"],
    }
    held = told.append("batch", OF.said(run="run4", rows=0, **why), at(3, 0.3))
    (matter,) = morning(told.entries, OF, at(3, 0.4)).matters
    assert "400 rows of the past have other values: bill is at most 42" in str(matter)
    assert f"batch --release {held}`" in str(matter)


def test_what_holds_no_batch_back_is_said_and_batches_that_are_wrong_together_are_looked_at(told):
    told.append("batch", OF.said(run="run3", rows=30, verdict="accepted", reasons=[], noticed=["30 rows"]), at(3))
    made = morning(told.entries, OF, at(3, 0.1))
    (one,) = [one for one in made.happened if one.lane == "batches"]
    assert (False, False) == (one.bad, one.quiet)
    assert one.text.endswith("of 30 rows accepted: 30 rows")
    assert () == made.matters
    together = ["the last 4 batches: an error of the champion in 44 %"]
    told.append("batch", OF.said(run="run4", rows=30, verdict="accepted", reasons=[], together=together), at(3, 0.2))
    (matter,) = morning(told.entries, OF, at(3, 0.3)).matters
    assert "the last 4 batches: an error of the champion in 44 %" in str(matter)
    told.append("batch", OF.said(run="run5", rows=30, verdict="accepted", reasons=[]), at(3, 0.5))
    assert () == morning(told.entries, OF, at(3, 0.6)).matters


def test_a_table_that_is_held_is_the_one_thing_to_do_about_its_night(told):
    why = {"verdict": "held", "left": 400, "expected": 400, "reasons": ["400 of 400 rows of the past are not there"]}
    held = told.append("batch", OF.said(run="run3", rows=83, **why), at(3, -0.5))
    ended(told.append, 3, failed=f"batch {held}: the table is held")
    (matter,) = read(told, 3.1).matters
    assert f"the table is held, and no run uses it (batch {held}): 400 rows of the past" in str(matter)
    assert "83 rows are new" in str(matter)
    assert f"--release {held}`" in str(matter)
    ended(told.append, 4, failed="the table has no rows")  # another one came
    assert "failed: the table has no rows" in read(told, 4.1).first_line


def test_an_alarm_is_looked_at_until_the_reference_is_moved(told):
    said = {"model": "churn/1", "shards": 5}
    told.append("watched", OF.said(**said, raised=True, alarms=["monday: age is greater"]), at(2, 1))
    told.append("watched", OF.said(**said, raised=False, alarms=[]), at(2, 2))  # evidence that fell again
    assert read(told).first_line.startswith(
        "Look: the rows have changed (alarm since 2026-08-03 03:05); look at the new"
    )
    told.append("watched", OF.said(model="churn/1", moved=True, raised=False), at(2, 3))
    assert "Nothing to do" == read(told, 2.2).first_line


def test_an_alarm_about_half_models_ends_with_its_champion_and_one_about_columns_does_not(told):
    told.append("watched", OF.said(model="churn/1", shards=5, raised=True, alarms=["a: disagree"]), at(2, 1))
    told.append("watched", OF.said(model="churn/4", shards=6, raised=False, alarms=[]), at(2, 2))
    assert "Nothing to do" == read(told).first_line
    told.append("watched", OF.said(model="churn/5", shards=7, raised=True, alarms=[]), at(2, 3))
    assert "the rows have changed" in read(told, 2.2).first_line


def test_a_pin_is_in_the_way_until_it_is_released(told):
    pin = rolled_back(told)
    assert "Nothing to do" == read(told, 3.5).first_line
    told.append("contest", contest(4, "forest", 5, **FREE, pin=pin, prevented=True), at(4))
    assert "Look: a pin prevents a promotion of forest; release it (`" in read(told, 4.1).first_line
    told.append("release", OF.said(candidates=["forest"]), at(4, 1))
    assert "Nothing to do" == read(told, 4.2).first_line


def test_a_disk_that_is_full_soon_says_for_how_many_nights(told):
    said = night_said(OF, "run3", 90, {"MLflow": 100_000_000}, 1_500_000_000, rows=1, unit=PERCENT)
    told.append("night", said, at(3))
    assert "Nothing to do" == read(told, 3.1).first_line  # for 74 nights
    told.append("night", {**said, "run": "run4", "disk_free": 100_000_000}, at(4))
    assert read(told, 4.1).first_line.startswith("Look: the disk has room for about 6 more nights like the last; ")


def test_of_several_matters_the_first_line_has_one_and_their_number(told):
    ended(told.append, 3, failed="no column age")
    told.append("batch", OF.said(run="run3", rows=120, verdict="held", reasons=["labels"]), at(3))
    made = read(told, 3.1)
    assert made.first_line.endswith(" (and 1 more)")
    assert 2 == len(made.matters)


def test_entries_of_others_and_of_later_versions_are_passed_over(told):
    before = read(told)
    told.append("a kind of a later version", OF.said(verdict="?"), at(2, 0.1))
    told.append(
        "champion", OTHER.said(version="7", alias="churn@champion-other", candidate="x", learner="x"), at(2, 0.2)
    )
    told.append("night", night_said(OTHER, "x", 1, {}, 1, failed="theirs"), at(2, 0.3))
    told.append("watched", OTHER.said(model="churn/7", raised=True, alarms=["theirs"]), at(2, 0.4))
    after = read(told)
    assert (before.nights, before.reigns, before.happened) == (after.nights, after.reigns, after.happened)
    assert "Nothing to do" == after.first_line


def test_entries_of_before_the_nights_have_what_was_decided():
    told = Chain()
    first = {key: one for key, one in contest(0, "tree", 1).items() if key != "compared"}
    told.append("champion", {**first, "promoted": "first", "alias": "churn@champion"}, at(0))
    told.append("contest", contest(1, "forest", 2, **FREE), at(1))
    told.append("watched", {"model": "churn/1", "shards": 1, "alarms": ["monday: age"]}, at(1, 1))  # without a source
    made = read(told, 1.1)
    assert [(None, None), (0.1, None)] == [(night.error, night.rows) for night in made.nights]
    assert "the rows have changed" in made.first_line


@pytest.mark.parametrize("unit", [PERCENT, RMSE])
def test_a_quarter_has_each_thing_at_its_night(unit):
    told = Chain()
    quarter(told.append, unit=unit)
    made = morning(told.entries, OF, at(89, 1))
    assert {*KINDS} | {"batch", "batch-dropped"} >= {entry.kind for entry in told.entries}
    assert 90 == len(made.nights)
    assert ["first", "yes", "rollback"] == [reign.how for reign in made.reigns]
    assert unit == made.unit
    assert ["1"] * 20 + ["20"] * 11 + ["1"] * 59 == [night.champion for night in made.nights]
    assert {"nights", "alarms", "batches", "by hand"} == {one.lane for one in made.happened}
    assert [33, 45, 60, 70] == sorted((one.time - at(0, -1)).days for one in made.happened if one.bad)
    last = made.newest(30)
    assert (30, ["1"]) == (len(last.nights), [reign.version for reign in last.reigns])
    assert all(one.time >= last.nights[0].time for one in last.happened)
