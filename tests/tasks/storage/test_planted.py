"""Files that somebody else put in place of ours: no pickle in them is read, none unpacks to more than the memory."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
import skops.io
from sklearn.naive_bayes import GaussianNB

from tasks.data.read_source import read_table
from tasks.storage import files, model_file, parquet
from tests.tasks.mistakes import assert_refused

pytestmark = pytest.mark.fault("hostile")


class Runs:
    """A pickle that runs a program when it is read."""

    def __reduce__(self):
        return os.system, ("touch ran",)


def planted(path: Path) -> None:
    """A table whose columns name extension types by a pickle, as older versions of pyarrow loaded them."""
    pickled = {b"ARROW:extension:name": b"arrow.py_extension_type", b"ARROW:extension:metadata": pickle.dumps(Runs())}
    names = ("x", files.TARGET)
    schema = pa.schema([pa.field(name, pa.int64(), metadata=pickled) for name in names])
    path.parent.mkdir(parents=True, exist_ok=True)
    pa.parquet.write_table(pa.table([[1, 2], [0, 1]], schema=schema), path)


@pytest.mark.filterwarnings("ignore")
def test_no_pickle_in_a_table_is_read():
    for path in (files.LABELED, Path("data/raw/table.parquet"), Path("shard-00000.parquet")):
        planted(path)
    for read in (
        lambda: files.read_table(files.LABELED),
        lambda: read_table("data/raw/table.parquet"),
        lambda: parquet.whole(Path("shard-00000.parquet")),
        lambda: parquet.dtypes(files.LABELED),
    ):
        read()
        assert not Path("ran").exists()


def test_a_model_that_unpacks_to_more_than_a_model_of_its_size_is_refused():
    model = skops.io.dumps(GaussianNB().fit([[0.0], [1.0]], [0, 1]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(model)) as read, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in read.namelist():
            archive.writestr(name, read.read(name))
        archive.infolist()[0].file_size = 10**14
    Path("model.skops").write_bytes(buffer.getvalue())
    assert_refused(lambda: model_file.load(Path("model.skops")), "model.skops", 100_000_000, "unpacks")
