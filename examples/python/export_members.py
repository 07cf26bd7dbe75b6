"""Writes all members into a CSV file.

usage: export_members.py FILE.csv [FILTER]     such as: export_members.py paying.csv status:paid
"""

import csv
import sys

from site_api import AdminApi, ApiError

COLUMNS = ["email", "name", "status", "created_at", "labels", "newsletters"]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    parameters = {"order": "created_at asc"}
    if len(sys.argv) > 2:
        parameters["filter"] = sys.argv[2]
    with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        table.writeheader()
        count = 0
        for member in AdminApi().browse("members", **parameters):
            for column in ["labels", "newsletters"]:
                member[column] = ",".join(record["name"] for record in member[column])
            table.writerow(member)
            count += 1
    print(f"{count} members in {sys.argv[1]}")


if __name__ == "__main__":
    try:
        main()
    except ApiError as error:
        sys.exit(f"{error.kind}: {error}")
