"""The notebook of the documentation, executed by a kernel as in Jupyter: its table, its picture and its bar."""

import base64
import os
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

from tests.end_to_end.browser import CHROMIUM, keep, opened

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "example.ipynb"  # where a kernel of any editor finds the package, since it starts in this folder
# the pictures of docs/pages, and how the cells begin that show them
SHOWN = {"audit": "heldout.audit(", "validation": "v = heldout.validate", "plot": "v.plot()"}
INKS = """[...document.querySelectorAll('svg text, .strip span, th, dd')].map(one =>
    getComputedStyle(one)[one.closest('svg') ? 'fill' : 'color'])"""
SLOW = """
import sys, time

class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.4)
        return super().fit(X, y)

print("matplotlib.pyplot" in sys.modules)
how = {"folds": 4, "estimates": ["E_in", "E_prog"], "shortcuts": "off"}
made = heldout.validate({"slow": Slow()}, labeled, diagnosis[labeled.index], **how)
"""


def outputs_of(book: nbformat.NotebookNode, source: str) -> list:
    """The outputs of the cell with this source."""
    (outputs,) = [cell.outputs for cell in book.cells if cell.source.strip() == source.strip()]
    return outputs


@pytest.fixture(scope="module")
def executed(tmp_path_factory) -> nbformat.NotebookNode:
    book = nbformat.read(NOTEBOOK, as_version=4)
    assert [] == [cell.id for cell in book.cells if cell.get("outputs") or cell.get("execution_count")]
    book.cells.append(nbformat.v4.new_code_cell(SLOW))
    home = str(tmp_path_factory.mktemp("jupyter"))
    apart = {"IPYTHONDIR": home, "JUPYTER_RUNTIME_DIR": home, "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", home)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in apart.items():
            patch.setenv(name, value)
        patch.delenv("MPLBACKEND", raising=False)
        client = nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(NOTEBOOK.parent)}})
        made = client.execute()
    nbformat.write(made, Path(home) / "executed.ipynb")  # to look at
    return made


@pytest.mark.slow
def test_a_validation_is_a_table_and_one_line_of_text(executed):
    outputs = next(cell.outputs for cell in executed.cells if "v = heldout.validate" in cell.source)
    (shown,) = [output for output in outputs if "data" in output]  # next to the bar on a slow machine
    assert shown.data["text/plain"].startswith("<Validation: 3 candidates, 300 rows; lda: E_cv ")
    html = shown.data["text/html"]
    assert 1 == html.count("<table>")
    assert all(f'<th scope="row">{name}' in html for name in ("naive bayes", "lda", "tree", "baseline"))


@pytest.mark.slow
def test_the_picture_is_shown_where_pyplot_was_never_imported(executed):
    (shown,) = outputs_of(executed, "v.plot()")
    assert base64.b64decode(shown.data["image/png"]).startswith(b"\x89PNG")
    assert shown.metadata["image/png"]["width"] > 500
    said = [output for output in outputs_of(executed, SLOW) if output.name == "stdout"]
    assert ["False\n"] == [output.text for output in said]


@pytest.mark.slow
@pytest.mark.picture
@pytest.mark.skipif(CHROMIUM is None, reason="needs the browser chromium on the PATH")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_what_cells_show_has_the_colours_of_a_light_and_a_dark_notebook(executed, tmp_path, dark):
    ground, ink = ("#111", "rgb(224, 224, 224)") if dark else ("#fff", "rgb(29, 29, 31)")
    style = f"margin:0;padding:1em;background:{ground};color:{ink};font:14px sans-serif"
    with opened(width=980, color_scheme="dark" if dark else "light") as page:
        for name, start in SHOWN.items():
            outputs = next(cell.outputs for cell in executed.cells if start in cell.source)
            (html,) = [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]
            path = tmp_path / f"{name}.html"
            path.write_text(f'<!doctype html><meta charset="utf-8"><body style="{style}">{html}', encoding="utf-8")
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 980
            assert {ink} >= {*page.evaluate(INKS)} - {"rgb(40, 120, 200)"}  # and the accent of the strip
            if not dark:
                keep(page, f"notebook_{name}", of="body")


@pytest.mark.slow
def test_the_fits_of_a_run_of_more_than_a_second_have_a_bar(executed):
    bar = "".join(output.text for output in outputs_of(executed, SLOW) if output.name == "stderr")
    assert "slow" in bar
    assert re.search(r"(\d+) of \1 fits", bar)


@pytest.mark.slow
def test_the_estimates_are_a_frame_of_pandas_and_the_choice_a_name(executed):
    (frame,) = next(cell.outputs for cell in executed.cells if cell.source.startswith("v.to_frame()"))
    assert 4 == frame.data["text/html"].count("<td>E_cv</td>")
    (chosen,) = next(cell.outputs for cell in executed.cells if cell.source.startswith("v.select("))
    assert chosen.data["text/plain"] in ("'naive bayes'", "'lda'", "'tree'")
