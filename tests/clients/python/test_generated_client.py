"""openapi-python-client: the package generated from the served document adds, edits and reads a post."""

import importlib
import os
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

import jwt

URL = os.environ["GHOST_URL"]
CONFIG = Path(__file__).with_name("generator.yml")


def token():
    key, secret = os.environ["GHOST_ADMIN_API_KEY"].split(":")
    now = datetime.now(timezone.utc)
    claims = {"iat": now, "exp": now + timedelta(minutes=5), "aud": "/admin/"}
    return jwt.encode(claims, bytes.fromhex(secret), "HS256", {"kid": key})


class Generated(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        package = Path(folder.name) / "made"
        generate = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"]
        document = ["--url", f"{URL}/ghost/api/openapi.json", "--output-path", package, "--config", CONFIG]
        made = subprocess.run([*generate, *document], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        sys.path.insert(0, str(package))
        self.addCleanup(sys.path.remove, str(package))

    def test_a_post_is_added_edited_and_read(self):
        def module(name):
            return importlib.import_module(f"galley_client.{name}")

        def body(name, post):
            return getattr(module("models"), name).from_dict({"posts": [post]})

        client = module("client").AuthenticatedClient(f"{URL}/ghost/api", token(), prefix="Ghost")
        add, edit, read = (module(f"api.posts.admin_{verb}") for verb in ("add_posts", "edit_posts_by_id", "read_posts_by_id"))

        new = {"title": "Typed", "html": "<p>One.</p>", "tags": ["Salt", {"name": "Letters"}]}
        added = add.sync(client=client, body=body("AdminAddPostsBody", new), source="html").posts[0]
        post = read.sync(added.id, client=client).posts[0]
        self.assertEqual((post.title, [tag.name for tag in post.tags]), ("Typed", ["Salt", "Letters"]))

        change = {"title": "Typed twice", "status": "published", "updated_at": post.updated_at.isoformat()}
        edited = edit.sync(added.id, client=client, body=body("AdminEditPostsByIdBody", change))
        self.assertEqual(edited.posts[0].title, "Typed twice")

        public = module("client").Client(f"{URL}/ghost/api")
        seen = module("api.content_api.read_posts_by_id").sync(added.id, client=public, key=os.environ["GHOST_CONTENT_API_KEY"])
        self.assertEqual(seen.posts[0].title, "Typed twice")
