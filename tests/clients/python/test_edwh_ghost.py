"""edwh-ghost: a program manages posts, pages, tags and members with the URLs of Ghost 4, which are the default of this client,
and with those of Ghost 5."""

import os
import unittest
from pathlib import Path

from ghost import GhostAdmin, GhostContent
from ghost.exceptions import GhostResponseException

SITE = os.environ["GHOST_URL"]
CONTENT_KEY = os.environ["GHOST_CONTENT_API_KEY"]
ADMIN_KEY = os.environ["GHOST_ADMIN_API_KEY"]
IMAGE = Path(__file__).with_name("dot.jpg")


class Stored:
    """Tests for every version of the API that the client supports."""

    version: str

    def setUp(self):
        self.admin = GhostAdmin(SITE, contentAPIKey=CONTENT_KEY, adminAPIKey=ADMIN_KEY, api_version=self.version)
        self.content = GhostContent(SITE, CONTENT_KEY, api_version=self.version)

    def tearDown(self):
        self.admin.posts.delete()
        self.admin.pages.delete()

    def publish(self, title, **more):
        return self.admin.posts.create(title=title, html=f"<p>{title}.</p>", status="published", **more)["posts"][0]

    def test_a_post_is_created_read_updated_and_deleted(self):
        created = self.publish("Stored by a program", tags=["Programs"])
        post = self.admin.post(created["id"])
        self.assertEqual(post.html, "<p>Stored by a program.</p>")
        self.assertEqual(list(post.tags), ["programs"])

        post.update(title="Stored and changed")
        self.assertEqual(self.content.post(slug=created["slug"]).title, "Stored and changed")
        self.admin.posts.update(created["id"], {"featured": True})
        self.assertIs(self.content.post(created["id"]).featured, True)

        self.assertIs(self.admin.posts.delete(created["id"]), True)
        with self.assertRaises(GhostResponseException) as refused:
            self.content.post(created["id"])
        self.assertEqual(refused.exception.error_type, "NotFoundError")

    def test_posts_are_found_paged_and_deleted_together(self):
        for number in range(5):
            self.publish(f"Number {number}", featured=number > 2)
        self.assertEqual(len(self.content.posts()), 5)
        featured = self.content.posts(featured="true", fields=["title"], order="title asc")
        self.assertEqual([post.title for post in featured], ["Number 3", "Number 4"])
        first = self.content.posts(limit=2, order="title asc")
        self.assertEqual([post.title for post in first.next()], ["Number 2", "Number 3"])
        self.assertEqual(len(list(self.content.posts.paginate(per=2))), 5)
        self.assertEqual(self.admin.posts.delete(featured="true"), [True, True])
        self.assertEqual(len(self.admin.posts()), 3)

    def test_a_page_is_created_and_read(self):
        page = self.admin.pages.create(title="About", html="<p>Us.</p>", status="published")["pages"][0]
        self.assertEqual(self.content.page(slug="about").id, page["id"])

    def test_tags_and_authors_are_read(self):
        self.publish("Tagged", tags=["Programs"])
        self.assertIn("programs", [tag.slug for tag in self.admin.tags()])
        self.assertEqual([author.name for author in self.content.authors()], ["Ada Owner"])
        self.assertEqual([user.name for user in self.admin.users()], ["Ada Owner"])

    def test_members_are_created_and_deleted(self):
        created = self.admin.members.create(email="eve@example.com", name="Eve")["members"][0]
        self.assertEqual([member.email for member in self.admin.members()], ["eve@example.com"])
        self.assertIs(self.admin.members.delete(created["id"]), True)

    def test_an_image_is_uploaded(self):
        self.assertRegex(self.admin.image.upload(str(IMAGE)), r"/content/images/.*dot.*\.jpg$")

    def test_site_and_settings_are_read(self):
        self.assertEqual(self.admin.site()["title"], "Programs")
        self.assertEqual(self.content.settings().title, "Programs")


class Version4(Stored, unittest.TestCase):
    version = "v4"


class Version5(Stored, unittest.TestCase):
    version = "v5"


if __name__ == "__main__":
    unittest.main()
