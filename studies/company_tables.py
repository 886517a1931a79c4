"""Twenty-four tables as companies export them, most with several traps, and what `init` must find in each.

What is expected is what a careful reader of the file would ask about, written down before `init` saw it. A table with
nothing expected is honest. `studies.trap_finds` gives them to `init`.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from studies.company_table import CompanyTable, cells, expect, german, text, workbook

Rng = np.random.Generator
_TOWNS = ("Köln", "München", "Düsseldorf", "Berlin", "Hamburg", "Nürnberg", "Münster", "Leipzig")


def company_tables() -> list[CompanyTable]:
    """All of them, each drawn from a seed of its own."""
    return [make(np.random.default_rng(1000 + seed)) for seed, make in enumerate(_TABLES)]


def _chosen(rng: Rng, score: NDArray[np.floating], share: float) -> NDArray[np.bool_]:
    """The rows with the largest scores, with noise, of which there is such a share."""
    noisy = score + rng.logistic(size=len(score))
    return np.asarray(noisy > np.quantile(noisy, 1 - share))


def _with_share(rng: Rng, rows: NDArray[np.bool_], inside: float, outside: float = 0.0) -> NDArray[np.bool_]:
    """A mark that such shares of the rows and of the others have."""
    return rng.random(len(rows)) < np.where(rows, inside, outside)


def _where(rows: NDArray[np.bool_], values: NDArray[np.str_]) -> NDArray[np.object_]:
    """The values in the rows, and gaps in the others."""
    return np.asarray([value if here else None for here, value in zip(rows, values, strict=True)], dtype=object)


def _yes(rows: NDArray[np.bool_]) -> NDArray[np.str_]:
    return np.where(rows, "yes", "no")


def _churn(rng: Rng) -> CompanyTable:
    """Months of customers, each with a number of 17 digits; the reason of the cancellation, and a call to keep them."""
    of_row = rng.permutation(np.repeat(np.arange(1500), rng.integers(1, 4, 1500)))
    rows = len(of_row)
    level, use = rng.normal(size=(2, 1500))
    left = _chosen(rng, 1.2 * use, 0.42)[of_row]
    frame = pd.DataFrame(
        {
            "Kundennummer": rng.integers(10**16, 10**17, 1500)[of_row],
            "Ort": rng.choice(_TOWNS, rows),
            "Umsatz": (60 + 15 * level[of_row] + rng.normal(size=rows)).round(2),
            "Nutzung": (20 + 5 * use[of_row] + 0.4 * rng.normal(size=rows)).round(2),
            "Anrufe": rng.poisson(2, rows),
            "Haltegespräch": np.where(_with_share(rng, left, 0.8, 0.08), "ja", "nein"),
            "Kündigungsgrund": _where(_with_share(rng, left, 0.95), rng.choice(["Preis", "Umzug"], rows)),
            "gekündigt": np.where(left, "ja", "nein"),
        }
    )
    return CompanyTable(
        "churn, months of customers",
        "kunden.csv",
        german(frame),
        "gekündigt",
        (
            expect("semicolons", "found", "semicolon"),
            expect("decimal commas", "found parsed", "decimal comma"),
            expect("Windows-1252", "found", "Windows-1252"),
            expect("customers repeat", "groups", "Kundennummer"),
            expect("filled for 95 % of those who left", "leak", "Kündigungsgrund"),
            expect("a leak with noise", "found leak", "alone", "Haltegespräch"),
        ),
    )


def _machines(rng: Rng) -> CompanyTable:
    """Readings of machines in units, with -999 where a sensor was silent; an eighth fail."""
    machine = np.repeat(np.arange(150), 10)
    rows = len(machine)
    wear = rng.normal(size=150)
    pressure = 4 + 0.6 * wear[machine] + 0.05 * rng.normal(size=rows)
    heat = 70 + 6 * rng.normal(size=150)[machine] + 0.5 * rng.normal(size=rows)
    shaking = (3 + np.abs(rng.normal(size=rows))).round(2)
    frame = pd.DataFrame(
        {
            "machine": [f"M-{number:03d}" for number in machine],
            "plant": "Werk 2",
            "pressure": [f"{value:.2f} bar" for value in pressure],
            "temperature": [f"{value:.1f} °C" for value in heat],
            "vibration": np.where(rng.random(rows) < 0.06, -999, shaking),
            "rpm": rng.integers(900, 3000, rows),
            "failed": _yes(_chosen(rng, 2.5 * wear, 0.13)[machine]),
        }
    )
    return CompanyTable(
        "machines, with units and -999",
        "machines.csv",
        text(frame.sample(frac=1, random_state=1), ";"),
        "failed",
        (
            expect("semicolons", "found", "semicolon"),
            expect("a unit, bar", "parsed", "pressure", "bar"),
            expect("a unit, °C", "parsed", "temperature", "°C"),
            expect("-999 means missing", "found", "-999", "vibration"),
            expect("machines repeat", "groups", "machine"),
            expect("a constant column", "dropped", "plant", "constant"),
            expect("a rare class", "found", "13", "% are yes"),
        ),
    )


def _leads(rng: Rng) -> CompanyTable:
    """Leads of a sales department; those that are open have no label, and nothing that is known at the end."""
    rows, is_open = 2400, np.arange(2400) >= 1800
    size, visits = rng.lognormal(3, 1, rows), rng.poisson(4, rows)
    won = _chosen(rng, 0.5 * visits + np.log(size), 0.35)
    days = np.where(is_open, np.nan, rng.integers(3, 90, rows))
    frame = pd.DataFrame(
        {
            "lead_id": [f"L{number:06d}" for number in 31 * np.arange(rows) + 5],
            "source": rng.choice(["web", "fair", "referral", "cold call"], rows),
            "employees": size.round().astype(int) + 1,
            "visits": visits,
            "days_to_close": days,
            "invoice_amount": np.where(won & ~is_open, (900 * size).round(2), np.nan),
            "won": _where(~is_open, _yes(won)),
        }
    )
    return CompanyTable(
        "leads, the open ones without a label",
        "leads.csv",
        text(frame),
        "won",
        (
            expect("rows without a label", "600", "no label"),
            expect("an identifier", "dropped", "lead_id"),
            expect("known at the end alone", "leak", "days_to_close", "known_after"),
            expect("filled for won leads alone", "leak", "invoice_amount"),
        ),
    )


def _subscriptions(rng: Rng) -> CompanyTable:
    """The labelled rows, and two files of this month's rows: without one column, and with gaps in another."""

    def rows_of(rows: int) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
        months, use = rng.integers(1, 60, rows), rng.normal(size=rows).round(3)
        left = _chosen(rng, use - months / 30, 0.3)
        frame = pd.DataFrame(
            {
                "months": months,
                "usage": use,
                "plan": rng.choice(["basic", "plus", "pro"], rows),
                "age": rng.integers(18, 80, rows),
                "offer_at_exit": _yes(_with_share(rng, left, 0.7, 0.2)),
            }
        )
        return frame, left

    labeled, left = rows_of(1600)
    (first, _), (second, _) = rows_of(400), rows_of(400)
    shards = [shard.drop(columns="offer_at_exit") for shard in (first, second)]
    shards = [shard.assign(age=shard["age"].where(rng.random(400) < 0.4)) for shard in shards]
    return CompanyTable(
        "subscriptions, with files of open rows",
        "subscriptions.csv",
        text(labeled.assign(cancelled=_yes(left))),
        "cancelled",
        (
            expect("a column that no open row has", "leak", "offer_at_exit"),
            expect("other gaps in the open rows", "found", "age", "population"),
        ),
        {f"open_{number}.csv": text(shard) for number, shard in enumerate(shards)},
    )


def _salaries(rng: Rng) -> CompanyTable:
    """Salaries, of which one is a typing error."""
    rows, years = 900, rng.integers(0, 35, 900)
    pay = 42_000 * np.exp(0.02 * years + 0.2 * rng.normal(size=rows))
    frame = pd.DataFrame(
        {
            "title": rng.choice(["analyst", "engineer", "manager", "clerk"], rows),
            "years": years,
            "town": rng.choice(_TOWNS, rows),
            "remote": rng.integers(0, 2, rows),
            "salary": pay.round(-2).astype(np.int64),
        }
    )
    frame.loc[417, "salary"] = 99_999_999_999
    return CompanyTable(
        "salaries, with a typing error",
        "salaries.csv",
        text(frame),
        "salary",
        (expect("one value of the target rules", "found", "salary", "99999999999"),),
    )


def _grades(rng: Rng) -> CompanyTable:
    """Grades of 0 to 20, with those of the two terms before."""
    rows, talent = 649, rng.normal(size=649)

    def grades(noise: float) -> NDArray[np.intp]:
        return np.clip(np.round(11.5 + 3 * talent + noise * rng.normal(size=rows)), 0, 20).astype(np.intp)

    frame = pd.DataFrame(
        {
            "school": rng.choice(["GP", "MS"], rows),
            "age": rng.integers(15, 20, rows),
            "absences": rng.poisson(4, rows),
            "studytime": rng.integers(1, 5, rows),
            "G1": grades(1.5),
            "G2": grades(1.0),
            "G3": grades(0.7),
        }
    )
    return CompanyTable(
        "grades of 0 to 20",
        "students.csv",
        text(frame, ";"),
        "G3",
        (
            expect("semicolons", "found", "semicolon"),
            expect("numbers taken as classes", "found", "G3", "whole numbers"),
            expect("an earlier grade is strongest", "found", "alone", "G2"),
        ),
    )


def _cars(rng: Rng) -> pd.DataFrame:
    rows = 205
    size, power = rng.normal(2500, 500, rows).round(), rng.integers(50, 250, rows)
    return pd.DataFrame(
        {
            "make": rng.choice(["audi", "bmw", "mazda", "volvo", "toyota"], rows),
            "fuel": rng.choice(["gas", "diesel"], rows, p=[0.9, 0.1]),
            "doors": rng.choice(["two", "four"], rows),
            "weight": size.astype(int),
            "power": power,
            "price": (4 * size + 60 * power + 900 * rng.normal(size=rows)).round().astype(int),
        }
    )


def _no_header(rng: Rng) -> CompanyTable:
    """A file without a line of names; the user gives the name that a page about the data has."""
    content = _cars(rng).to_csv(index=False, header=False).encode()
    expected = (expect("the first line is a row", "error", "line of names"),)
    return CompanyTable("cars, without a line of names", "autos.csv", content, "price", expected)


def _no_header_found(rng: Rng) -> CompanyTable:
    """The same, where the user takes the last value of the first line for the name."""
    frame = _cars(rng)
    content = frame.to_csv(index=False, header=False).encode()
    expected = (expect("the first line is a row", "found error", "line of names"),)
    return CompanyTable(
        "cars, a value as the target's name", "autos.csv", content, str(frame["price"].iloc[0]), expected
    )


def _cover_sheet(rng: Rng) -> CompanyTable:
    """A workbook whose first sheet is a cover."""
    cover = [["Report", "Cars"], ["made by", "Sales"], ["on", "2026-10-01"]]
    content = workbook({"Cover": cover, "Cars": cells(_cars(rng))})
    expected = (expect("the table is the second sheet", "error found", "'Cover'", "'Cars'"),)
    return CompanyTable("cars, behind a cover sheet", "cars.xlsx", content, "price", expected)


def _tickets(rng: Rng) -> CompanyTable:
    """A workbook with a second sheet of codes, two columns of one name, and one that is filled after the event."""
    rows = 1100
    wait, letters = rng.gamma(2, 8, rows).round(1), rng.integers(30, 900, rows)
    escalated = _chosen(rng, wait / 8, 0.28)
    names = ["Ticket", "Status", "Queue", "Waited", "Letters", "Status", "Manager", "Escalated"]
    columns = [
        [f"T-{number}" for number in range(50_000, 50_000 + rows)],
        rng.choice(["new", "known"], rows).tolist(),
        rng.choice(["mail", "phone", "chat"], rows).tolist(),
        wait.tolist(),
        letters.tolist(),
        rng.choice(["gold", "silver", "none"], rows).tolist(),
        _where(_with_share(rng, escalated, 0.97, 0.01), rng.choice(["Ode", "Ray"], rows)).tolist(),
        _yes(escalated).tolist(),
    ]
    table = [names, *map(list, zip(*columns, strict=True))]
    content = workbook({"Export": table, "Codes": [["code", "meaning"], ["gold", "two hours"], ["silver", "a day"]]})
    return CompanyTable(
        "tickets, in a workbook",
        "tickets.xlsx",
        content,
        "Escalated",
        (
            expect("a second sheet", "found", "'Export'", "'Codes'"),
            expect("two columns of one name", "found", "'Status'", "Status_2"),
            expect("an identifier", "dropped", "Ticket"),
            expect("filled after the event", "leak", "Manager"),
        ),
    )


def _total_row(rng: Rng) -> CompanyTable:
    """Shops and their turnover, with a total at the end that has a value of the target."""
    rows, area = 240, rng.integers(80, 900, 240)
    frame = pd.DataFrame(
        {
            "shop": [f"{town} {number}" for number, town in enumerate(rng.choice(_TOWNS, rows))],
            "area": area,
            "staff": rng.integers(2, 30, rows),
            "visitors": rng.poisson(900, rows),
            "turnover": (120 * area + 20_000 * rng.random(rows)).round(2),
        }
    )
    total = pd.DataFrame([{"shop": "Total", **frame.drop(columns="shop").sum()}])
    return CompanyTable(
        "shops, with a total at the end",
        "shops.csv",
        german(pd.concat([frame, total], ignore_index=True)),
        "turnover",
        (
            expect("semicolons", "found", "semicolon"),
            expect("Windows-1252", "found", "Windows-1252"),
            expect("a total with a label", "found", "total", "take it out"),
        ),
    )


def _houses(rng: Rng) -> CompanyTable:
    """Flats, whose areas are also ranges and other units."""
    rows = 3000
    area = rng.lognormal(7.1, 0.35, rows).round()
    written = [f"{value:.0f}" for value in area]
    ranges, others = rng.choice(rows, 60, replace=False)[:40], rng.choice(rows, 6, replace=False)
    for row in ranges:
        written[row] = f"{area[row] - 150:.0f} - {area[row] + 150:.0f}"
    for row in others:
        written[row] = f"{area[row] / 10.76:.1f}Sq. Meter"
    rooms = rng.integers(1, 6, rows)
    frame = pd.DataFrame(
        {
            "location": rng.choice([f"Sector {number}" for number in range(40)], rows),
            "size": [f"{number} BHK" for number in rooms],
            "total_sqft": written,
            "bath": rng.integers(1, 4, rows),
            "price": (0.05 * area * np.exp(0.15 * rng.normal(size=rows)) + 6 * rooms).round(2),
        }
    )
    return CompanyTable(
        "flats, with ranges of areas",
        "flats.csv",
        text(frame),
        "price",
        (
            expect("ranges among numbers", "parsed", "total_sqft", "ranges are read as their middle"),
            expect("a unit, BHK", "parsed", "size", "BHK"),
        ),
    )


def _trips(rng: Rng) -> CompanyTable:
    """Bills: the total is the sum of the target and the rest, but for a few that have something else too."""
    rows, miles = 2500, rng.gamma(2, 2, 2500)
    fare = (3 + 2.5 * miles).round(2)
    tip = (fare * rng.choice([0, 0.1, 0.15, 0.2, 0.25], rows) * rng.uniform(0.8, 1.2, rows)).round(2)
    tolls = np.where(rng.random(rows) < 0.1, 6.12, 0.0)
    extra = np.where(rng.random(rows) < 0.04, rng.choice([0.5, 1.0, 2.5], rows), 0.0)
    start = pd.Timestamp("2026-03-01") + pd.to_timedelta(rng.permutation(rows) * 13, unit="min")
    frame = pd.DataFrame(
        {
            "pickup": start,
            "miles": miles.round(2),
            "passengers": rng.integers(1, 5, rows),
            "fare": fare,
            "tolls": tolls,
            "total": (fare + tip + tolls + extra).round(2),
            "tip": tip,
        }
    )
    expected = (expect("a sum with exceptions", "leak", "total", "fare", "tolls"),)
    return CompanyTable("taxi bills, with exceptions", "trips.csv", text(frame), "tip", expected)


def _loans(rng: Rng) -> CompanyTable:
    """Loans of which 15 % fail; 9999 means never, and what was recovered is known after the failure."""
    rows = 4000
    income, ratio = rng.lognormal(10.5, 0.5, rows).round(-2), rng.beta(2, 5, rows).round(3)
    failed = _chosen(rng, 4 * ratio - 0.3 * np.log(income), 0.15)
    since = rng.integers(1, 120, rows)
    frame = pd.DataFrame(
        {
            "loan": 70_000_000 + 17 * rng.permutation(rows),
            "income": income,
            "ratio": ratio,
            "grade": rng.choice(list("ABCDE"), rows),
            "months_since_delay": np.where(rng.random(rows) < 0.5, 9999, since),
            "recovered": np.where(_with_share(rng, failed, 0.6), rng.gamma(2, 400, rows).round(2), 0.0),
            "status_code": np.where(failed, rng.choice([7, 8], rows), rng.choice([1, 2, 3], rows)),
            "defaulted": failed.astype(int),
        }
    )
    return CompanyTable(
        "loans, 15 % default",
        "loans.csv",
        text(frame),
        "defaulted",
        (
            expect("a code of the outcome", "leak", "status_code"),
            expect("9999 means never", "found", "9999", "months_since_delay"),
            expect("a leak with noise", "found leak", "alone", "recovered"),
            expect("a rare class", "found", "15 % are 1"),
        ),
    )


def _orders(rng: Rng) -> CompanyTable:
    """A shop's orders with currency, percent and dd.mm.yyyy; the refund, and customers who order again."""
    of_row = np.sort(rng.integers(0, 500, 2000))
    of_row = rng.permutation(of_row)
    rows = len(of_row)
    taste = rng.normal(size=500)
    amount = rng.lognormal(4, 0.6, rows)
    returned = _chosen(rng, 2.5 * taste[of_row], 0.4)
    day = pd.Timestamp("2025-01-01") + pd.to_timedelta(np.arange(rows) // 6, unit="D")
    frame = pd.DataFrame(
        {
            "Bestellung": np.arange(880_001, 880_001 + rows),
            "Kunde": [f"{one:05d}-{'KLM'[one % 3]}" for one in 10_000 + 37 * of_row],
            "Datum": day.strftime("%d.%m.%Y"),
            "Betrag": [f"{value:.2f} EUR".replace(".", ",") for value in amount],
            "Rabatt": [f"{value} %" for value in rng.choice([0, 5, 10, 15, 20, 25, 30], rows)],
            "Größe": (40 + 3 * taste[of_row] + 0.3 * rng.normal(size=rows)).round(1),
            "Gutschrift": np.where(_with_share(rng, returned, 0.97), amount.round(2), np.nan),
            "Retoure": np.where(returned, "ja", "nein"),
        }
    )
    return CompanyTable(
        "orders, with EUR, % and dates",
        "bestellungen.csv",
        german(frame),
        "Retoure",
        (
            expect("semicolons", "found", "semicolon"),
            expect("Windows-1252", "found", "Windows-1252"),
            expect("decimal commas", "found parsed", "decimal comma"),
            expect("an identifier", "dropped", "Bestellung"),
            expect("a currency", "parsed", "Betrag"),
            expect("percent", "parsed", "Rabatt"),
            expect("dates that start with the day", "parsed", "Datum"),
            expect("filled for what came back", "leak", "Gutschrift"),
            expect("customers repeat", "groups", "Kunde"),
        ),
    )


def _demand(rng: Rng) -> CompanyTable:
    """The demand of each day, which drifts."""
    rows = 1100
    level = np.cumsum(rng.normal(scale=0.25, size=rows))
    day = pd.date_range("2023-01-01", periods=rows)
    heat = 11 - 9 * np.cos(2 * np.pi * day.day_of_year / 365) + rng.normal(scale=2, size=rows)
    frame = pd.DataFrame(
        {
            "date": day.strftime("%Y-%m-%d"),
            "temperature": heat.round(1),
            "holiday": (rng.random(rows) < 0.04).astype(int),
            "price": (40 + 2 * level + rng.normal(size=rows)).round(2),
            "demand": (500 + 30 * level - 3 * heat + 8 * rng.normal(size=rows)).round(1),
        }
    )
    expected = (expect("later days differ", "time", "date", "later rows"),)
    return CompanyTable("demand, day by day", "demand.csv", text(frame), "demand", expected)


def _recorded_twice(rng: Rng) -> CompanyTable:
    """Two exports joined: a third of the rows are in both."""
    rows = 900
    X = rng.normal(size=(rows, 6)).round(3)
    accepted = _chosen(rng, 0.8 * X[:, 0] + 0.6 * X[:, 1], 0.5)
    frame = pd.DataFrame(X, columns=["f1", "f2", "f3", "f4", "f5", "f6"]).assign(accepted=_yes(accepted))
    joined = pd.concat([frame, frame.sample(300, random_state=3)], ignore_index=True).sample(frac=1, random_state=4)
    expected = (expect("rows were recorded twice", "found", "recorded twice", "keep_together"),)
    return CompanyTable("requests, joined from two exports", "requests.csv", text(joined), "accepted", expected)


def _attrition(rng: Rng) -> CompanyTable:
    """Employees by name, each with two to four yearly reviews, in Windows-1252."""
    first = ("Jürgen", "Renée", "Ana", "Björn", "Zoë", "Karl", "Mia", "Noël")
    last = [
        f"{a}{b}" for a in ("Mül", "Schä", "Groß", "Wei", "Hof", "Ber") for b in ("ler", "fer", "mann", "ner", "ger")
    ]
    people = [f"{family}, {given}" for family in last for given in first]
    of_row = rng.permutation(np.repeat(np.arange(len(people)), rng.integers(2, 6, len(people))))
    rows = len(of_row)
    mood, pay = rng.normal(size=len(people)), rng.normal(size=len(people))
    left = _chosen(rng, -2 * mood, 0.3)[of_row]
    frame = pd.DataFrame(
        {
            "employee": [people[number] for number in of_row],
            "department": rng.choice(["Vertrieb", "Einkauf", "IT"], rows),
            "satisfaction": (6 + 1.5 * mood[of_row] + 0.1 * rng.normal(size=rows)).round(2),
            "pay": (52_000 + 9_000 * pay[of_row] + 300 * rng.normal(size=rows)).round(),
            "exit_interview": np.where(_with_share(rng, left, 0.96), rng.integers(1, 6, rows), np.nan),
            "left": _yes(left),
        }
    )
    return CompanyTable(
        "reviews of employees by name",
        "reviews.csv",
        text(frame, encoding="cp1252"),
        "left",
        (
            expect("Windows-1252", "found", "Windows-1252"),
            expect("people repeat", "groups", "employee"),
            expect("filled for those who left", "leak", "exit_interview"),
        ),
    )


def _survey(rng: Rng) -> CompanyTable:
    """Answers with words among the numbers, and a column of which nothing is left."""
    rows = 1300
    age, hours = rng.integers(18, 90, rows), rng.gamma(3, 3, rows).round(1)
    buys = _chosen(rng, hours / 4 - age / 40, 0.5)
    frame = pd.DataFrame(
        {
            "respondent": rng.permutation(np.arange(1, rows + 1)),
            "age": np.where(rng.random(rows) < 0.05, "k.A.", age.astype(str)),
            "hours": np.where(rng.random(rows) < 0.03, "unknown", hours.astype(str)),
            "region": rng.choice(["north", "south", "east", "?"], rows),
            "comment": None,
            "buys": _yes(buys),
        }
    )
    return CompanyTable(
        "a survey, with words for no answer",
        "survey.csv",
        text(frame),
        "buys",
        (
            expect("an identifier", "dropped", "respondent"),
            expect("a word that means missing", "found", "k.A.", "missing"),
            expect("another word that means missing", "found", "unknown", "missing"),
            expect("? as a category", "found", "'?'"),
            expect("an empty column", "dropped", "comment", "missing"),
        ),
    )


def _scored(rng: Rng) -> CompanyTable:
    """Offers with the probability that another model gave, after it had seen the outcome, and a copy in words."""
    rows = 1500
    volume, contact = rng.lognormal(8, 1, rows).round(2), rng.integers(0, 12, rows)
    won = _chosen(rng, contact / 3, 0.45)
    chance = np.clip(np.where(won, 100, 0) + rng.normal(scale=4, size=rows), 0, 100)
    frame = pd.DataFrame(
        {
            "volume": [f"${value:,.2f}" for value in volume],
            "contacts": contact,
            "Probability %": chance.round(1),
            "closed": np.where(won, "order", "cancelled"),
            "stage": np.where(won, "Closed Won", "Closed Lost"),
        }
    )
    return CompanyTable(
        "offers, with a score of the outcome",
        "offers.csv",
        text(frame, "\t"),
        "stage",
        (
            expect("tabs in a file called .csv", "found", "tab"),
            expect("dollars", "parsed", "volume"),
            expect("a score that knows the outcome", "leak", "Probability %"),
            expect("the outcome in other words", "leak", "closed"),
        ),
    )


def _stays(rng: Rng) -> CompanyTable:
    """Stays in a hospital; the day of discharge, less that of admission, is the target, and patients come again."""
    of_row = rng.permutation(np.repeat(np.arange(700), rng.integers(1, 5, 700)))
    rows = len(of_row)
    frailty, age = rng.normal(size=700), rng.integers(20, 95, 700)
    days = 1 + rng.poisson(np.exp(1.2 + 0.5 * frailty[of_row]))
    admitted = pd.Timestamp("2025-02-01") + pd.to_timedelta(rng.integers(0, 365, rows), unit="D")
    frame = pd.DataFrame(
        {
            "patient_no": 400_000 + 13 * of_row,
            "admitted": admitted.strftime("%Y-%m-%d"),
            "discharged": (admitted + pd.to_timedelta(days, unit="D")).strftime("%Y-%m-%d"),
            "age": age[of_row],
            "albumin": (4 - 0.4 * frailty[of_row] + 0.05 * rng.normal(size=rows)).round(2),
            "ward": rng.choice(["A1", "A2", "B1", "C3"], rows),
            "long_stay": _yes(days > 5),
        }
    )
    return CompanyTable(
        "stays, with the day of discharge",
        "stays.csv",
        text(frame),
        "long_stay",
        (
            expect("the difference of two dates", "leak found", "discharged", "admitted"),
            expect("patients repeat", "groups", "patient_no"),
        ),
    )


def _prices(rng: Rng) -> CompanyTable:
    """Prices of houses as 320.000 €: points between thousands, or decimal points of three digits."""
    rows = 800
    area = rng.integers(40, 240, rows)
    price = (3000 * area * np.exp(0.2 * rng.normal(size=rows))).round(-3).astype(int).clip(100_000, 999_000)
    frame = pd.DataFrame(
        {
            "Ort": rng.choice(_TOWNS, rows),
            "Fläche": [f"{value} m²" for value in area],
            "Zimmer": rng.integers(1, 8, rows),
            "Preis": [f"{value:,} €".replace(",", ".") for value in price],
        }
    )
    return CompanyTable(
        "houses, with points between thousands",
        "haeuser.csv",
        german(frame),
        "Preis",
        (
            expect("semicolons", "found", "semicolon"),
            expect("points between thousands", "found parsed error", "Preis", "thousands"),
            expect("a unit, m²", "parsed", "Fläche", "m²"),
        ),
    )


def _claims(rng: Rng) -> CompanyTable:
    """An honest export: a heavy tail, many zeros, gaps that mean nothing, vehicles that occur once."""
    rows = 3000
    power, age = rng.integers(40, 300, rows), rng.integers(0, 25, rows)
    cost = np.where(rng.random(rows) < 0.6, 0.0, rng.lognormal(6 + power / 200, 1.2, rows).round(2))
    frame = pd.DataFrame(
        {
            "policy": [f"P{number}" for number in rng.choice(10**7, rows, replace=False)],
            "power": power,
            "age": np.where(rng.random(rows) < 0.08, np.nan, age),
            "fuel": rng.choice(["petrol", "diesel", "electric"], rows),
            "region": rng.choice(_TOWNS, rows),
            "cost": cost,
        }
    )
    expected = (expect("an identifier", "dropped", "policy"),)
    return CompanyTable("claims, honest", "claims.csv", text(frame), "cost", expected)


def _campaign(rng: Rng) -> CompanyTable:
    """An honest export: balanced, with a day of contact that says nothing, and towns that repeat."""
    rows = 2200
    age, balance = rng.integers(18, 90, rows), rng.normal(1500, 900, rows).round(2)
    day = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 240, rows)), unit="D")
    frame = pd.DataFrame(
        {
            "contacted": day.strftime("%Y-%m-%d"),
            "age": age,
            "balance": balance,
            "calls": 1 + rng.poisson(1.5, rows),
            "town": rng.choice([f"town {number}" for number in range(60)], rows),
            "phone": rng.choice(["mobile", "landline"], rows),
            "answered": _yes(_chosen(rng, balance / 700 - age / 30, 0.5)),
        }
    )
    return CompanyTable("a campaign, honest", "campaign.csv", text(frame), "answered")


_TABLES = (
    *(_churn, _machines, _leads, _subscriptions, _salaries, _grades, _no_header, _no_header_found, _cover_sheet),
    *(_tickets, _total_row, _houses, _trips, _loans, _orders, _demand, _recorded_twice, _attrition, _survey, _scored),
    *(_stays, _prices, _claims, _campaign),
)
