"""What DVC shows and compares between revisions: the estimates with their intervals, the metrics, the candidates."""

import json
import re

import pandas as pd
import pytest
import yaml

from tests.end_to_end.browser import CHROMIUM, keep, opened
from tests.end_to_end.conftest import ROOT

pytestmark = pytest.mark.slow
ESTIMATES, METRICS = "reports/plots/estimates.csv", "reports/metrics.json"
SPEC = re.compile(r"var spec = (\{.*\});")


def specs(folder) -> list[dict]:
    """The pictures of DVC's page, as Vega-Lite describes them."""
    return [json.loads(found) for found in SPEC.findall((folder / "index.html").read_text())]


def points(spec) -> dict[tuple, list[str]]:
    """By revision, candidate and estimate, the numbers as the page has them."""
    return {
        (each["rev"], each["candidate"], each["estimate"]): [each[name] for name in ("value", "low", "high")]
        for each in spec["data"]["values"]
    }


@pytest.fixture(scope="module")
def changed(reproduced, tmp_path_factory):
    """A copy whose last revision is what `dvc repro` wrote, with other estimates, metrics and one other setting."""
    checkout = reproduced.copy(tmp_path_factory.mktemp("changed") / "heldout")
    params = checkout.path / "params.yaml"
    written = yaml.safe_load(params.read_text())
    params.write_text(yaml.safe_dump(written, sort_keys=False))
    checkout.run("git", "add", "--all")
    checkout.run(
        *("git", "-c", "user.name=Tester", "-c", "user.email=tester@example.org"),
        *("commit", "--quiet", "--allow-empty", "-m", "before"),
    )
    written["candidates"]["logistic"]["params"]["C"] = 0.5
    replace(params, yaml.safe_dump(written, sort_keys=False))
    table = pd.read_csv(checkout.path / ESTIMATES)
    replace(checkout.path / ESTIMATES, table.assign(value=table["value"] + 0.125).to_csv(index=False))
    metrics = json.loads((checkout.path / METRICS).read_text())
    replace(checkout.path / METRICS, json.dumps({**metrics, "winner": "another", "E_cv": 1.5}))
    return checkout


def replace(path, text: str) -> None:
    """Write a file that may be a link into DVC's cache."""
    path.unlink()
    path.write_text(text)


def test_the_page_has_each_estimate_once_with_both_ends_of_its_interval(reproduced, tmp_path):
    reproduced.run("dvc", "plots", "show", "--out", str(tmp_path))
    assert "<img" not in (tmp_path / "index.html").read_text()  # no picture of the same numbers
    estimates, progressive, confusion, roc, *empty = specs(tmp_path)
    found = points(estimates)
    table = pd.read_csv(reproduced.path / "reports/estimates.csv", dtype=str, keep_default_na=False)
    expected = {
        ("workspace", line.candidate, line.estimate): [line.value, line.low, line.high] for line in table.itertuples()
    }
    assert expected == found
    selection = json.loads((reproduced.path / "reports/selection.json").read_text())
    assert {*selection["candidates"]} == {each["candidate"] for each in progressive["data"]["values"]}
    assert selection["rows"]["test"] == sum(int(each["rows"]) for each in confusion["data"]["values"])
    assert {"1"} == {each["class_name"] for each in roc["data"]["values"]}
    assert empty == [{}]  # a support vector machine gives no probabilities


def test_the_pages_of_two_revisions_have_both(changed, tmp_path):
    changed.run("dvc", "plots", "diff", "HEAD", "--out", str(tmp_path))
    found = points(specs(tmp_path)[0])
    before = {key[1:]: numbers for key, numbers in found.items() if key[0] == "HEAD"}
    after = {key[1:]: numbers for key, numbers in found.items() if key[0] == "workspace"}
    assert before
    assert {*before} == {*after}
    for key, (value, *interval) in before.items():
        assert pytest.approx(float(value) + 0.125) == float(after[key][0])
        assert [float(end or "nan") for end in interval] == pytest.approx(
            [float(end or "nan") for end in after[key][1:]], nan_ok=True
        )


def test_what_changed_is_in_numbers_in_words_and_in_single_settings(changed):
    (metrics,) = json.loads(changed.run("dvc", "metrics", "diff", "--json").stdout).values()
    before = json.loads((changed.path / "reports/selection.json").read_text())
    assert {"winner", "E_cv"} == {*metrics}
    assert {"old": before["selected"], "new": "another"} == metrics["winner"]
    assert 1.5 - metrics["E_cv"]["old"] == pytest.approx(metrics["E_cv"]["diff"])
    (params,) = json.loads(changed.run("dvc", "params", "diff", "--json").stdout).values()
    assert {"candidates.logistic.params.C": {"old": 0.1, "new": 0.5, "diff": 0.4}} == params


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_the_page_draws_both_pictures_without_a_network_in_percent_with_the_winner_marked(changed, tmp_path):
    changed.run("dvc", "plots", "diff", "HEAD", "--out", str(tmp_path))
    table = pd.read_csv(changed.path / ESTIMATES)
    winner = json.loads((changed.path / "reports/selection.json").read_text())["selected"]
    asked, failed = [], []
    with opened(width=1400, height=1000) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto((tmp_path / "index.html").as_uri())
        page.locator("figure").first.wait_for()
        keep(page, "dvc_plots")
        captions = page.locator("figcaption").all_inner_texts()
        marks = [*map(str, page.locator("svg title").all_text_contents())]
        drawn = page.locator("svg path[d$=Z] + title").all_text_contents()  # a diamond
    assert [(tmp_path / "index.html").as_uri()] == asked
    assert [] == failed
    estimates = table["estimate"].unique()
    assert {*estimates} == {*captions[: len(estimates)]}
    assert "E_test" == captions[0]
    candidates = table["candidate"][table["candidate"] != "baseline"].unique()
    assert {*candidates} == {*captions[len(estimates) : -3]}
    assert ["HEAD", "workspace", "class 1"] == sorted(captions[-3:], key=["HEAD", "workspace", "class 1"].index)
    line = table[(table["candidate"] == winner) & (table["estimate"] == "E_test")].iloc[0]
    assert f"HEAD: {winner}, E_test {100 * (line['value'] - 0.125):.3g}" in [text.partition(" [")[0] for text in marks]
    assert {winner} == {text.split(": ")[1].partition(",")[0] for text in drawn}
    assert len(drawn) == 2 * (table["candidate"] == winner).sum()


@pytest.mark.fault("markup")
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_a_name_is_text_on_the_page(tmp_path):
    name = "<img src=x onerror=alert(1)>"
    row = {"rev": name, "candidate": name, "estimate": "E_cv", "value": "0.1", "shown": "10", "unit": "%"}
    spec = {"usermeta": {"heldout": "estimates"}, "title": {"text": name}, "data": {"values": [row]}}
    written = json.dumps(spec).replace("<", "\\u003c")
    template = (ROOT / ".dvc/plots/page.html").read_text()
    (tmp_path / "page.html").write_text(
        template.replace("{plot_divs}", f"<div id='a'></div><script>vegaEmbed('#a', {written})</script>")
    )
    with opened((tmp_path / "page.html").as_uri()) as page:
        assert 0 == page.locator("img").count()
        assert name in page.inner_text("h2")


@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
def test_a_picture_of_somebody_else_is_named_and_nothing_is_loaded_for_it(tmp_path):
    template = (ROOT / ".dvc/plots/page.html").read_text()
    assert "http" not in template.replace("http://www.w3.org/2000/svg", "")
    plots = "<div id='a'></div><script>vegaEmbed('#a', {mark: 'line'})</script>"
    (tmp_path / "page.html").write_text(template.replace("{plot_divs}", plots))
    with opened((tmp_path / "page.html").as_uri()) as page:
        assert "dvc config --unset plots.html_template" in page.inner_text("body")
