"""Whatever is done to params.yaml: it is read, or at most ten mistakes are reported, and never a traceback."""

import codecs
import copy
import datetime
import json
import re
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.params import Settings, load
from tasks.params.docs import keys
from tasks.params.read_yaml import read
from tasks.runtime.errors import UserError
from tests.tasks.mistakes import mistake_of
from tests.whole_file import whole

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "params.yaml").read_text(encoding="utf-8")
RAW = whole()
RAW["intervals"] = {"E_val": "Wilson", "E_cv": "corrected t"}
RAW["candidates"][1]["family"] = {"parameter": "C", "values": [0.1, 1]}
RAW["candidates"] += [
    {
        "name": "epochs",
        "estimator": "sklearn.linear_model.SGDClassifier",
        "family": {"parameter": "epochs", "values": [1, 3]},
    },
    {"name": "grid", "estimator": "sklearn.svm.SVC", "grid": {"C": [1, 10], "kernel": ["linear", "rbf"]}},
    {
        "name": "stacked",
        "estimator": "sklearn.ensemble.StackingClassifier",
        "params": {
            "estimators": [["bayes", {"estimator": "sklearn.naive_bayes.GaussianNB"}]],
            "final_estimator": {"estimator": "sklearn.linear_model.LogisticRegression", "params": {"C": 2}},
        },
    },
]
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "params.schema.json").read_text(encoding="utf-8")))
COUNTS: Counter = Counter()
LAWS = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the folder of a test serves all its examples
)


def places(node, place=()) -> list[tuple]:
    """Every place of the file, in lists and in the learners' own parameters too."""
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return ([place] if place else []) + [found for name, item in inner for found in places(item, (*place, name))]


words = st.one_of(st.text(max_size=6), st.sampled_from(["sklearn.svm", "a.b", "sklearn.svm.SVC", "loo", "auto", "1"]))
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    words,
    st.just(datetime.date(2026, 1, 2)),
    st.binary(max_size=3),
)
values = st.one_of(
    scalars,
    st.lists(scalars, max_size=3),
    st.dictionaries(st.one_of(words, st.integers(), st.none()), scalars, max_size=3),
)


@pytest.fixture(scope="module", autouse=True)
def counted(pytestconfig):
    """The number of mangled files, in the output of the tests."""
    yield
    counts = f"{COUNTS['reported']} reported, {COUNTS['read']} read as they could be"
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{COUNTS.total()} mangled params.yaml: {counts}")
    assert COUNTS.total() >= 120 or pytestconfig.option.keyword or pytestconfig.option.maxfail


KEYS = {key.rpartition(".")[2].removesuffix("[]") for key in keys()}
LINE = re.compile(r"params\.yaml(, --set)?: \S.*")


def report(raw, *overrides) -> list[str]:
    """The lines of the error; none if the parameters can be used, which then are valid by the schema too."""
    text = yaml.safe_dump(raw, allow_unicode=True)
    return report_of(text.encode(), *overrides)


def report_of(text: bytes, *overrides) -> list[str]:
    """The same for the bytes of the file."""
    Path("params.yaml").write_bytes(text)
    try:
        assert Settings is type(load(overrides=overrides))
    except UserError as error:
        COUNTS["reported"] += 1
        lines = str(error).split("\n")
        assert 1 <= len(lines) <= 11
        assert (len(lines) == 11) == lines[-1].startswith("… and ")
        for line in lines[:10]:
            assert line.isprintable()
            assert len(line) < 1000
            assert LINE.fullmatch(line) or line.startswith("--set "), line
        return lines
    COUNTS["read"] += 1
    if not overrides:
        SCHEMA.validate(read(text.decode("utf-8-sig")))
    return []


def at(raw, place):
    for name in place:
        raw = raw[name]
    return raw


@LAWS
@pytest.mark.slow
@given(st.sampled_from(places(RAW)), values)
def test_another_value_at_any_place_is_read_or_reported(place, value):
    raw = copy.deepcopy(RAW)
    at(raw, place[:-1])[place[-1]] = value
    report(raw)


@LAWS
@pytest.mark.slow
@given(st.sampled_from([place for place in places(RAW) if isinstance(place[-1], str)]), words)
def test_another_name_for_any_key_is_reported(place, name):
    raw = copy.deepcopy(RAW)
    at(raw, place[:-1])[name] = at(raw, place[:-1]).pop(place[-1])
    report(raw)


@pytest.mark.slow
@pytest.mark.parametrize("place", places(RAW), ids=str)
def test_any_place_left_out_is_read_or_reported(place):
    raw = copy.deepcopy(RAW)
    del at(raw, place[:-1])[place[-1]]
    for line in report(raw):
        mistake_of(line)  # names its key once


@pytest.mark.parametrize("key", [1, True])
def test_a_key_that_is_no_text_is_reported(key):
    assert report({**RAW, key: 1})


@pytest.mark.parametrize("text", ["2026-13-01", "0x_", "!!int many"])
def test_a_date_or_number_that_is_none_is_reported(text):
    Path("params.yaml").write_text(f"seed: {text}\n")
    with pytest.raises(UserError):
        load()


@pytest.mark.parametrize("path", [".svm.SVC", "..SVC"])
def test_a_relative_import_path_is_reported(path):
    raw = copy.deepcopy(RAW)
    raw["candidates"][0]["estimator"] = path
    assert report(raw)


@pytest.mark.parametrize(("name", "text"), [("own_unparsable", "class Own(:"), ("own_unbound", "Own = Base")])
def test_a_mistake_in_the_users_own_module_is_reported(name, text):
    Path(f"{name}.py").write_text(text + "\n")
    raw = copy.deepcopy(RAW)
    raw["candidates"][0] = {"name": "own", "estimator": f"{name}.Own"}
    assert report(raw)


def test_a_wrong_number_of_folds_is_reported_that_loo_is_allowed():
    raw = copy.deepcopy(RAW)
    raw["split"]["folds"] = "all"
    (line,) = report(raw)
    assert "loo" in line


def named(lines: list[str], key: str) -> bool:
    """Whether one of the lines, each of which names its key once, names `key`."""
    return any(key in line and mistake_of(line).where is None for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("place", [place for place in places(RAW) if isinstance(place[-1], str)], ids=str)
def test_a_key_that_is_misspelt_is_named(place):
    raw = copy.deepcopy(RAW)
    wrong = place[-1][:-1] + "x" + place[-1][-1]
    at(raw, place[:-1])[wrong] = at(raw, place[:-1]).pop(place[-1])
    assert named(report(raw), wrong) or (place[-1] == "estimator" and "estimators[0] " in report(raw)[0])


LEAVES = [place for place in places(RAW) if isinstance(place[-1], str) and place[0] != "candidates"]


@pytest.mark.slow
@pytest.mark.parametrize("value", [[{"deep": [1, 2]}], {"a": {"b": 1}}], ids=str)
@pytest.mark.parametrize("place", LEAVES, ids=str)
def test_a_value_of_no_allowed_kind_is_named_with_its_key(place, value):
    raw = copy.deepcopy(RAW)
    at(raw, place[:-1])[place[-1]] = value
    assert named(report(raw), place[-1])


HUGE = "9" * 400
HANDWRITTEN = {
    "empty": b"",
    "blank": b"\n \n\n",
    "a comment alone": b"# nothing\n",
    "null": b"null\n",
    "a word": b"digits\n",
    "a list": b"- seed: 0\n",
    "two documents": TEXT.encode() + b"---\nseed: 1\n",
    "a tab": TEXT.replace("  folds", "\tfolds").encode(),
    "latin-1": TEXT.replace("seed: 0", "seed: 0 # \u00e9").encode("latin-1"),
    "utf-16": TEXT.encode("utf-16"),
    "null bytes": TEXT.encode().replace(b"seed", b"se\0ed"),
    "control characters": TEXT.encode().replace(b"digits", b"dig\x07its"),
    "binary": bytes(range(256)),
    "cut in a key": TEXT.encode()[:700],
    "cut in a value": TEXT.encode()[: TEXT.index("sklearn.naive") + 5],
    "an open quote": TEXT.replace("E_cv\n", "'E_cv\n").encode(),
    "an open brace": TEXT.replace("drop: []", "drop: [").encode(),
    "a colon too few": TEXT.replace("seed: 0", "seed 0").encode(),
    "no space after the colon": TEXT.replace("seed: 0", "seed:0").encode(),
    "an equals sign": TEXT.replace("seed: 0", "seed = 0").encode(),
    "wrong indentation": TEXT.replace("  folds: 10", "    folds: 10").encode(),
    "a key twice": TEXT.encode() + b"seed: 1\n",
    "a section twice": TEXT.encode() + b"split:\n  folds: 5\n",
    "twelve keys twice": TEXT.encode() + b"".join(b"a%d: 1\na%d: 2\n" % (n, n) for n in range(12)),
    "an unknown tag": TEXT.replace("seed: 0", "seed: !number 0").encode(),
    "a python tag": TEXT.replace("seed: 0", "seed: !!python/object/apply:os.getcwd []").encode(),
    "an unknown alias": TEXT.replace("seed: 0", "seed: *zero").encode(),
    "a mapping as a key": TEXT.encode() + b"? {a: 1}\n: 2\n",
    "a list as a key": TEXT.encode() + b"? [a]\n: 2\n",
    "an impossible date": TEXT.replace("seed: 0", "seed: 2026-02-30").encode(),
    "a boolean that is none": TEXT.replace("margin: null", "margin: !!bool maybe").encode(),
    "a date by its tag that is none": TEXT.replace("seed: 0", "seed: !!timestamp soon").encode(),
    "a number that is none": TEXT.replace("seed: 0", "seed: 0x").encode(),
    "a number of 400 digits": TEXT.replace("seed: 0", f"seed: -{HUGE}").encode(),
    "a number of 5000 digits": TEXT.replace("seed: 0", f"seed: {'9' * 5000}").encode(),
    "infinite": TEXT.replace("level: 0.95", "level: .inf").encode(),
    "not a number": TEXT.replace("level: 0.95", "level: .nan").encode(),
    "a decimal comma": TEXT.replace("level: 0.95", "level: 0,95").encode(),
    "percent": TEXT.replace("level: 0.95", "level: 95 %").encode(),
    "yes": TEXT.replace("seed: 0", "seed: yes").encode(),
    "sexagesimal": TEXT.replace("folds: 10", "folds: -1:30").encode(),
    "every key null": "".join(f"{key}: null\n" for key in RAW).encode(),
    "every key a list": "".join(f"{key}: [1]\n" for key in RAW).encode(),
    "every key text": "".join(f"{key}: text\n" for key in RAW).encode(),
    "a hundred unknown keys": TEXT.encode() + b"".join(b"unknown%d: 1\n" % n for n in range(100)),
    "a key of ten thousand letters": TEXT.encode() + b"x" * 900 + b": 1\n",
    "a key over two lines": TEXT.encode() + b'"a\\nb": 1\n',
    "an escape as a key": TEXT.encode() + b'"\\e[31m": 1\n',
    "a right-to-left mark as a key": TEXT.encode() + "\u202eseed: 1\n".encode(),
    "deep": TEXT.encode() + b"deep: " + b"[" * 101 + b"]" * 101 + b"\n",
    "eval": TEXT.replace("sklearn.naive_bayes.GaussianNB", "__import__('os').system").encode(),
    "a grid of too many": TEXT.replace("      C: 10\n", f"    grid: {{C: {[*range(2000)]}}}\n", 1).encode(),
}


@pytest.mark.parametrize("text", HANDWRITTEN.values(), ids=HANDWRITTEN)
def test_a_file_mangled_by_hand_is_reported(text):
    lines = report_of(text)
    assert lines
    for line in lines:
        mistake_of(line)  # names its key once


@pytest.mark.parametrize(
    "text",
    [
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        f"---\n{TEXT}...\n".encode(),
        json.dumps(RAW).encode(),
    ],
    ids=["a byte order mark", "lines of Windows", "marks of a document", "JSON"],
)
def test_a_file_in_another_guise_is_read(text):
    assert [] == report_of(text)


@LAWS
@given(st.integers(0, len(TEXT) - 1), st.integers(0, 40), st.text(max_size=4))
def test_any_piece_cut_out_or_replaced_is_read_or_reported(first, length, text):
    mangled = TEXT[:first] + text + TEXT[first + length :]
    report_of(mangled.encode("utf-8", "surrogatepass"))


@LAWS
@given(st.lists(st.sampled_from(TEXT.splitlines(keepends=True)), max_size=40))
def test_any_lines_of_the_file_in_any_order_are_read_or_reported(lines):
    report_of("".join(lines).encode())


@LAWS
@pytest.mark.slow
@given(st.sampled_from(places(RAW)), st.one_of(words, st.text(max_size=9)))
def test_any_override_is_read_or_reported(place, text):
    report(RAW, f"{'.'.join(map(str, place))}={text}")
