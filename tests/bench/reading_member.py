"""The speed of responses for a signed-in member, compared with the same response for all readers from memory. Takes a minute.

Responses for a member are built for each request and never cached. The two are measured in turns, and medians are reported.
"""

import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from admin_client import ADMIN
from aims import Aim
from content import write_site
from machine import GALLEY
from serving import CONNECTIONS, LIST, POST, ROUNDS, SERVER_CORE, SETTLED_S, Server, Site, ask, seed, start_galley, wrk_steady

TOOLS = ["wrk", "taskset"]
POSTS = 100
# The target: the rate of responses for a member, as a factor of that for all readers.
WANTED = 0.5
ORIGIN = "https://bench.example"
OWNER = {"username": "ada@bench.example", "password": "correct horse battery"}
QUESTIONS = [("15 posts with tags and authors", LIST), ("one post", POST)]


def measure() -> list[Aim]:
    """Prints requests per second for all readers and for a member, by cookie and by token."""
    with tempfile.TemporaryDirectory(prefix="galley-bench-") as folder:
        site = Site(POSTS, Path(folder) / "site")
        write_site(site.folder / "content", site.posts)
        time.sleep(SETTLED_S)
        seed(site)
        command = [GALLEY, "user", "create", "--name", "Ada", "--email", OWNER["username"], "--role", "owner"]
        command += ["--password-stdin", "--data", site.folder / "data"]
        subprocess.run(command, input=OWNER["password"], text=True, stdout=subprocess.DEVNULL, check=True)
        with start_galley(site, SERVER_CORE, GALLEY_STAFF_DEVICE_VERIFICATION="false") as server:
            return print_speeds(site, server, sign_in(server))


def sign_in(server: Server) -> dict[str, list[str]]:
    """Signs in a member with a link, and returns the header fields that authenticate the member."""
    owner = cookie_of(asked(server, "POST", f"{ADMIN}/session/", {}, OWNER))
    added = asked(server, "POST", f"{ADMIN}/members/", owner, {"members": [{"email": "ana@bench.example"}]})
    member = json.loads(added.text)["members"][0]["id"]
    link = asked(server, "GET", f"{ADMIN}/members/{member}/signin_urls/", owner)
    link = json.loads(link.text)["member_signin_urls"][0]["url"]
    cookie = cookie_of(asked(server, "GET", link.removeprefix(ORIGIN), {}))
    token = asked(server, "GET", "/members/api/session/", cookie).text
    return {"by cookie": [f"Cookie: {cookie['Cookie']}"], "by token": [f"Authorization: Bearer {token}"]}


class Response:
    """A complete response."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.text = response.read().decode()
        self.cookies = response.headers.get_all("set-cookie") or []


def asked(server: Server, method: str, target: str, fields: dict[str, str], body: dict | None = None) -> Response:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"Origin": ORIGIN, "Content-Type": "application/json", **fields}
    connection.request(method, target, json.dumps(body) if body else None, headers)
    response = connection.getresponse()
    reply = Response(response)
    connection.close()
    if response.status >= 400:
        sys.exit(f"{method} {target}: {response.status} {reply.text[:500]}")
    return reply


def cookie_of(reply: Response) -> dict[str, str]:
    return {"Cookie": "; ".join(cookie.split(";")[0] for cookie in reply.cookies)}


def print_speeds(site: Site, server: Server, member: dict[str, list[str]]) -> list[Aim]:
    aims = []
    print("| reply | for everybody, from memory, requests/s | for a member, by cookie | to everybody | by token | to everybody |")
    print("| --- |" + " ---: |" * 5)
    for name, target in QUESTIONS:
        target = target.format(key=site.key)
        with ask(server, target, dict(field.split(": ", 1) for field in member["by cookie"])) as response:
            if "no-store" not in response.headers["cache-control"]:
                sys.exit(f"the reply to {target} is not one for a member")
        fields = [[], *member.values()]
        rounds = [
            [wrk_steady(server, target, CONNECTIONS, own).requests_per_s for own in fields] for _ in range(ROUNDS)
        ]
        everybody, *own = [statistics.median(speeds) for speeds in zip(*rounds)]
        cells = " | ".join(f"{speed:,.0f} | {speed / everybody:.2f}" for speed in own)
        print(f"| {name} | {everybody:,.0f} | {cells} |", flush=True)
        for way, speed in zip(member, own):
            aims.append(Aim(f"{name} for a member, {way}: beside everybody", speed / everybody, WANTED))
    return aims
