"""Thirty tables with one planted trap each, as a user would bring them, and what `init` must find in each.

A trap is a leak, a hidden order, groups, numbers written as strings, another separator or an ambiguous date. It is
found if `init` prints a line that starts with the expected word and names the column, or refuses with a message that
does. `studies.trap_finds` runs them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

_ROWS = 1200


@dataclass(frozen=True)
class Trap:
    """A planted table: its text, target, the file's suffix, the words that may start the finding, what it names."""

    name: str
    text: str
    target: str
    words: tuple[str, ...]
    names: str
    suffix: str = ".csv"


def traps() -> list[Trap]:
    """All thirty, each drawn from a seed of its own."""
    return [make(np.random.default_rng(seed)) for seed, make in enumerate(_TRAPS)]


def _regression(rng: np.random.Generator, n: int = _ROWS) -> pd.DataFrame:
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=["a", "b", "c", "d", "e"]).round(4)
    X["y"] = (X["a"] - 2 * X["b"] * X["c"] + rng.normal(size=n)).round(4)
    return X


def _classes(rng: np.random.Generator, n: int = _ROWS) -> pd.DataFrame:
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=["a", "b", "c", "d", "e"]).round(4)
    X["y"] = np.where(X["a"] + X["b"] * X["c"] + rng.normal(size=n) > 0, "malignant", "benign")
    return X


def _leak(name: str, frame: pd.DataFrame, column: str) -> Trap:
    return Trap(name, frame.to_csv(index=False), "y", ("leak", "dropped"), column)


def _sum_of_two(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    frame["casual"], frame["registered"] = rng.poisson(30, _ROWS), rng.poisson(120 + 20 * (frame["a"] > 0))
    frame["y"] = frame["casual"] + frame["registered"]
    return _leak("sum of two columns", frame, "casual")


def _sum_of_three(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    for place, part in enumerate(("rent", "food", "travel")):
        frame[part] = rng.gamma(2 + place, 50, _ROWS).round(2)
    frame["y"] = (frame["rent"] + frame["food"] + frame["travel"]).round(2)
    return _leak("sum of three columns", frame, "rent")


def _difference(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    frame["gross"] = rng.gamma(3, 100, _ROWS).round(2)
    frame["tax"] = (frame["gross"] * rng.uniform(0.1, 0.4, _ROWS)).round(2)
    frame["y"] = (frame["gross"] - frame["tax"]).round(2)
    return _leak("difference of two columns", frame, "gross")


def _other_unit(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    frame["fahrenheit"] = (1.8 * frame["y"] + 32).round(4)
    return _leak("the target in another unit", frame, "fahrenheit")


def _weighted_sum(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    frame["written"], frame["oral"] = rng.integers(0, 100, _ROWS), rng.integers(0, 100, _ROWS)
    frame["y"] = (0.7 * frame["written"] + 0.3 * frame["oral"]).round(2)
    return _leak("weighted sum of two columns", frame, "written")


def _class_in_code(rng: np.random.Generator) -> Trap:
    frame = _classes(rng)
    frame["sample"] = [
        f"{'ATRINS' if y == 'benign' else 'MTRINS'}-DONOR-{rng.integers(1, 999)}-{number}"
        for number, y in enumerate(frame["y"])
    ]
    return _leak("class in the code of a sample", frame, "sample")


def _class_in_text(rng: np.random.Generator) -> Trap:
    frame = _classes(rng)
    words = np.array(["cell", "tissue", "margin", "node", "scan", "left", "right", "upper", "lower", "clear"])
    frame["note"] = [f"{' '.join(rng.choice(words, 9))} finding {y}" for y in frame["y"]]
    return _leak("name of the class in a text", frame, "note")


def _class_in_prefix(rng: np.random.Generator) -> Trap:
    frame = _classes(rng)
    frame["ref"] = [f"{y[:3].upper()}{rng.integers(10**6):06d}" for y in frame["y"]]
    return _leak("short name of the class in a reference", frame, "ref")


def _class_in_path(rng: np.random.Generator) -> Trap:
    frame = _classes(rng)
    frame["file"] = [f"/scans/{y}/{number:05d}.png" for number, y in enumerate(frame["y"])]
    return _leak("class in a path", frame, "file")


def _recoded(rng: np.random.Generator) -> Trap:
    frame = _classes(rng)
    code = np.where(frame["y"] == "benign", rng.choice(["C1", "C2"], _ROWS), rng.choice(["D1", "D2", "D3"], _ROWS))
    return _leak("class in a category", frame.assign(code=code), "code")


def _counter_follows_target(rng: np.random.Generator) -> Trap:
    frame = _regression(rng).sort_values("y")
    frame["record"] = 10_000 + np.arange(_ROWS)
    return _leak("identifier in the order of the target", frame.sample(frac=1, random_state=1), "record")


def _counter_follows_class(rng: np.random.Generator) -> Trap:
    frame = _classes(rng).sort_values("y")
    frame["record"] = 10_000 + np.arange(_ROWS)
    return _leak("identifier in the order of the classes", frame.sample(frac=1, random_state=1), "record")


def _time_follows_class(rng: np.random.Generator) -> Trap:
    frame = _classes(rng).sort_values("y")
    frame["entered"] = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.arange(_ROWS), unit="min")
    return _leak("time of entry in the order of the classes", frame.sample(frac=1, random_state=1), "entered")


def _filled_in_later(rng: np.random.Generator) -> Trap:
    frame = _classes(rng)
    frame["therapy"] = np.where(frame["y"] == "malignant", rng.choice(["A", "B"], _ROWS), "")
    return _leak("filled in for one class alone", frame, "therapy")


def _near_copy(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    frame["estimate"] = (frame["y"] + rng.normal(scale=1e-3, size=_ROWS)).round(4)
    return _leak("target with a little noise", frame, "estimate")


def _patients(rng: np.random.Generator, rows: int, name: Callable[[int], int | str]) -> pd.DataFrame:
    patients = _ROWS // rows
    of_patient = np.repeat(np.arange(patients), rows)
    centre, ill = rng.normal(size=(patients, 5)), rng.random(patients) < 0.45
    X = centre[of_patient] + 0.1 * rng.normal(size=(len(of_patient), 5))
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d", "e"]).round(4)
    shift = 0.5 * ill[of_patient]
    frame["a"] += shift
    frame["patient"] = pd.Series([name(int(patient)) for patient in of_patient])
    frame["y"] = np.where(ill[of_patient], "ill", "well")
    return frame


def _grouped(name: str, frame: pd.DataFrame, column: str) -> Trap:
    return Trap(name, frame.to_csv(index=False), "y", ("groups",), column)


def _three_rows_a_patient(rng: np.random.Generator) -> Trap:
    frame = _patients(rng, 3, lambda patient: 1000 + 7 * patient).sample(frac=1, random_state=2)
    return _grouped("three rows a patient, numbers", frame, "patient")


def _named_patients(rng: np.random.Generator) -> Trap:
    frame = _patients(rng, 6, lambda patient: f"P-{patient:04d}").sample(frac=1, random_state=2)
    return _grouped("six rows a patient, codes", frame, "patient")


def _augmented(rng: np.random.Generator) -> Trap:
    frame = _patients(rng, 12, lambda patient: f"img{patient:03d}")
    return _grouped("near copies of an image, in order", frame.rename(columns={"patient": "image"}), "image")


def _stream(name: str, frame: pd.DataFrame, column: str) -> Trap:
    return Trap(name, frame.to_csv(index=False), "y", ("time", "groups"), column)


def _drift(rng: np.random.Generator, batches: int) -> tuple[pd.DataFrame, np.ndarray]:
    batch = np.arange(_ROWS) * batches // _ROWS
    centre = np.cumsum(rng.normal(scale=1.2, size=(batches, 5)), axis=0)
    turn = np.cumsum(rng.normal(scale=0.5, size=(batches, 5)), axis=0)
    z = rng.normal(size=(_ROWS, 5))
    score = (z * (np.array([1.5, 0, 0, 0, 0]) + turn[batch])).sum(axis=1)
    frame = pd.DataFrame(z + centre[batch], columns=["a", "b", "c", "d", "e"]).round(4)
    return frame.assign(y=np.where(score > 0, "gas", "air")), batch


def _rising_batch(rng: np.random.Generator) -> Trap:
    batch, gas = np.arange(_ROWS) * 10 // _ROWS, rng.integers(0, 2, _ROWS)
    level, answer = rng.normal(scale=1.5, size=(10, 5)), rng.normal(size=(10, 5)) + 3  # of the sensors
    X = level[batch] + answer[batch] * gas[:, None] + rng.normal(scale=0.7, size=(_ROWS, 5))
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d", "e"]).round(4)
    frame["batch"], frame["y"] = batch + 1, np.where(gas == 1, "gas", "air")
    return _stream("batch that rises down the file", frame, "batch")


def _drifting_dates(rng: np.random.Generator) -> Trap:
    frame, _ = _drift(rng, 60)
    frame["day"] = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(_ROWS), unit="D")
    return _stream("drift along a date", frame, "day")


def _counted_stream(rng: np.random.Generator) -> Trap:
    level = np.cumsum(rng.normal(size=_ROWS))
    frame = pd.DataFrame({"No": np.arange(1, _ROWS + 1), "wind": rng.normal(size=_ROWS).round(3)})
    frame["heat"] = (np.sin(level / 5) + rng.normal(scale=0.3, size=_ROWS)).round(3)
    frame["y"] = (20 + level + 0.3 * frame["wind"] + rng.normal(scale=0.2, size=_ROWS)).round(3)
    return _stream("rows counted along a random walk", frame, "No")


def _comma(values: pd.Series) -> pd.Series:
    return values.map(lambda value: f"{value:.2f}".replace(".", ","))


def _parsed(name: str, frame: pd.DataFrame, column: str, target: str = "y") -> Trap:
    return Trap(name, frame.to_csv(index=False), target, ("parsed",), column)


def _comma_target(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    return _parsed("target with quoted decimal commas", frame.assign(y=_comma(frame["y"])), "y")


def _dollar_target(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    price = (100_000 + 20_000 * frame["y"]).abs().round().astype(int)
    return _parsed("target in dollars", frame.assign(y=price.map(lambda value: f"${value:,}")), "y")


def _percent_feature(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    return _parsed("feature in percent", frame.assign(a=frame["a"].map(lambda value: f"{10 * value:.1f} %")), "a")


def _spaced_thousands(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    spaced = (50_000 + 9_000 * frame["b"]).round().astype(int).map(lambda value: f"{value:,}".replace(",", " "))
    return _parsed("feature with spaces between thousands", frame.assign(b=spaced), "b")


def _found(name: str, text: str, names: str, suffix: str = ".csv") -> Trap:
    return Trap(name, text, "y", ("found", "parsed"), names, suffix)


def _semicolons(rng: np.random.Generator) -> Trap:
    return _found(
        "semicolons and decimal commas", _regression(rng).to_csv(index=False, sep=";", decimal=","), "semicolon"
    )


def _tabs(rng: np.random.Generator) -> Trap:
    return _found("tabs in a file called .csv", _regression(rng).to_csv(index=False, sep="\t"), "tab")


def _bars(rng: np.random.Generator) -> Trap:
    return _found("vertical bars", _regression(rng).to_csv(index=False, sep="|"), "bar", ".txt")


def _ambiguous_dates(rng: np.random.Generator) -> Trap:
    frame = _regression(rng)
    days = pd.Timestamp("2011-01-01") + pd.to_timedelta(rng.integers(0, 12, _ROWS) * 31, unit="D")
    frame["day"] = [f"{rng.integers(1, 13):02d}/{day.month:02d}/{day.year % 100:02d}" for day in days]
    return Trap(
        "dates that may start with day or month", frame.to_csv(index=False), "y", ("error", "dropped"), "dayfirst"
    )


def _too_many_classes(rng: np.random.Generator) -> Trap:
    frame = _classes(rng).assign(y=[f"customer {rng.integers(400)}" for _ in range(_ROWS)])
    return Trap("a target of hundreds of classes", frame.to_csv(index=False), "y", ("error",), "classes")


_TRAPS = (
    *(_sum_of_two, _sum_of_three, _difference, _other_unit, _weighted_sum),
    *(_class_in_code, _class_in_text, _class_in_prefix, _class_in_path, _recoded),
    *(_counter_follows_target, _counter_follows_class, _time_follows_class, _filled_in_later, _near_copy),
    *(_three_rows_a_patient, _named_patients, _augmented),
    *(_rising_batch, _drifting_dates, _counted_stream),
    *(_comma_target, _dollar_target, _percent_feature, _spaced_thousands, _semicolons, _tabs, _bars),
    *(_ambiguous_dates, _too_many_classes),
)
