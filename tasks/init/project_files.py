"""The files of the repository that a new project has, without the lines that name our code; the wheel has them too."""

FILES = (
    ".dvc/.gitignore",
    ".dvc/config",
    ".dvc/plots/candidates.json",
    ".dvc/plots/confusion.json",
    ".dvc/plots/curve.json",
    ".dvc/plots/estimates.json",
    ".dvc/plots/page.html",
    ".dvcignore",
    ".gitignore",
    "data/raw.dvc",
    "data/raw/README.md",
    "dvc.yaml",
    "params.schema.json",
    "params.yaml",
    "prefect.toml",
    "prefect.yaml",
    "quarantine.json",
    "table_checks.yaml",
)
