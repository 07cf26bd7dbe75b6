"""Clients for the two APIs of a site. Copy this file next to your script.

Set GHOST_URL, and GHOST_CONTENT_API_KEY, GHOST_ADMIN_API_KEY or both.
"""

import mimetypes
import os
import time
from collections.abc import Iterator
from pathlib import Path

import jwt
import requests

TIMEOUT_S = 30
PER_PAGE = 100  # The maximum of the API.


class ApiError(Exception):
    """An error of the API, with its message. `kind` is a name such as UpdateCollisionError or NotFoundError."""

    def __init__(self, response: requests.Response):
        try:
            error = response.json()["errors"][0]
        except (ValueError, LookupError):  # The response is from a proxy, not from the API.
            error = {"type": "HttpError", "message": response.reason}
        self.status = response.status_code
        self.kind = error["type"]
        super().__init__(" ".join(text for text in [error["message"], error.get("context")] if text))


class Api:
    """The common part of both APIs."""

    def __init__(self, name: str):
        self.address = f"{os.environ['GHOST_URL'].rstrip('/')}/ghost/api/{name}"
        self.session = requests.Session()
        self.session.headers["Accept-Version"] = "v6.0"

    def ask(self, method: str, path: str, **options) -> dict:
        """Sends a request and returns the JSON of the response."""
        response = self.session.request(method, f"{self.address}/{path}", timeout=TIMEOUT_S, **options)
        if not response.ok:
            raise ApiError(response)
        return response.json() if response.content else {}

    def browse(self, resource: str, **parameters) -> Iterator[dict]:
        """Yields all matching records, and requests the pages as needed."""
        page = 1
        while page:
            reply = self.ask("GET", f"{resource}/", params={"limit": PER_PAGE, **parameters, "page": page})
            yield from reply[resource]
            page = reply["meta"]["pagination"]["next"]


class ContentApi(Api):
    """Reads published content."""

    def __init__(self):
        super().__init__("content")
        self.session.params["key"] = os.environ["GHOST_CONTENT_API_KEY"]


class AdminApi(Api):
    """Reads and changes everything, with the rights of an integration."""

    def __init__(self):
        super().__init__("admin")
        self.key, secret = os.environ["GHOST_ADMIN_API_KEY"].split(":")
        self.secret = bytes.fromhex(secret)

    def ask(self, method: str, path: str, **options) -> dict:
        now = int(time.time())
        claims = {"iat": now, "exp": now + 300, "aud": "/admin/"}
        token = jwt.encode(claims, self.secret, algorithm="HS256", headers={"kid": self.key})
        return super().ask(method, path, headers={"Authorization": f"Ghost {token}"}, **options)

    def upload_image(self, path: Path) -> str:
        """Uploads an image and returns its URL."""
        kind, _ = mimetypes.guess_type(path)
        with path.open("rb") as photo:
            reply = self.ask("POST", "images/upload/", files={"file": (path.name, photo, kind)})
        return reply["images"][0]["url"]
