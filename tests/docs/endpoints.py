"""Checks that the requests in sentences of pages are in schema/openapi.json."""

import json
import re
from pathlib import Path

from document import Section
from reading import Report

REQUEST = re.compile(r"(GET|POST|PUT|DELETE) (?:/ghost/api/(?:admin|content)/|/)?([^\s?]+)(\?\S+)?")
OUTSIDE_THE_API = re.compile(r"GET (healthz|readyz)|\w+ members/(api|\.well-known)/\S*")
"""Paths that are not in the document, since it describes only /ghost/api/. tests/it requests them."""


def check(sections: list[Section], repository: Path, report: Report) -> None:
    """Checks the requests. Pages mostly write only the part of a path after /ghost/api/content/ or /ghost/api/admin/."""
    paths = json.loads((repository / "schema/openapi.json").read_text())["paths"]
    operations = [(method.upper(), pattern(path)) for path, operations in paths.items() for method in operations]
    for sentence in (sentence for section in sections for sentence in section.sentences):
        for request in filter(None, map(REQUEST.fullmatch, sentence.spans)):
            method, path, _ = request.groups()
            is_described = any(method == known and template.fullmatch(path) for known, template in operations)
            if not is_described and not OUTSIDE_THE_API.fullmatch(f"{method} {path}"):
                report.problem(sentence.place, f"schema/openapi.json does not have {request[0]}")


def pattern(path: str) -> re.Pattern[str]:
    _, _, below = path.removeprefix("/").partition("/")
    parts = re.split(r"(\{\w+\})", below)
    return re.compile("".join("[^/]+" if part.startswith("{") else re.escape(part) for part in parts))
