"""The packages of the wheel: heldout, and flows and tasks below heldout_pipeline, which takes no general name.

heldout_pipeline is the checkout without the science: what it holds has the places that it has here.
"""

import runpy

from setuptools import find_packages, setup

setup(
    script_name="setup.py",  # no module of heldout_pipeline, whose folder is this one
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
