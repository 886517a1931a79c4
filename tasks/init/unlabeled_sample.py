"""Some rows of the user's unlabelled files, to compare their gaps with those of the labelled rows."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tasks.data import read_source
from tasks.data.text_form import TextForm
from tasks.runtime.errors import UserError

_ENOUGH = 5000  # rows


def read(files: Sequence[Path], text: TextForm) -> pd.DataFrame | None:
    """Some thousand rows of the user's unlabelled files, the small files first; None where no file can be read."""
    frames: list[pd.DataFrame] = []
    for path in sorted(filter(Path.is_file, files), key=lambda path: path.stat().st_size):
        try:
            frames.append(read_source.read_shard(path, text=text).frame)
        except UserError:  # `prepare` refuses it, or skips it, and says why
            continue
        if sum(map(len, frames)) >= _ENOUGH:
            break
    return pd.concat(frames, ignore_index=True) if frames else None
