"""What a logged model takes along of heldout: the rooms that its classes import, in one compressed file.

MLflow puts the folder before all others on the import path of who loads the model, for all that this process imports
later. So the folder gives way to a heldout that is installed there.
"""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import heldout

# those of which a saved model may name a class, and those below them
ROOMS = (
    *("errors", "extensions", "family", "hypotheses", "installed", "intervals", "learners", "losses", "native_columns"),
    *("online", "preprocessing", "printable", "records", "rows", "schemes", "seeds", "selection", "several_labels"),
    "splits",
)
_MODULES = "modules.zip"
_GIVE_WAY = f'''

def _give_way() -> None:
    """This is the copy of a logged model: where heldout is installed, that is `heldout`."""
    import sys
    from pathlib import Path

    copy, places = sys.modules.pop(__name__), sys.path
    sys.path = [place for place in places if not Path(place, __name__, "{_MODULES}").exists()]
    try:
        import_module(__name__)
    except ModuleNotFoundError:
        sys.modules[__name__] = copy
        __path__[:] = [str(Path(__file__).with_name("{_MODULES}"))]
    finally:
        sys.path = places


_give_way()
'''


def packed(folder: Path) -> Path:
    """Write the package below `folder`; returns its own folder. The same source makes the same bytes."""
    source, home = Path(heldout.__file__).parent, folder / heldout.__name__
    home.mkdir()
    (home / "__init__.py").write_text((source / "__init__.py").read_text(encoding="utf-8") + _GIVE_WAY, "utf-8")
    with ZipFile(home / _MODULES, "w") as modules:
        for file in sorted(source.rglob("*.py")):
            place = file.relative_to(source)
            if place.parts[0].removesuffix(".py") in ROOMS:
                modules.writestr(ZipInfo(place.as_posix()), file.read_bytes(), ZIP_DEFLATED, 9)
    return home
