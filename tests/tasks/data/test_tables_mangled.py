"""Whatever is done to a table: `prepare` uses every row of it, or tells one clear mistake and writes nothing."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.data.prepare_tables import prepare
from tasks.runtime.errors import UserError
from tasks.storage import files

COUNTS: Counter = Counter()
LAWS = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the folder of a test serves all its examples
)
ROWS = [[str(row), f"{row / 7:.3f}", "won" if row % 3 else "lost"] for row in range(40)]
TABLE = [["id", "x", "kind"], *ROWS]
ODD = [
    *("", " ", "?", "NA", "nan", "inf", "-inf", "1e308", "1e309", "-1e400", "9" * 400, "0x10", "1_000", "1,5", "True"),
    *("2024-01-02", "01/02/2024", "31.12.2024", '"', '"a\nb"', "=1+1", "é", "\ufeff", "\x00", "\u202e", "a" * 5000),
    *("won", "lost", "kind", "{'a': 1}", "[1, 2]", "None", "1 2"),
]
cells = st.one_of(st.sampled_from(ODD), st.text(max_size=8))
places = st.tuples(st.integers(0, len(TABLE) - 1), st.integers(0, 2))
columns = st.integers(0, 2)


@pytest.fixture(scope="module", autouse=True)
def counted(request, pytestconfig):
    """The number of mangled tables, in the output of the tests: most examples of each law are such a table."""
    yield
    laws = sum(item.path == request.path for item in request.session.items)
    said = f"{COUNTS.total()} mangled tables: {COUNTS['told']} told, {COUNTS['used']} used as they could be"
    with pytestconfig.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{said}")
    assert COUNTS.total() >= 30 * laws or pytestconfig.option.maxfail


def check(settings_of_rows, name: str = "t.csv", *changes: str) -> None:
    """Prepare the table called `name`: either all labelled rows and shards are written, or nothing is."""
    try:
        prepared = prepare(settings_of_rows(f"data.source={name}", *changes))
    except UserError as error:
        COUNTS["told"] += 1
        lines = str(error).split("\n")
        assert 1 <= len(lines) <= 11
        for line in lines:
            assert line.isprintable(), line
            assert 20 < len(line) < 1000
            assert "Traceback" not in line
        assert not files.PREPARED.exists()
        return
    COUNTS["used"] += 1
    assert len(prepared.partition.fold) == len(prepared.labeled) == len(prepared.roles.labeled)
    features = prepared.labeled.drop(columns="target").select_dtypes("number")
    assert not features.isin([float("inf"), float("-inf")]).any().any()


def written(table: list[list[str]], separator: str = ",") -> bytes:
    return "".join(separator.join(row) + "\n" for row in table).encode()


@LAWS
@given(changed=st.dictionaries(places, cells, min_size=1, max_size=6))
def test_other_cells(settings_of_rows, changed):
    table = [list(row) for row in TABLE]
    for (row, column), value in changed.items():
        table[row][column] = value
    Path("t.csv").write_bytes(written(table))
    check(settings_of_rows)


@LAWS
@given(column=columns, value=cells, share=st.sampled_from([2, 3, 40]))
def test_a_column_of_one_odd_value(settings_of_rows, column, value, share):
    table = [list(row) for row in TABLE]
    for row in range(1, len(table), 40 // share if share < 40 else 1):
        table[row][column] = value
    Path("t.csv").write_bytes(written(table))
    check(settings_of_rows)


@LAWS
@given(data=st.data())
def test_other_bytes(settings_of_rows, data):
    text = bytearray(written(TABLE, data.draw(st.sampled_from([",", ",", ",", ";", "\t"]))))
    for _ in range(data.draw(st.integers(0, 4))):
        place = data.draw(st.integers(0, len(text)))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    text = text[: data.draw(st.one_of(st.just(len(text)), st.integers(0, len(text))))]
    head = data.draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\n\n", b"# a note\n", b"\x1f\x8b"]))
    Path("t.csv").write_bytes(head + bytes(text))
    check(settings_of_rows)


@LAWS
@given(rows=st.integers(0, 12), classes=st.integers(1, 12), names=st.permutations(["id", "x", "kind"]), again=columns)
def test_few_rows_or_classes_or_a_name_twice(settings_of_rows, rows, classes, names, again):
    table = [names, *([str(row), str(row % 2), str(row % classes)] for row in range(rows))]
    if again:
        table[0][again] = table[0][0]
    Path("t.csv").write_bytes(written(table))
    check(settings_of_rows)


values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=5),
    st.binary(max_size=5),
    st.dates(),
    st.timedeltas(),
    st.decimals(allow_nan=False, places=2, min_value=-9, max_value=9),
    st.lists(st.integers(0, 9), max_size=2),
    st.fixed_dictionaries({"a": st.integers(0, 9)}),
)


@LAWS
@given(st.lists(st.one_of(*[st.lists(one, min_size=24, max_size=24) for one in [values]]), min_size=1, max_size=2))
def test_parquet_of_any_types(settings_of_rows, own):
    frame = {f"c{number}": column for number, column in enumerate(own)}
    try:
        pd.DataFrame(frame | {"kind": ["won", "lost"] * 12}).to_parquet("t.parquet")
    except (ValueError, TypeError, OverflowError, ArithmeticError):  # Arrow has no column for the mixture
        return
    check(settings_of_rows, "t.parquet")


@LAWS
@pytest.mark.slow
@given(kind=st.sampled_from(list(range(10))), data=st.data())
def test_parquet_of_one_type(settings_of_rows, kind, data):
    one = [
        *(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(max_size=5), st.binary(max_size=5)),
        *(st.dates(), st.timedeltas(), st.lists(st.integers(0, 9), max_size=2), st.times()),
        st.decimals(allow_nan=False, places=2, min_value=-9, max_value=9),
    ][kind]
    column = data.draw(st.lists(st.one_of(st.none(), one), min_size=24, max_size=24))
    try:
        pd.DataFrame({"c": column, "kind": ["won", "lost"] * 12}).to_parquet("t.parquet")
    except (ValueError, TypeError, OverflowError, ArithmeticError):
        return
    check(settings_of_rows, "t.parquet")
