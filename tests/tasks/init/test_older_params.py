"""A params.yaml of version 0.1, edited by a user, and of today: what `migrate` writes, and what it refuses."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from flows.__main__ import main
from tasks.init.older_params import migrated
from tasks.params import docs, load, read_yaml
from tasks.params.current import check_current, lacking
from tasks.runtime.errors import UserError
from tests.tasks.conftest import SHIPPED

ROOT = Path(__file__).parents[3]
OLD = (ROOT / "tests/older/params-0.1.yaml").read_text(encoding="utf-8")
STAGES = (ROOT / "dvc.yaml").read_text(encoding="utf-8")
PARAMS = Path("params.yaml")
OWN = "tracking:\n  # my own\n  uri: null # here\n  experiment: mine\n"
LEFT = "intervals:\n  # mine\n  E_cv: Bayle all pairs\n  E_val: Clopper-Pearson\n"


@pytest.fixture
def old(checkout) -> Path:
    """A checkout with the parameters of version 0.1."""
    for name in ("dvc.yaml", "params.schema.json"):
        Path(name).write_bytes((ROOT / name).read_bytes())
    PARAMS.write_text(OLD)
    return PARAMS


def values(text: str):
    return read_yaml.read(text)


def test_every_line_stays_in_its_place_and_what_is_missing_is_added_with_its_default(old):
    found = migrated(old)
    assert OLD == found.before
    after = iter(found.after.split("\n"))
    assert [] == [line for line in OLD.split("\n") if line not in after]  # in their order
    expected = copy.deepcopy(values(OLD))
    for change in found.changes:
        *section, name = change.key.split(".")
        (expected.setdefault(section[0], {}) if section else expected)[name] = change.value
    assert expected == values(found.after)
    assert {"data.known_after", "split.test_key", "loss_max", "report.slices", "tracking.promote"} <= found.added
    assert lacking(values(OLD), STAGES)
    assert [] == lacking(values(found.after), STAGES)


def test_what_is_added_has_the_comment_of_the_shipped_file(old):
    comments = [line for line in migrated(old).after.split("\n") if line not in OLD.split("\n")]
    shipped = SHIPPED.read_text(encoding="utf-8").split("\n")
    said = [line for line in comments if line.strip().startswith("#")]
    assert len(said) > 20
    assert [] == [line for line in said if line not in shipped]


def test_the_settings_are_those_that_the_old_file_has_without_dvc(old):
    before = load(old).model_dump()
    old.write_text(migrated(old).after)
    assert before == load(old).model_dump()


def test_a_second_time_there_is_nothing_to_do(old):
    old.write_text(migrated(old).after)
    again = migrated(old)
    assert ((), again.before) == (again.changes, again.after)


@pytest.mark.parametrize(
    "key", ["data.drop", "split.test_key", "loss_max", "report", "operations", "tracking.artifacts"]
)
def test_todays_file_without_a_key_gets_it_again(key, checkout):
    written = values(SHIPPED.read_text(encoding="utf-8"))
    *section, name = key.split(".")
    inside = written[section[0]] if section else written
    PARAMS.write_text(yaml.safe_dump({**written, **({section[0]: without(inside, name)} if section else {})}))
    if not section:
        PARAMS.write_text(yaml.safe_dump(without(written, name)))
    found = migrated(PARAMS)
    assert sorted([key] if section or key == "loss_max" else [f"{key}.{one}" for one in inside[name]]) == sorted(
        found.added
    )
    defaults = {one: place["default"] for one, place, required in docs.described() if not required}
    assert {one: defaults[one] for one in found.added} == {change.key: change.value for change in found.changes}
    assert [] == lacking(values(found.after), STAGES)


def without(section, name):
    return {key: value for key, value in section.items() if key != name}


def test_the_shipped_file_has_every_key(checkout):
    assert () == migrated(SHIPPED).changes


def test_windows_ends_of_lines_stay(old):
    old.write_bytes(OLD.replace("\n", "\r\n").encode())
    after = migrated(old).after
    assert after.count("\n") == after.count("\r\n")
    old.write_text(OLD)
    assert migrated(old).after == after.replace("\r\n", "\n")


def test_an_interval_that_left_is_taken_out(old):
    old.write_text(OLD.replace("intervals: null\n", LEFT))
    with pytest.raises(UserError, match="left the package"):
        load(old)
    found = migrated(old)
    assert ["removed   intervals.E_cv"] == [str(one)[:24] for one in found.changes if one.kind == "removed"]
    assert {"E_val": "Clopper-Pearson"} == values(found.after)["intervals"]
    assert "  # mine\n" in found.after
    old.write_text(OLD.replace("intervals: null\n", LEFT.replace("  E_val: Clopper-Pearson\n", "")))
    old.write_text(migrated(old).after)
    assert load(old).intervals is None


REFUSED = {
    "a key of no version": (("folds: 5", "folds: 5\n  fold: 3"), "split.fold is not known"),
    "a section of no version": (("seed: 0", "seed: 0\nmagic: 1"), "magic is not known"),
    "a key that each version needs": (("seed: 0\n", ""), "seed is missing"),
    "no YAML": (("seed: 0", "seed: [0"), "is not valid YAML"),
    "an object of Python": (("seed: 0", "seed: !!python/object/apply:os.system [touch hit]"), "is not valid YAML"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_migrated_stays_as_it_is(kind, old, capsys):
    change, words = REFUSED[kind]
    old.write_text(OLD.replace(*change))
    before = old.read_bytes()
    assert 2 == main(["migrate", "--yes"])
    assert words in capsys.readouterr().err
    assert before == old.read_bytes()
    assert not Path("hit").exists()


def test_a_section_on_one_line_is_left_to_a_person(old):
    flow = "selection: {criterion: E_cv, rule: minimum, level: 0.95}\n\n"
    first, last = OLD.index("selection:\n"), OLD.index("# interval methods in place")
    old.write_text(OLD[:first] + flow + OLD[last:])
    with pytest.raises(UserError, match=r"by hand: added +data\.separator: null"):
        migrated(old)


@pytest.mark.fault("older params.yaml")
@pytest.mark.parametrize("command", [["check"], ["serve"]])
def test_a_command_refuses_an_older_file_and_names_migrate(command, old, capsys):
    assert 2 == main(command)
    said = capsys.readouterr().err
    assert "lacks data.separator, data.decimal" in said
    assert "`python -m flows migrate` shows" in said


def test_another_file_of_parameters_is_not_asked_for_keys(old):
    other = Path("other.yaml")
    other.write_text(OLD)
    check_current(other)
    with pytest.raises(UserError, match="lacks"):
        check_current(Path.cwd() / "params.yaml")


def test_migrate_shows_all_and_writes_only_after_a_yes(old, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", open(os.devnull))  # noqa: SIM115, PTH123
    assert 2 == main(["migrate"])
    said = capsys.readouterr()
    assert "add --yes" in said.err
    assert "added     split.test_key: 0\n" in said.out
    assert "test part: other rows than before" in said.out
    assert OLD == old.read_text()
    assert 0 == main(["migrate", "--yes"])
    assert 0 == main(["check"])
    assert OLD == Path("params.yaml.old").read_text()
    capsys.readouterr()
    assert 0 == main(["migrate"])
    assert "nothing to migrate" in capsys.readouterr().out


STRANGER = """
import sys
from pathlib import Path
Path("evil.py").write_text("from pathlib import Path; Path('hit').touch()")
def watch(event, found):
    assert event != "socket.connect", found
sys.addaudithook(watch)
from flows.__main__ import main
sys.exit(main(["migrate", "--yes"]))
"""


def test_nothing_that_the_file_names_is_imported_or_asked(old):
    text = OLD.replace("[sklearn, lightgbm, xgboost]", "[sklearn, evil]")
    text = text.replace("sklearn.naive_bayes.GaussianNB", "evil.Learner").replace(
        "loss: null", "loss: {function: evil.x}"
    )
    old.write_text(text)
    ran = subprocess.run([sys.executable, "-c", STRANGER], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert 0 == ran.returncode
    assert not Path("hit").exists()
    assert old.read_text() != text


KILLED = """
import os, sys
moment = int(sys.argv[1])
def watch(event, found):
    global moment
    if event in ("os.rename", "open", "shutil.copyfile") and "params.yaml" in str(found[:2]):
        moment -= 1
        if moment == 0:
            os._exit(9)
sys.addaudithook(watch)
from flows.__main__ import main
sys.exit(main(["migrate", "--yes"]))
"""


@pytest.mark.fault("older params.yaml")
@pytest.mark.long
def test_killed_at_any_moment_the_file_is_the_old_or_the_new_one(old):
    new, codes = migrated(old).after, []
    for moment in range(1, 40):
        old.write_text(OLD)
        command = [sys.executable, "-c", KILLED, str(moment)]
        ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False, capture_output=True)
        codes.append(ran.returncode)
        assert old.read_text() in (OLD, new)
        if ran.returncode == 0:
            break
    assert [9] * (len(codes) - 1) + [0] == codes
    assert len(codes) > 4
    assert new == old.read_text()
