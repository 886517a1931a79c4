"""Build the conda package of recipe.yaml from the wheel in dist/, into dist/conda: `make conda`.

It is alone in an environment with py-rattler-build, and asks no channel.
"""

from pathlib import Path

from rattler_build import Stage0Recipe

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "dist/conda"


def main() -> None:
    """Print the path of each package."""
    for built in Stage0Recipe.from_file(HERE / "recipe.yaml").run_build(output_dir=OUTPUT, channels=[]):
        print(*built.packages, sep="\n")


if __name__ == "__main__":
    main()
