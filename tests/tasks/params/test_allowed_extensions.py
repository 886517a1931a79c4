"""execution.allowed_modules decides which extensions a run takes up, and their text which stored fits are used."""

import json
import textwrap
from pathlib import Path

import pytest

from tests.extensions import MODULE, ROOT, copy_example, install, python

ALLOWED = f"execution.allowed_modules=[sklearn, {MODULE}]"
ENTERED = """
    import json, os, sys
    from pathlib import Path
    from tasks.params import allowed_extensions
    from tasks.runtime.errors import UserError
    try:
        allowed_extensions.enter(Path({path!r}), {overrides!r})
        from tasks.params import load
        settings = load({path!r}, {overrides!r})
        print(json.dumps([settings.loss, os.environ.get("HELDOUT_EXTENSIONS"), "heldout_example" in sys.modules]))
    except UserError as error:
        print(json.dumps(str(error)))
"""
LOADED = """
    import heldout, json
    {before}
    from tasks.params import load
    from tasks.runtime.errors import UserError
    try:
        load({path!r}, {overrides!r})
        print(json.dumps("loaded"))
    except UserError as error:
        print(json.dumps(str(error)))
"""
PARAMS = str(ROOT / "params.yaml")


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    return copy_example(tmp_path_factory.mktemp("example"))


def printed(code: str, *folders: Path, allowed: str = "", **given: object):
    done = python(textwrap.dedent(code).format(path=PARAMS, **given), *folders, allowed=allowed)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.long
def test_a_named_module_is_taken_up_before_names_are_listed_and_by_later_processes(example):
    assert ["spherical", MODULE, True] == printed(ENTERED, example, overrides=[ALLOWED, "loss=spherical"])


def test_without_its_name_it_is_not_imported_whatever_the_environment_says(example):
    assert [None, None, False] == printed(ENTERED, example, allowed=MODULE, overrides=[])
    message = printed(ENTERED, example, allowed=MODULE, overrides=["loss=spherical"])
    assert "loss is 'spherical'" in message


@pytest.mark.long
def test_names_of_rules_intervals_and_estimates_are_those_of_the_package(example):
    changes = [
        "selection.rule=half_standard_error",
        "intervals={E_val: agresti coull}",
        "further_estimates=[E_worst_fold]",
    ]
    assert [None, MODULE, True] == printed(ENTERED, example, overrides=[ALLOWED, *changes])
    refused = printed(ENTERED, example, overrides=changes)
    assert all(name in refused for name in ("'agresti coull' is not known", "'half_standard_error'"))
    assert "is not made on request" in printed(ENTERED, example, overrides=changes[2:])


def test_a_module_without_extensions_is_a_learners_alone(example):
    assert [None, None, False] == printed(ENTERED, example, overrides=["execution.allowed_modules=[sklearn, json]"])


def test_what_is_wrong_with_an_extension_names_the_file_and_the_key(tmp_path):
    folder = install(tmp_path, "bad", {"heldout.selection.rules": {"any": "bad.absent:RULE"}})
    message = printed(ENTERED, folder, overrides=["execution.allowed_modules=[sklearn, bad]"])
    assert message.startswith(
        f"{PARAMS}: execution.allowed_modules: bad 1.0: the entry point 'any' of heldout.selection.rules"
    )


def test_a_process_that_has_not_taken_them_up_refuses_the_parameters(example):
    message = printed(LOADED, example, before="heldout.validate", overrides=[ALLOWED])
    assert ", --set: execution.allowed_modules names a module with extensions (heldout-example 1.0.0)" in message
    assert "heldout.allow" in message


@pytest.mark.long
def test_a_process_that_has_taken_up_others_refuses_the_parameters(example):
    allow = f"heldout.allow({MODULE!r})"
    message = printed(LOADED, example, before=allow, overrides=[])
    assert "does not name the module of extensions that this process has taken up (heldout-example 1.0.0)" in message
    assert "loaded" == printed(LOADED, example, before=allow, overrides=[ALLOWED])


KEYED = """
    import heldout, json
    heldout.allow({name!r})
    from heldout.extensions import identity
    from heldout import digests
    print(json.dumps([digests.key("a"), identity()]))
"""
PLAIN = "import json; from heldout import digests; print(json.dumps(digests.key('a')))"
LOSS = (
    "from dataclasses import replace\nfrom heldout.losses.absolute import KIND as OWN\nKIND = replace(OWN, name='mine')"
)
RULE = (
    "from dataclasses import replace\nfrom heldout.selection.rules.minimum import RULE as OWN\n"
    "RULE = replace(OWN, name='mine')"
)


KIND = (
    "import numpy as np\nfrom heldout.rows.column_kind import ColumnKind\n"
    "KIND = ColumnKind('mine', '#7', lambda strings: False, lambda strings: np.full(len(strings), 7.0))"
)


def identities(tmp_path, group: str, value: str, **texts: str) -> list[list]:
    """Key and identity with each text of the module: the same package, before and after it is edited."""
    return [
        printed(KEYED, install(tmp_path / name, "own", {group: {"x": value}}, m=text), name="own")
        for name, text in texts.items()
    ]


def test_fits_have_other_keys_once_a_loss_of_an_extension_is_edited(tmp_path):
    before, same, after = identities(
        tmp_path, "heldout.losses", "own.m:KIND", before=LOSS, same=LOSS, after=f"{LOSS}\n# edited"
    )
    assert before == same
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_fits_have_other_keys_once_a_kind_of_columns_is_edited(tmp_path):
    before, after = identities(tmp_path, "heldout.column_kinds", "own.m:KIND", before=KIND, after=f"{KIND}\n# edited")
    assert before[0] != after[0]
    assert before[1] != after[1]


def test_a_rule_decides_no_fit_and_has_no_part_in_their_keys(tmp_path):
    before, after = identities(
        tmp_path, "heldout.selection.rules", "own.m:RULE", before=RULE, after=f"{RULE}\n# edited"
    )
    assert before[0] == after[0] == json.loads(python(PLAIN).stdout)
    assert before[1] != after[1]


RECORDED = """
    import heldout, json, os
    heldout.allow("own")
    from tasks.params import load
    from tasks.runtime.errors import UserError
    from tasks.storage import stage_settings
    os.chdir({folder!r})
    settings = load({path!r}, ["execution.allowed_modules=[sklearn, own]"])
    try:
        {done}
        print(json.dumps("done"))
    except UserError as error:
        print(json.dumps(str(error)))
"""


@pytest.mark.long
def test_a_stage_refuses_results_that_other_extensions_made(tmp_path, rows, settings_of_rows):
    from tasks.data.prepare_tables import prepare
    from tasks.data.write_prepared import write_prepared

    write_prepared(prepare(settings_of_rows()))
    stages = "('prepare', 'fit')"
    write = f"[stage_settings.write(stage, settings) for stage in {stages}]"
    check = "stage_settings.check('select', settings)"
    for name, text, done, words in (
        ("before", RULE, write, "done"),
        ("again", RULE, check, "done"),
        ("after", f"{RULE}\n# edited", check, "select: the results on disk are of other settings: "),
    ):
        folder = install(tmp_path / name, "own", {"heldout.selection.rules": {"x": "own.m:RULE"}}, m=text)
        said = printed(RECORDED, folder, folder=str(tmp_path), done=done)
        assert words in said
    assert "the packages of extensions are not those that made" in said
