"""The packages of the wheel: heldout, and flows and tasks below heldout_pipeline, which takes no general name.

heldout_pipeline is the checkout without the science: what it holds has the places that it has here.
"""

import re
import runpy
from pathlib import Path

from setuptools import find_packages, setup


def description() -> str:
    """The README for the page of an index, where the files of the repository are not: their links become plain text.

    The repository has no public address that they could lead to; pictures go.
    """
    text = Path("README.md").read_text(encoding="utf-8")
    text = re.sub(r"(?:!\[[^]]*\]\((?!https?:)[^)]*\)|<picture>.*?</picture>)\n+", "", text, flags=re.DOTALL)
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


setup(
    script_name="setup.py",  # no module of heldout_pipeline, whose folder is this one
    long_description=description(),
    long_description_content_type="text/markdown",
    packages=[
        *find_packages(include=["heldout", "heldout.*"]),
        "heldout_pipeline",
        *(f"heldout_pipeline.{name}" for name in find_packages(include=["flows", "tasks", "tasks.*"])),
    ],
    package_dir={"heldout_pipeline": "."},
    include_package_data=False,
    package_data={
        "heldout": ["py.typed"],
        "heldout_pipeline": [*runpy.run_path("tasks/init/project_files.py")["FILES"]],
        "heldout_pipeline.tasks.report": ["*.css", "*.j2"],
    },
)
