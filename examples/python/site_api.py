"""The two APIs of a site, for scripts. Copy this file beside yours.

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
PER_PAGE = 100  # The API gives no more at once.


class ApiError(Exception):
    """What the API refused, in its own words. `kind` is a name such as UpdateCollisionError or NotFoundError."""

    def __init__(self, response: requests.Response):
        try:
            error = response.json()["errors"][0]
        except (ValueError, LookupError):  # Somebody in between responded.
            error = {"type": "HttpError", "message": response.reason}
        self.status = response.status_code
        self.kind = error["type"]
        super().__init__(" ".join(text for text in [error["message"], error.get("context")] if text))


class Api:
    """What both APIs have in common."""

    def __init__(self, name: str):
        self.address = f"{os.environ['GHOST_URL'].rstrip('/')}/ghost/api/{name}"
        self.session = requests.Session()
        self.session.headers["Accept-Version"] = "v6.0"

    def ask(self, method: str, path: str, **options) -> dict:
        """One request: the JSON that it gets."""
        response = self.session.request(method, f"{self.address}/{path}", timeout=TIMEOUT_S, **options)
        if not response.ok:
            raise ApiError(response)
        return response.json() if response.content else {}

    def browse(self, resource: str, **parameters) -> Iterator[dict]:
        """Everything that fits, page by page, as it is asked for."""
        page = 1
        while page:
            reply = self.ask("GET", f"{resource}/", params={"limit": PER_PAGE, **parameters, "page": page})
            yield from reply[resource]
            page = reply["meta"]["pagination"]["next"]


class ContentApi(Api):
    """What readers may see."""

    def __init__(self):
        super().__init__("content")
        self.session.params["key"] = os.environ["GHOST_CONTENT_API_KEY"]


class AdminApi(Api):
    """Everything else, with the rights of an integration."""

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
        """Uploads a photo: its address."""
        kind, _ = mimetypes.guess_type(path)
        with path.open("rb") as photo:
            reply = self.ask("POST", "images/upload/", files={"file": (path.name, photo, kind)})
        return reply["images"][0]["url"]
