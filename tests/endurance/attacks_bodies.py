"""Bodies that expand in memory: small ones with many nodes, values, cells or cards, and large ones that contain nothing else.

First, each is sent alone to a separate server, which may use ten times its length in memory for it, and at most 256 MiB. Then
many are sent concurrently to the server under attack, which has one limit for all of them.
"""

import gzip
import http.client
import json
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from attacking import Outcome, Target
from attacks_compression import form
from processes import forget_most, memory_mib, memory_most_mib
from running import Running

# The maximum additional memory for one request: a factor of the length of its decompressed body, and a constant.
GROWTH_MAX = 10
GROWTH_FREE_MIB = 16
GROWTH_MIB_MAX = 256

CLIENTS = 12
KIB, MIB = 1 << 10, 1 << 20
# A small body is accepted, a large one is refused while it is read, and the largest one is refused by its declared length.
SIZES = [100 * KIB, 2 * MIB, 9 * MIB, 30 * MIB]
JSON = "application/json"
# The owner, who has all permissions and signs in without a code.
OWNER = "owner@example.com"
SITE = "https://bench.example"
NO_CODE = {"GALLEY_STAFF_DEVICE_VERIFICATION": "false"}


@dataclass
class Body:
    what: str
    path: str
    content: bytes
    kind: str = JSON
    method: str = "POST"
    # Whether the server must accept the body.
    is_good: bool = False
    compressed: bool = False
    # Whether the records of the body stay in memory.
    stays: bool = False


def filled(piece: str, size: int, start: str = "", end: str = "") -> str:
    """Returns `piece` repeated to fill `size`, between `start` and `end`. In each piece, `#` is replaced by its number."""
    room = max(size - len(start) - len(end), len(piece))
    if "#" not in piece:
        return start + piece * (room // len(piece)) + end
    pieces = (piece.replace("#", str(number)) for number in range(room // (len(piece) + 4)))
    return start + "".join(pieces) + end


def sent(record: dict, resource: str = "posts") -> bytes:
    return json.dumps({resource: [{"title": "Much", **record}]}, separators=(",", ":")).encode()


def root(children: str) -> str:
    return '{"root":{"children":[' + children.removesuffix(",") + '],"type":"root","version":1}}'


def paragraph(children: str) -> str:
    return '{"type":"paragraph","version":1,"children":[' + children.removesuffix(",") + "]},"


HTML = {
    "tables with open bold": "<table><b>",
    "paragraphs of a letter": "<p>x</p>",
    "comments": "<!---->",
    "line breaks": "x<br>",
    "formats that are never closed": "<b id=#><p>x",
    "anchors in anchors": "<a href=x><div>",
    "attributes": "<p a# b# c# d#>x",
    "items": "<ul><li>x",
    "rows": "<table><tr><td>x",
    "tags alone": "<i>",
    "ends alone": "</p>",
    "preformatted lines": "<p style='white-space:pre'>\n\t\n\t\n\t\n\t\n\t\n\t\n\t\n\t\n\t\n\t\n\t\n\t",
    "images": "<img src=x>",
}
TEXT_NODE = '{"type":"text","version":1,"text":"x","format":#},'
LEXICAL = {
    "empty lists": "[],",
    "numbers": "0,",
    "little objects": '{"a":0},',
    "line breaks": '{"type":"linebreak","version":1},',
    "texts of a letter": TEXT_NODE,
    "paragraphs of a letter": paragraph(TEXT_NODE),
    "headings": '{"type":"heading","tag":"h2","children":[{"type":"text","text":"x"}]},',
    "sign-ups": '{"type":"signup"},',
    "headers": '{"type":"header","version":2},',
    "images": '{"type":"image","src":"/content/images/a#.png","width":9000,"height":9000},',
    "callouts of tags": '{"type":"callout","calloutText":"' + "<b>" * 40 + '"},',
}
MARKDOWN = {
    "stars": "*",
    "lines": "a\n",
    "items": "- a\n",
    "quotes in quotes": "> > > > > > a\n\n",
    "headings": "# a\n",
    "brackets": "[",
    "cells": "|a|a|a|a|\n|-|-|-|-|\n|\n|\n|\n\n",
    "footnotes": "[^#]\n\n[^#]: a\n\n",
    "links by name": "[a]",
}
WIDE_TABLE = "|" + "a|" * 2000 + "\n|" + "-|" * 2000 + "\n"


def documents(size: int) -> Iterator[Body]:
    for what, piece in HTML.items():
        yield Body(f"HTML, {what}", "posts/?source=html", sent({"html": filled(piece, size)}))
    for what, piece in LEXICAL.items():
        yield Body(f"Lexical, {what}", "posts/", sent({"lexical": root(filled(piece, size))}))
    for what, piece in MARKDOWN.items():
        card = {"type": "markdown", "markdown": filled(piece, size, end="\n\n[a]: https://example.com/" + "long" * 1000)}
        yield Body(f"Markdown, {what}", "posts/", sent({"lexical": root(json.dumps(card))}))
    card = {"type": "markdown", "markdown": filled("a\n", size, WIDE_TABLE)}
    yield Body("Markdown, a wide table", "posts/", sent({"lexical": root(json.dumps(card))}))
    mobiledoc = {"version": "0.3.1", "markups": [["a", ["href", "x" * 1000]]], "atoms": [], "cards": [["html", {"html": "x" * 1000}]]}
    for what, section in {
        "one card used many times": [10, 0],
        "one link used many times": [1, "p", [[0, [0], 1, "x"]]],
        "empty lists": [],
    }.items():
        count = size // (len(json.dumps(section)) + 2)
        yield Body(f"Mobiledoc, {what}", "posts/", sent({"mobiledoc": json.dumps({**mobiledoc, "sections": [section] * count})}))


def records(size: int) -> Iterator[Body]:
    for resource, field in [("posts", "tags"), ("posts", "authors"), ("posts", "tiers"), ("members", "labels"), ("members", "newsletters")]:
        for what, piece in {"empty objects": "{},", "numbers": "0,", "lists of lists": "[0],"}.items():
            record = filled(piece, size, f'{{"{resource}":[{{"title":"x","email":"a@example.com","{field}":[', '{"name":"x"}]}]}')
            yield Body(f"{resource} with {field} of {what}", f"{resource}/", record.encode())
    for resource in ["tags", "newsletters", "webhooks", "settings", "snippets", "integrations", "users"]:
        record = filled('"field #":{},', size, f'{{"{resource}":[{{', '"name":"x"}]}').encode()
        method, path = {"settings": ("PUT", "settings/"), "users": ("PUT", "users/me/")}.get(resource, ("POST", f"{resource}/"))
        yield Body(f"{resource} of many fields", path, record, method=method)
    bulk = filled('{"name":"#"},', size, '{"bulk":{"action":"addTag","meta":{"tags":[', '{"name":"x"}]}}}')
    yield Body("a bulk change of many tags", "posts/bulk/?filter=featured:true", bulk.encode(), method="PUT")
    deep = filled('{"a":[', size)
    yield Body("values in values", "posts/", deep.encode())


def upload(what: str, path: str, field: str, name: str, kind: str, content: str) -> Body:
    body, content_type = form(name, kind, content.encode())
    return Body(what, path, body.replace(b'name="file"', f'name="{field}"'.encode()), content_type)


def files(size: int) -> Iterator[Body]:
    lexical = root(filled("[],", size))
    export = {"db": [{"meta": {"exported_on": 1, "version": "5.0.0"}, "data": {"posts": [{"id": str(size), "title": "x", "lexical": lexical}]}}]}
    yield upload("an import of a document of empty lists", "db/", "importfile", "x.json", JSON, json.dumps(export))
    nested = filled("[],", size, '{"db":[{"meta":{"version":"5.0.0"},"data":{"posts":[{"id":"1","title":[', "0]}]}}]}")
    yield upload("an import of lists in a column", "db/", "importfile", "x.json", JSON, nested)
    yield upload("redirects of empty lists", "redirects/upload/", "redirects", "x.json", JSON, filled("[],", size, "[", "0]"))
    yield upload("redirects in YAML of lists", "redirects/upload/", "redirects", "x.yaml", "text/yaml", filled("- []\n", size))
    yield upload("members of one column", "members/upload/", "membersfile", "x.csv", "text/csv", filled("x\n", size, "email\n"))
    members = filled("a#@b.io\n", min(size, 400 * KIB), "email\n")
    yield replace(upload("members of few letters", "members/upload/", "membersfile", "x.csv", "text/csv", members), stays=True)
    parts = filled('--limit\r\ncontent-disposition: form-data; name="#"\r\n\r\nx\r\n', size, end="--limit--\r\n")
    yield Body("a form of many parts", "images/upload/", parts.encode(), "multipart/form-data; boundary=limit")


# The shortest rows of a Ghost export that each table accepts.
ROWS = {
    "posts": '{"title":"#"},',
    "tags": '{"id":#,"name":"#"},',
    "users": '{"id":#,"email":"#@b.io"},',
    "settings": '{"key":"k#"},',
    "snippets": '{"name":"#"},',
    "products": '{"name":"#"},',
    "newsletters": '{"name":"#"},',
    "offers": '{"code":"#"},',
    "recommendations": '{"url":"http://a.io/#"},',
    "integrations": '{"name":"#"},',
    "custom_theme_settings": '{"key":"#"},',
    "roles": '{"id":#,"name":"x"},',
    "benefits": '{"id":#,"name":"x"},',
    "posts_tags": '{"post_id":#,"tag_id":#},',
    "posts_authors": '{"post_id":1,"author_id":#},',
    "roles_users": '{"user_id":#,"role_id":#},',
    "stripe_prices": '{"id":#,"amount":1},',
    "posts_meta": '{"post_id":#},',
    "unknown": "{},",
}


def rows(size: int) -> Iterator[Body]:
    """Imports of many short rows. Their records may stay in memory, which must not exceed the limit of any other request."""
    for table, row in ROWS.items():
        start = '{"db":[{"meta":{"version":"5.0.0"},"data":{"' + table + '":['
        yield upload(f"an import of short rows of {table}", "db/", "importfile", "x.json", JSON, filled(row, size, start, '{"id":"a"}]}}]}'))


def honest() -> Iterator[Body]:
    text = "It was a bright cold day in April, and the clocks were striking thirteen. " * 6
    html = filled(f"<p>{text}<b>{text}</b></p>\n", 4 * MIB)
    yield Body("an honest book", "posts/?source=html", sent({"html": html}), is_good=True)
    node = '{"detail":0,"format":0,"mode":"normal","style":"","text":"' + text + '","type":"extended-text","version":1}'
    lexical = root(filled(paragraph(node), 9 * MIB))
    yield Body("an honest document", "posts/", sent({"lexical": lexical}), is_good=True)
    markdown = filled(f"## A chapter\n\n{text}\n{text} *It was*, [by far](https://example.com/#).\n\n", 2 * MIB)
    card = json.dumps({"type": "markdown", "markdown": markdown})
    yield Body("honest Markdown", "posts/", sent({"lexical": root(card)}), is_good=True)
    short = filled("<p>It was a bright cold day in April.</p>\n", 100 * KIB)
    yield Body("an honest poem", "posts/?source=html", sent({"html": short}), is_good=True)


def bodies(sizes: list[int]) -> list[Body]:
    return [body for size in sizes for kind in [documents, records, files, rows] for body in kind(size)]


class Fresh:
    """A separate server, which is replaced when it retains much memory."""

    STORED_MIB_MAX = 8
    # After a start, the memory has settled when two readings differ by less than this.
    SETTLED_MIB = 0.5
    READING_PAUSE_S = 0.2
    READINGS_MAX = 25

    def __init__(self, folder: Path):
        self.folder = folder
        self.running: Running | None = None
        self.password = ""
        (folder / "content").mkdir()
        (folder / "content/site.toml").write_text(f'url = "{SITE}"\n')

    def sign_in(self) -> dict[str, str]:
        """Returns the header fields that authenticate the owner, who is created first."""
        running = self.running
        if not self.password:
            made = running.command("user", "create", "--name", "Owner", "--email", OWNER, "--role", "owner", "--json")
            self.password = json.loads(made)["password"]
        origin = {"Origin": SITE}
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        who = json.dumps({"username": OWNER, "password": self.password})
        connection.request("POST", "/ghost/api/admin/session/", who, {**origin, "Content-Type": JSON})
        reply = connection.getresponse()
        if reply.status != 201:
            raise AssertionError(f"the owner cannot sign in: {reply.status} {reply.read()!r}")
        return {**origin, "Cookie": reply.getheader("Set-Cookie").split(";")[0]}

    def settled_memory_mib(self) -> float:
        """Returns the memory of the server after it has read the site. It indexes the texts after the start."""
        known, now = 0.0, memory_mib(self.running.process.pid)
        for _ in range(self.READINGS_MAX):
            if abs(now - known) < self.SETTLED_MIB:
                break
            time.sleep(self.READING_PAUSE_S)
            known, now = now, memory_mib(self.running.process.pid)
        return now

    def __enter__(self) -> "Fresh":
        return self

    def __exit__(self, *reason: object) -> None:
        if self.running is not None:
            self.running.__exit__(*reason)
            self.running = None

    def send(self, body: Body) -> tuple[int, bytes, float]:
        """Returns the status and the text of the response, and the peak memory beyond the memory at the start, in MiB."""
        if self.running is None:
            self.running = Running(self.folder, 0, **NO_CODE).__enter__()
            self.authority = self.sign_in()
            # These requests initialise what the server allocates only once.
            for warm in [Body("", "posts/", sent({"html": "<p>x</p>"})), Body("", "db/", b"{}")]:
                send(self.running.port, self.authority, warm)
            self.at_first = self.settled_memory_mib()
        pid = self.running.process.pid
        forget_most(pid)
        try:
            status, said = send(self.running.port, self.authority, body)
        except OSError as error:
            if self.running.process.poll() is not None:
                raise AssertionError(f"{body.what} makes the server exit: {self.running.last_words()}") from None
            raise AssertionError(f"{body.what} of {len(body.content):,} bytes gets no response: {error}") from None
        taken = memory_most_mib(pid) - self.at_first
        if memory_mib(pid) > self.at_first + self.STORED_MIB_MAX:
            self.__exit__(None, None, None)
        return status, said, taken


def send(port: int, authority: dict[str, str], body: Body) -> tuple[int, bytes]:
    fields = {**authority, "Content-Type": body.kind}
    if body.compressed:
        fields["Content-Encoding"] = "gzip"
    content = gzip.compress(body.content, 1) if body.compressed else body.content
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        try:
            connection.request(body.method, f"/ghost/api/admin/{body.path}", content, fields)
        except ConnectionError:
            # The server refused the body by its length before all of it was sent.
            pass
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def one_by_one(target: Target, seconds: float) -> Outcome:
    """Sends each kind of body in each size to a separate server."""
    os.environ["GALLEY_PROGRAM"] = target.program
    outcome: Outcome = Counter()
    everything = [*bodies(SIZES if seconds > 1 else SIZES[:2]), *honest()]
    everything += [replace(body, what=f"{body.what}, compressed", compressed=True) for body in everything if body.kind == JSON and len(body.content) > MIB][::7]
    wrong = []
    with tempfile.TemporaryDirectory(prefix="galley-bodies-") as folder, Fresh(Path(folder)) as server:
        for body in everything:
            status, said, taken = server.send(body)
            outcome[str(status)] += 1
            outcome["MiB at most"] = max(outcome["MiB at most"], round(taken))
            due = GROWTH_MIB_MAX if body.stays else min(GROWTH_MIB_MAX, GROWTH_FREE_MIB + GROWTH_MAX * len(body.content) / MIB)
            what = f"{body.what}, {len(body.content):,} bytes: {status}, {taken:.0f} MiB of {due:.0f}"
            if os.environ.get("GALLEY_PRINT_BODIES"):
                print(what, said[:200] if status != 201 else "", flush=True)
            if taken > due:
                wrong.append(what)
            if status // 100 == 5 or status == 401 or body.is_good and status != 201:
                wrong.append(f"{what}: {said[:300]!r}")
    if wrong:
        raise AssertionError("\n".join(wrong))
    return outcome


def at_once(target: Target, seconds: float) -> Outcome:
    """Sends many bodies concurrently. Those for which there is no memory get 503 with Retry-After."""
    outcome: Outcome = Counter()
    waiting = bodies(SIZES[1:3])[::3]

    def client() -> None:
        while waiting:
            try:
                status, _ = send(target.port, {"Authorization": f"Ghost {target.token}"}, waiting.pop())
                outcome[str(status)] += 1
            except OSError:
                # The server refused the body before all of it was sent.
                outcome["closed"] += 1

    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    if odd := {status for status in outcome if status[0] == "5" and status != "503"}:
        raise AssertionError(f"concurrent bodies get {', '.join(odd)}")
    return outcome


ATTACKS = {
    "bodies that expand in memory, one by one": one_by_one,
    "bodies that expand in memory, concurrently": at_once,
}
