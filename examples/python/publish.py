"""Publishes an HTML file as a post, or updates that post.

usage: publish.py FILE.html --title TITLE [--image FILE] [--tag NAME]... [--draft]

The name of the file is the post's slug, so another run updates the same post.
"""

import argparse
import sys
from pathlib import Path

from site_api import AdminApi, ApiError

ATTEMPTS_MAX = 3


def main() -> None:
    arguments = read_arguments()
    api = AdminApi()
    wanted = {
        "title": arguments.title,
        "html": arguments.file.read_text(encoding="utf-8"),
        "tags": arguments.tag,
        "status": "draft" if arguments.draft else "published",
    }
    if arguments.image:
        wanted["feature_image"] = api.upload_image(arguments.image)
    post = put(api, arguments.file.stem, wanted)
    print(post["status"], post["url"])


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--title", required=True)
    parser.add_argument("--image", type=Path)
    parser.add_argument("--tag", action="append", default=[])
    parser.add_argument("--draft", action="store_true")
    return parser.parse_args()


def put(api: AdminApi, slug: str, wanted: dict) -> dict:
    """Adds or updates the post with this slug, and returns it."""
    for attempt in range(1, ATTEMPTS_MAX + 1):
        there = find(api, slug)
        try:
            if there is None:
                return send(api, "POST", "posts/", {"slug": slug, **wanted})
            # With the updated_at that was read, two writers cannot silently overwrite each other's changes.
            return send(api, "PUT", f"posts/{there['id']}/", {"updated_at": there["updated_at"], **wanted})
        except ApiError as error:
            # Somebody has changed the post since it was read: read it again. An editor would ask the user instead.
            if error.kind != "UpdateCollisionError" or attempt == ATTEMPTS_MAX:
                raise
    raise AssertionError("the last attempt returns or raises")


def find(api: AdminApi, slug: str) -> dict | None:
    try:
        return api.ask("GET", f"posts/slug/{slug}/")["posts"][0]
    except ApiError as error:
        if error.kind == "NotFoundError":
            return None
        raise


def send(api: AdminApi, method: str, path: str, post: dict) -> dict:
    return api.ask(method, path, params={"source": "html"}, json={"posts": [post]})["posts"][0]


if __name__ == "__main__":
    try:
        main()
    except ApiError as error:
        sys.exit(f"{error.kind}: {error}")
