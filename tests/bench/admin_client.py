"""Sends requests to the Admin API, over one persistent connection."""

import http.client
import json

from serving import Server
from tokens import token

ADMIN = "/ghost/api/admin"


class Client:
    """A client with an Admin API key."""

    def __init__(self, server: Server, key: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.key = key

    def ask(self, method: str, path: str, body: dict | None = None) -> dict:
        headers = {"Content-Type": "application/json", "Authorization": f"Ghost {token(self.key)}"}
        self.connection.request(method, f"{ADMIN}{path}", json.dumps(body) if body else None, headers)
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status >= 300:
            raise RuntimeError(f"{method} {path}: {reply.status} {text[:500]}")
        return json.loads(text) if text else {}
