"""What strangers see of the package before they install it: its page on an index, and its conda package."""

import email
import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt

import heldout

ROOT = Path(__file__).parents[2]
CONTENT = "import json, sys; from rattler_build import Package; p = Package.from_file(sys.argv[1]); "
CONTENT += "print(json.dumps({'depends': p.depends, 'files': [str(f) for f in p.files], 'noarch': str(p.noarch)}))"


def addresses(text: str) -> list[str]:
    """Where the links and pictures of a Markdown text lead."""
    found = []
    for block in MarkdownIt("commonmark").enable("table").parse(text):
        found += [part.attrs.get("href") or part.attrs.get("src") for part in block.children or () if part.attrs]
    return found


@pytest.mark.slow
def test_the_page_of_an_index_has_the_readme_without_a_dead_link(wheel):
    with zipfile.ZipFile(wheel) as file:
        (name,) = [name for name in file.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(file.read(name))
    assert "text/markdown" == metadata["Description-Content-Type"]
    readme, shown = (ROOT / "README.md").read_text(encoding="utf-8"), metadata.get_payload(decode=True).decode()
    assert len([to for to in addresses(readme) if not urlsplit(to).scheme]) > 15
    assert [] == [to for to in addresses(shown) if urlsplit(to).scheme not in ("http", "https")]
    assert re.findall(r"^#+ .*", readme, re.MULTILINE) == re.findall(r"^#+ .*", shown, re.MULTILINE)
    assert readme.count("```") == shown.count("```")
    assert "the method |" in shown  # the words of a link stay


@pytest.mark.long
@pytest.mark.skipif(shutil.which("unzip") is None, reason="the recipe needs unzip")
def test_the_conda_package_has_the_files_of_the_wheel(wheel, tmp_path):
    """It is built as `make conda` builds it: from the wheel, without a channel."""
    shutil.copytree(ROOT / "conda", tmp_path / "conda")
    (tmp_path / "dist").mkdir()
    shutil.copy(wheel, tmp_path / "dist")
    rattler = re.search(r"^RATTLER := (\S+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]
    alone = ["uv", "run", "--quiet", "--isolated", "--no-project", "--with", rattler, "python"]
    built = subprocess.run([*alone, "conda/build.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"/noarch/heldout-{re.escape(heldout.__version__)}-\w+\.conda$", built.strip())
    ran = subprocess.run([*alone, "-c", CONTENT, built.strip()], capture_output=True, text=True, check=True)
    package = json.loads(ran.stdout)
    with zipfile.ZipFile(wheel) as file:
        expected = {f"site-packages/{name}" for name in file.namelist()}
    extra = {f"site-packages/heldout-{heldout.__version__}.dist-info/INSTALLER"}
    assert expected | extra == {*package["files"]}
    assert "python" == package["noarch"].lower().rpartition(".")[2]
