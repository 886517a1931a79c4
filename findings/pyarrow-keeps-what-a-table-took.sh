#!/usr/bin/env bash
# pyarrow 26.0.1: the memory of a process that has read a Parquet file of 400 MB, and needs the table no more.
#
# Expected: Arrow counts no byte as allocated, so the process is about as large as before.
# Seen: it keeps more than a gigabyte, over twice the table, for the next one (its allocator is mimalloc): after
# `to_pandas` and `del` of both. With MIMALLOC_PURGE_DELAY=0 in the environment it is back at once, and its peak is lower
# too; `pyarrow.default_memory_pool().release_unused()` gives it back afterwards.
# What it would do to a user: a worker or a server that once read a large table is as large ever after; limits and
# sums of memory count what nobody uses.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check 'pyarrow==26.0.1' 'pandas==3.1.1' 'numpy==2.4.6' 'psutil==7.1.3'
cd "$work"
env/bin/python -c '
import numpy as np, pyarrow as pa, pyarrow.parquet as pq
rng = np.random.default_rng(0)
table = pa.table({f"x{place}": rng.standard_normal(1_000_000) for place in range(50)})
pq.write_table(table, "table.parquet", row_group_size=100_000)'
cat >read.py <<'PY'
import gc
import resource
import sys

import pandas  # noqa: F401  # to_pandas loads it
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

size = lambda: psutil.Process().memory_info().rss / 1e9
before = size()
table = pq.read_table("table.parquet", use_threads=False)
frame = table.to_pandas()
del table, frame
gc.collect()
kept, allocated = size() - before, pa.total_allocated_bytes() / 1e9
pa.default_memory_pool().release_unused()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(f"{pa.default_memory_pool().backend_name}: kept {kept:.2f} GB with {allocated:.2f} allocated; "
      f"after release_unused {size() - before:.2f}; peak {peak:.2f}", file=sys.stderr)
print(kept, size() - before)
PY
default=$(env/bin/python read.py)
at_once=$(MIMALLOC_PURGE_DELAY=0 env/bin/python read.py)
env/bin/python - $default $at_once <<'PY'
import sys

kept, released, kept_at_once, _ = map(float, sys.argv[1:])
assert kept > 0.4 and released < 0.2 and kept_at_once < 0.2, "the behaviour has changed"
PY
