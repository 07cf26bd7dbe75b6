"""Tokens of the Admin API, as clients create them from a key."""

import base64
import hashlib
import hmac
import json
import time

# The validity of a token, in seconds. Galley rejects tokens that are older than five minutes.
TOKEN_S = 240


def token(key: str, now: float | None = None) -> str:
    """Returns a token for an Admin API key, `id:secret`, created at `now`, in seconds since 1970, by default the current time."""
    identifier, secret = key.split(":")
    now = int(time.time() if now is None else now)
    header = {"alg": "HS256", "typ": "JWT", "kid": identifier}
    parts = [header, {"iat": now, "exp": now + TOKEN_S, "aud": "/admin/"}]
    text = b".".join(encoded(json.dumps(part).encode()) for part in parts)
    signature = hmac.digest(bytes.fromhex(secret), text, hashlib.sha256)
    return (text + b"." + encoded(signature)).decode()


def encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
