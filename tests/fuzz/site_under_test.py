"""A site with an owner and a few records of each kind, for the fuzzer."""

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
from tokens import token

API = "/ghost/api"
OWNER = {"name": "Ada", "email": "ada@example.com", "password": "Sup3r-secret-pw!", "blogTitle": "Letters"}
# The records that are added to the ones of a new site.
SEEDS = {
    "posts": [{"title": "Night ferry", "status": "published", "tags": ["Letters"]}, {"title": "A draft"}],
    "pages": [{"title": "About", "status": "published"}],
    "tags": [{"name": "Harbour", "description": "Where ships are."}],
    "integrations": [{"name": "Readers"}, {"name": "Tried out"}],
    "tiers": [{"name": "Gold", "monthly_price": 500, "yearly_price": 5000, "currency": "usd"}],
    "newsletters": [{"name": "Weekly"}],
    "labels": [{"name": "Friends"}],
    "members": [{"name": "Ana", "email": "ana@example.com", "labels": ["Friends"]}, {"email": "ben@example.com"}],
    "snippets": [{"name": "Greeting", "mobiledoc": "{}"}],
    "recommendations": [{"title": "Elsewhere", "url": "https://example.org/"}],
}


class SiteUnderTest:
    """A server with a site, and the owner's credentials."""

    def __init__(self, address: str, cookie: str) -> None:
        self.address = address
        self.cookie = cookie
        self.staff_key = None
        self.readers = self.get("/admin/integrations/?include=api_keys")["integrations"][0]
        self.content_key = self.readers["api_keys"][0]["secret"]

    @classmethod
    def set_up(cls, address: str) -> "SiteUnderTest":
        """Sets up the new site at `address` with an owner and a few records."""
        headers = {"Content-Type": "application/json", "Origin": address}
        send(address, "POST", "/admin/authentication/setup/", headers, {"setup": [OWNER]})
        credentials = {"username": OWNER["email"], "password": OWNER["password"]}
        signed_in = send(address, "POST", "/admin/session/", headers, credentials)
        headers["Cookie"] = signed_in.headers["Set-Cookie"].split(";")[0]
        for plural, seeds in SEEDS.items():
            for seed in seeds:
                send(address, "POST", f"/admin/{plural}/", headers, {plural: [seed]})
        return cls(address, headers["Cookie"])

    def get(self, path: str) -> dict:
        headers = {"Cookie": self.cookie, "Origin": self.address}
        return json.load(send(self.address, "GET", path, headers))

    def records(self) -> dict[str, list[str]]:
        """Returns the identifiers of the records by resource, except for the integration whose key the reader requests use."""
        lists = {plural: self.get(f"/admin/{plural}/")[plural] for plural in [*SEEDS, "users"]}
        found = {plural: [record["id"] for record in listed] for plural, listed in lists.items()}
        found["integrations"].remove(self.readers["id"])
        return found

    def version(self, plural: str, identifier: str) -> str | None:
        """Returns the version (`updated_at`) that an update of this record requires, or None if the record does not exist any
        more."""
        try:
            return self.get(f"/admin/{plural}/{identifier}/")[plural][0]["updated_at"]
        except urllib.error.HTTPError:
            return None

    def authorization(self) -> str:
        """Returns an authorization header of the owner, whose key the fuzzer may have replaced."""
        if self.staff_key is None:
            key = self.get("/admin/users/me/token/")["apiKey"]
            self.staff_key = f"{key['id']}:{key['secret']}"
        return f"Ghost {token(self.staff_key)}"

    def forget_key(self) -> None:
        """Forgets the key, which has become invalid, so that a new one is requested."""
        self.staff_key = None


def send(address: str, method: str, path: str, headers: dict, body: dict | None = None):
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(address + API + path, data, headers, method=method))
