"""The commands and the flows: what each of our processes imports first."""

import os
import shutil
import sys
from pathlib import Path

_ROOM = 16_000_000  # bytes: twice what is compiled of this code

# CPython 3.11 leaves a compiled file cut short where the disk is full: every later import of it ends with an EOFError
if shutil.disk_usage(Path(__file__).parent).free < _ROOM:
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
