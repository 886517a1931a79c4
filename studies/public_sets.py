"""Twenty-five public data sets: fifteen in a folder of files, and ten that scikit-learn and river carry.

Five further tables of these packages are for `init` alone.
"""

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

FOLDER = Path(os.environ.get("HELDOUT_DATA", Path(__file__).parents[2] / "shared/data"))  # of the files
# name: file below the folder, target
IN_FILES = {
    "votes": ("votes/house_votes_84.csv", "party"),
    "chess_kr_vs_kp": ("chess_kr_vs_kp/kr_vs_kp.csv", "class"),
    "adult": ("adult/adult_train.parquet", "income"),
    "optdigits": ("optdigits/optdigits_train.csv", "digit"),
    "lfd_digits": ("lfd_digits/features_train.csv", "digit"),
    "news20_baseball_hockey": ("news20_baseball_hockey/news20_baseball_hockey.parquet", "label"),
    "news20_religion": ("news20_religion/news20_religion.parquet", "label"),
    "reuters_top10": ("reuters_top10/reuters_modapte_top10.parquet", "label"),
    "electricity_elec2": ("electricity_elec2/elec2.parquet", "class"),
    "occupancy": ("occupancy/occupancy_detection.csv", "Occupancy"),
    "spambase": ("spambase/spambase.csv", "class"),
    "letter": ("letter/letter.csv", "class"),
    "german_credit": ("german_credit/german_credit.csv", "class"),
    "wine_quality": ("wine_quality/wine_quality.csv", "quality"),
    "california_housing": ("california_housing/california_housing.csv", "medianHouseValue"),
}
# name: file in the package river, target; a set of scikit-learn has no file
IN_PACKAGES = {
    "breast_cancer": (None, "target"),
    "wine": (None, "target"),
    "digits": (None, "target"),
    "diabetes": (None, "target"),
    "phishing": ("phishing.csv.gz", "is_phishing"),
    "segment": ("segment.csv.zip", "category"),
    "trump_approval": ("trump_approval.csv.gz", "five_thirty_eight"),
    "shuttle": ("shuttle.csv.gz", "anomaly"),
    "sp500": ("sp500.csv.gz", "next_day_return"),
    "chick_weights": ("chick-weights.csv", "weight"),
}
NAMES = (*IN_FILES, *IN_PACKAGES)
FURTHER = {
    "iris": (None, "target"),
    "solar_flare": ("solar-flare.csv.zip", "c-class-flares"),
    "yeast": ("yeast.csv.gz", "Class1"),
    "water_flow": ("water-flow.csv", "Water flow [l/s]"),
    "airline_passengers": ("airline-passengers.csv", "passengers"),
}
# what is true of a set, as first words of `init`: these findings are no false alarms
TRUE_FINDINGS = {
    "news20_baseball_hockey": {"leak"},
    "news20_religion": {"leak"},
    "reuters_top10": {"leak", "time"},
    "electricity_elec2": {"time"},
    "occupancy": {"time"},
    "trump_approval": {"time"},
    "sp500": {"time"},
    "chick_weights": {"time", "groups"},
    "california_housing": {"groups"},
    "water_flow": {"time"},
    "airline_passengers": {"time"},
}
# what is true of a set, as a part of the text of a finding that asks for care
TRUE_REMARKS = {
    "wine_quality": ("whole numbers 3 to 9",),  # grades of people, the rarest five times
    "solar_flare": ("whole numbers 0 to 8",),  # a count of flares
    "california_housing": ("labels of neighbouring rows are alike",),  # in the order of places
}


@dataclass(frozen=True)
class PublicSet:
    """The file of a set, and its target."""

    path: Path
    target: str


def find(name: str, data: Path, scratch: Path) -> PublicSet:
    """The set `name`: below the folder `data`, or written from a package into the folder `scratch`."""
    if name in IN_FILES:
        file, target = IN_FILES[name]
        return PublicSet(data / file, target)
    file_in_package, target = {**IN_PACKAGES, **FURTHER}[name]
    path = scratch / f"{name}.csv"
    _frame(name, file_in_package).to_csv(path, index=False)
    return PublicSet(path, target)


def _frame(name: str, file: str | None) -> pd.DataFrame:
    if file is None:
        from sklearn import datasets

        frame: pd.DataFrame = getattr(datasets, f"load_{name}")(as_frame=True).frame
        return frame
    import river.datasets

    path = Path(river.datasets.__file__).parent / file
    if path.suffix != ".zip":
        return pd.read_csv(path)
    with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as member:
        return pd.read_csv(member)
