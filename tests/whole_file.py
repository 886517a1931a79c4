"""params.yaml with every key: the shipped file, and the default of each key that it leaves out."""

from pathlib import Path
from typing import Any

import yaml

from tasks.params import load
from tasks.params.by_name import KEY, listed

SHIPPED = Path(__file__).parents[1] / "params.yaml"


def whole() -> dict[str, Any]:
    """The values by section and key; the candidates are a list, as short as the file has them."""
    written = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    return {**load(SHIPPED).model_dump(), KEY: listed(written[KEY])}
