"""The time of lists of 100,000 members, compared with SQLite. Takes about a minute.

The same members are imported into Galley and into a table of SQLite. Equivalent queries run over HTTP and with LIKE, in turns,
and medians are reported. Galley is also started with and without members, to measure their cost when idle.
"""

import csv
import http.client
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

from content import FIRST_DAY
from machine import GALLEY
from serving import Server, Site, get, start_galley
from tokens import token

TOOLS: list[str] = []
MEMBERS = 100_000
LABELS = [f"Label {number}" for number in range(20)]
NAMES = ["Ana", "Ben", "Cleo", "Dora", "Emil", "Fatou", "Goran", "Hana", "Ines", "Jörg", "Kemal", "Lucía"]
PLACES = ["Example", "Harbour", "Northgate", "Rivera", "Østby", "Tanaka", "Umar", "Vasquez"]
LIMIT = 15
ROUNDS = 30
STARTS = 3
# Maximum time of a list with a filter and a search, in milliseconds.
WANTED_MS = 50

# The queries: a name, the parameters for Galley, the condition for SQLite and its values.
QUESTIONS = [
    ("a page", {}, "1", []),
    ("with a filter", {"filter": "label:label-3+status:free"}, "{label} and status = 'free'", ["label-3"]),
    ("with a search", {"search": "hana r"}, "(name like ? or email like ?)", ["%hana r%", "%hana r%"]),
    (
        "with a filter and a search",
        {"filter": "label:label-3+status:free", "search": "an"},
        "{label} and status = 'free' and (name like ? or email like ?)",
        ["label-3", "%an%", "%an%"],
    ),
]
LABEL = "id in (select member from labels where slug = ?)"


def measure() -> None:
    """Prints the time of lists of members, and the cost of the members when idle."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as name:
        folder = Path(name)
        members = list(make_members())
        without, full = Site(0, folder / "without"), Site(0, folder / "with")
        for site in [without, full]:
            (site.folder / "content").mkdir(parents=True)
        write_list(folder / "members.csv", members)
        import_s = brought_in(full, folder / "members.csv")
        database = copied(members)
        costs = [cost_at_rest(site) for site in [without, full]]
        with start_galley(full) as server:
            print_lists(alternate(server, admin_key(full), database))
            print()
            print_costs(costs, import_s)


def make_members():
    """Returns the rows of a CSV list of members, the same in every run."""
    chance = random.Random(7)
    for number in range(MEMBERS):
        first, last = chance.choice(NAMES), chance.choice(PLACES)
        created = FIRST_DAY + timedelta(minutes=chance.randrange(2_000_000))
        yield {
            "email": f"{first}.{last}.{number}@example.com".lower(),
            "name": f"{first} {last}",
            "note": "" if number % 10 else f"Met at fair {number}",
            "subscribed_to_emails": "true" if number % 3 else "false",
            "complimentary_plan": "" if number % 50 else "true",
            "created_at": created.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "labels": ",".join(chance.sample(LABELS, chance.randrange(3))),
        }


def write_list(path: Path, members: list[dict]) -> None:
    with path.open("w", newline="") as file:
        rows = csv.DictWriter(file, fieldnames=list(members[0]))
        rows.writeheader()
        rows.writerows(members)


def brought_in(site: Site, path: Path) -> float:
    """Returns the seconds of `galley import`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GALLEY_")}
    before = time.monotonic()
    command = [GALLEY, "import", path, "--data", site.folder / "data", "--json"]
    subprocess.run(command, cwd=site.folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - before


def copied(members: list[dict]) -> sqlite3.Connection:
    """Returns a SQLite database with the same members, with the usual indexes of such a table."""
    database = sqlite3.connect(":memory:")
    database.execute("create table members (id integer primary key, email, name, note, status, created_at)")
    database.execute("create table labels (member, slug)")
    for number, member in enumerate(members):
        status = "comped" if member["complimentary_plan"] else "free"
        row = (number, member["email"], member["name"], member["note"], status, member["created_at"])
        database.execute("insert into members values (?, ?, ?, ?, ?, ?)", row)
        slugs = [label.lower().replace(" ", "-") for label in member["labels"].split(",") if label]
        database.executemany("insert into labels values (?, ?)", [(number, slug) for slug in slugs])
    database.execute("create index by_age on members (created_at)")
    database.execute("create index by_member on labels (member, slug)")
    database.execute("create index by_label on labels (slug, member)")
    database.execute("analyze")
    return database


def admin_key(site: Site) -> str:
    command = [GALLEY, "key", "create", "--name", "Lists", "--json", "--data", site.folder / "data"]
    return json.loads(subprocess.check_output(command))["admin_key"]


def alternate(server: Server, key: str, database: sqlite3.Connection) -> dict[str, tuple[float, float, int]]:
    """Returns the milliseconds of Galley and SQLite for each query, medians of rounds, and the number of members found."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Authorization": f"Ghost {token(key)}"}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name, *_ in QUESTIONS}
    found = {}
    for _ in range(ROUNDS):
        for name, parameters, condition, values in QUESTIONS:
            (galley, reply), (sqlite, (total, emails)) = (
                timed(lambda: asked(connection, headers, parameters)),
                timed(lambda: selected(database, condition.format(label=LABEL), values)),
            )
            served = [member["email"] for member in reply["members"]]
            if reply["meta"]["pagination"]["total"] != total or (served[:1] and served[0] not in emails):
                sys.exit(f"{name}: Galley finds {reply['meta']['pagination']['total']} and SQLite {total}")
            times[name].append((galley, sqlite))
            found[name] = total
    connection.close()
    return {name: (*map(statistics.median, zip(*pairs)), found[name]) for name, pairs in times.items()}


def timed(work):
    """Runs `work`, and returns its duration in milliseconds and its result."""
    before = time.perf_counter()
    outcome = work()
    return (time.perf_counter() - before) * 1000, outcome


def asked(connection: http.client.HTTPConnection, headers: dict[str, str], parameters: dict[str, str]) -> dict:
    connection.request("GET", "/ghost/api/admin/members/?" + urlencode({"limit": LIMIT, **parameters}), headers=headers)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        sys.exit(f"Galley responds with {response.status}: {body.decode()}")
    return json.loads(body)


def selected(database: sqlite3.Connection, condition: str, values: list[str]) -> tuple[int, list[str]]:
    """Returns the number of members, and the e-mail addresses of the first ones."""
    total = database.execute(f"select count(*) from members where {condition}", values).fetchone()[0]
    page = f"select * from members where {condition} order by created_at desc, id desc limit {LIMIT}"
    return total, [row[1] for row in database.execute(page, values).fetchall()]


def cost_at_rest(site: Site) -> tuple[float, float]:
    """Returns the milliseconds to the first response and the memory of the idle server in MiB, as medians of several starts."""
    costs = []
    for _ in range(STARTS):
        before = time.monotonic()
        with start_galley(site) as server:
            get(server, "/ghost/api/admin/site/")
            started = (time.monotonic() - before) * 1000
            time.sleep(0.5)
            costs.append((started, server.memory_mib("VmRSS")))
    start_ms, mib = (statistics.median(column) for column in zip(*costs))
    return start_ms, mib


def print_lists(times: dict[str, tuple[float, float, int]]) -> None:
    print(f"| {LIMIT} of {MEMBERS:,} members, ms | found | Galley, over HTTP | SQLite, in the process | Galley to SQLite |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (galley, sqlite, found) in times.items():
        print(f"| {name} | {found:,} | {galley:.1f} | {sqlite:.1f} | {galley / sqlite:.2f} |")
    slowest = max(galley for galley, _, _ in times.values())
    print(f"\nThe slowest takes {slowest:.1f} ms; {WANTED_MS} ms are wanted at most.")


def print_costs(costs: list[tuple[float, float]], import_s: float) -> None:
    (start_without, rest_without), (start_with, rest_with) = costs
    print(f"| Galley | without members | with {MEMBERS:,} | more |")
    print("| --- | ---: | ---: | ---: |")
    print(f"| start to the first reply, ms | {start_without:.0f} | {start_with:.0f} | {start_with - start_without:.0f} |")
    each = (rest_with - rest_without) * 1024 * 1024 / MEMBERS
    print(f"| memory at rest, MiB | {rest_without:.0f} | {rest_with:.0f} | {each:.0f} bytes a member |")
    print(f"| `galley import` of them, s | | {import_s:.1f} | |")
