"""The schema and the page of params.yaml's keys: made from the model, current, and of one mind with the file."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from tasks.params import docs, load, loss_key, running, sections, settings

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / docs.SCHEMA).read_text(encoding="utf-8"))
PAGE = (ROOT / docs.PAGE).read_text(encoding="utf-8")


def test_both_files_are_current():
    assert docs.schema() == (ROOT / docs.SCHEMA).read_text(encoding="utf-8"), "run `make docs`"
    assert docs.page() == PAGE, "run `make docs`"


def test_making_them_again_gives_the_same_bytes():
    assert (docs.schema(), docs.page()) == (docs.schema(), docs.page())


def test_they_are_written_by_one_command(checkout):
    (checkout / "docs").mkdir()
    docs.PARAMS.write_bytes((ROOT / docs.PARAMS).read_bytes())
    docs.write()
    for path in (docs.SCHEMA, docs.PAGE, docs.PARAMS):
        assert (ROOT / path).read_bytes() == path.read_bytes()


def model_keys(model, prefix="") -> list[str]:
    """Every key, straight from the model."""
    found = []
    for name, field in model.model_fields.items():
        found.append(f"{prefix}{name}")
        inner = re.findall(r"tasks\.params\.(?:sections|running|settings)\.(\w+)", str(field.annotation))
        for section in inner:
            item = "[]" if str(field.annotation).startswith("list") else ""
            found += model_keys(every_section()[section], f"{prefix}{name}{item}.")
        found += [f"{prefix}{name}.{value}" for value in (loss_key.MAPPINGS if name == "loss" else ())]
    return found


def every_section() -> dict:
    return {**vars(settings), **vars(sections), **vars(running)}


def test_every_key_of_the_model_is_documented_and_in_the_schema():
    expected = model_keys(every_section()["Settings"])
    assert len(expected) > 40
    assert expected == docs.keys()
    assert expected == re.findall(r"^\| `(.+?)` \|", PAGE, re.MULTILINE)


def test_every_key_has_a_description():
    assert [] == [line for line in PAGE.splitlines() if line.startswith("| `") and line.endswith("|  |")]


def comments(text: str) -> dict[str, str]:
    """The comment above each key of params.yaml, in one line."""
    found, above, parents = {}, [], []
    for line in text.splitlines():
        key = re.match(r"^(\s*)(- )?(\w+):", line)
        if line.strip().startswith("#"):
            above.append(line.strip().lstrip("# "))
        elif key:
            depth = len(key[1] + (key[2] or "")) // 2
            parents[depth:] = [key[3]]
            found[".".join(parents)] = " ".join(above)
        if not line.strip().startswith("#"):
            above = []
    return found


def test_the_comments_of_the_shipped_file_are_the_descriptions(shipped):
    described = dict(re.findall(r"^\| `(.+?)` \|.*\| (.*?) \|$", PAGE, re.MULTILINE))
    told = {key: text for key, text in comments(shipped.read_text()).items() if not key.startswith("candidates.")}
    plain = [key for key in told if key not in yaml.safe_load(shipped.read_text()) or key in ("seed", "deliver")]
    assert len(plain) > 20
    # commented-out keys may stand between two keys, so that a comment ends with what is said of its own
    assert [] == [key for key in plain if not told[key].endswith(described[key]) or not described[key]]
    assert told["candidates"].endswith(described["candidates"])


def test_stale_comments_are_written_again_and_all_else_stays(shipped):
    text = shipped.read_text()
    assert docs.commented(text) == text, "run `make docs`"
    (first,) = re.findall(r"^  # .*\n  rule:", text, re.MULTILINE)
    assert docs.commented(text.replace(first, "  # gone\n  # by\n  rule:")) == text
    assert docs.commented(text.replace("  logistic:\n", "  # mine\n  logistic:\n")) != text


def test_the_shipped_file_names_the_schema_and_is_valid_by_it(shipped):
    assert "# yaml-language-server: $schema=params.schema.json" == shipped.read_text().splitlines()[0]
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(yaml.safe_load(shipped.read_text()))


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("split.fold=5", ["split"]),
        ("split.folds=1", ["split", "folds"]),
        ("selection.rule=min", ["selection", "rule"]),
        ("candidates.logistic.grid={C: []}", ["candidates", "logistic", "grid"]),
        ("candidates={a/b: {estimator: sklearn.svm.SVC}}", ["candidates"]),
        ("candidates={a.b: {estimator: sklearn.svm.SVC}}", ["candidates"]),
        ("candidates=[{name: a.b, estimator: sklearn.svm.SVC}]", ["candidates", 0, "name"]),
        ("execution.allowed_modules=[a b]", ["execution", "allowed_modules", 0]),
        ("intervals={E_out: Wilson}", ["intervals"]),
    ],
)
def test_the_schema_refuses_what_load_refuses(shipped, change, place):
    raw = yaml.safe_load(shipped.read_text())
    key, _, text = change.partition("=")
    *parents, last = [int(part) if part.isdigit() else part for part in key.split(".")]
    node = raw
    for part in parents:
        node = node[part]
    node[last] = yaml.safe_load(text)
    (error,) = jsonschema.Draft202012Validator(SCHEMA).iter_errors(raw)
    assert place == list(error.absolute_path)
    with pytest.raises(Exception, match=", --set: "):
        load(shipped, [change])
