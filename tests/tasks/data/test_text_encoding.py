"""A file in Windows-1252 holds the rows of the same file in UTF-8, and every reader of it says so with a word."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tasks.data import file_formats, text_encoding
from tasks.data.prepare_tables import prepare
from tasks.data.read_source import read, read_table
from tasks.data.write_prepared import write_prepared
from tasks.init import start
from tasks.storage import dvc_commands
from tests.tasks.mistakes import assert_names, assert_refused

ROWS = 120


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=ROWS).round(3)
    city = rng.choice(["Köln", "Genève", "Paris", "œuvre"], ROWS)
    return pd.DataFrame({"x": x, "città": city, "kind": np.where(x + rng.normal(size=ROWS) > 0, "won", "lost")})


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv"])
def test_the_rows_do_not_depend_on_the_encoding(frame, encoding, name):
    frame.to_csv(name, index=False, encoding=encoding, sep="\t" if name == "t.tsv" else ",")
    rows = read(name)
    pd.testing.assert_frame_equal(frame, rows.frame)
    findings = [(finding.severity, finding.text) for finding in rows.findings]
    if encoding != "cp1252":
        assert [] == findings
        return
    ((severity, text),) = findings
    assert "note" == severity
    lines = 1 + int((frame["città"] != "Paris").sum())
    assert_names(text, name, "UTF-8", "Windows-1252", lines, "'città'")


def test_each_decision_of_prepare_is_that_of_the_same_table_in_utf8(frame, settings_of_rows):
    hashes = []
    for encoding in ("utf-8", "cp1252"):
        frame.to_csv("t.csv", index=False, encoding=encoding)
        found = prepare(settings_of_rows("data.source=t.csv"))
        hashes.append(found.data_hash)
    assert hashes[0] == hashes[1]
    (warning,) = [warning for warning in found.warnings if "UTF-8" in warning]
    assert_names(warning, "data.source", "t.csv", "Windows-1252", "'città'")


def test_a_shard_is_read_in_its_own_encoding_and_its_report_says_so(frame, settings_of_rows):
    frame.to_csv("t.csv", index=False)
    Path("shards").mkdir()
    for name, encoding in (("a", "utf-8"), ("b", "cp1252")):
        frame.drop(columns="kind").to_csv(f"shards/{name}.csv", index=False, encoding=encoding)
    reports = write_prepared(prepare(settings_of_rows("data.source=t.csv", "data.unlabeled=shards")))
    shards = [pd.read_parquet(f"data/prepared/unlabeled/shard-0000{number}.parquet") for number in (0, 1)]
    pd.testing.assert_frame_equal(*shards)
    assert () == reports[0].notes
    (note,) = reports[1].notes
    assert note.startswith("is not UTF-8")
    assert_names(note, "Windows-1252", "'città'")


def test_init_says_it_and_the_separator_and_the_neighbours_are_found(frame, monkeypatch):
    monkeypatch.setattr(dvc_commands, "track", lambda paths: None)
    Path("given").mkdir()
    for name in ("t.csv", "u.csv"):
        frame.to_csv(f"given/{name}", index=False, sep=";", encoding="cp1252")
    lines = start.initialize("given/t.csv", "kind", None, Path.cwd())
    (line,) = [line for line in lines if "Windows-1252" in line]
    assert line.startswith("found     t.csv is not UTF-8")
    assert any("semicolon" in line for line in lines)
    assert any(line.startswith("next to   u.csv") for line in lines)


@pytest.mark.parametrize("byte", [0x81, 0x8D, 0x8F, 0x90, 0x9D])
def test_bytes_that_windows_does_not_know_are_asked_about(byte):
    Path("t.csv").write_bytes(b"x,word\n1,M\xfcller\n2,M" + bytes([byte]) + b"ller\n")
    rows = read("t.csv")
    assert f"M{chr(byte)}ller" == rows.frame["word"][1]
    (finding,) = rows.findings
    assert "care" == finding.severity
    assert_names(finding.text, "Latin-1", repr(f"M{chr(byte)}ller"), "2 lines")


@pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
def test_json_is_utf8(name):
    Path(name).write_bytes('{"word": "plain"}\n{"word": "café"}\n'.encode("latin-1"))
    assert_refused(lambda: read_table(name), "data.source", name, "UTF-8", "line 2", "0xe9")


def test_a_letter_that_two_bytes_of_windows_could_be_does_not_hide_the_others():
    text = 'word,x\n"«CAFÉ»",1\n' + "déjà,1\n" * 5
    Path("t.csv").write_text(text, encoding="cp1252")
    assert ["«CAFÉ»", *["déjà"] * 5] == read_table("t.csv")["word"].tolist()


def test_a_long_file_is_read_to_its_last_line():
    Path("t.csv").write_bytes(b"x,word\n" + b"1,plain\n" * 300_000 + b"1,caf\xe9\n")
    found = text_encoding.of(partial(file_formats.open_unpacked, Path("t.csv")))
    assert text_encoding.Encoding("cp1252", 1, "café") == found
