"""pyghost: a program writes posts and pages, manages members, tiers, newsletters and offers, and registers webhooks."""

import os
import unittest
from datetime import datetime, timezone
from pathlib import Path

from pyghost import GhostClient
from pyghost.exceptions import GhostAPIError, NotFoundError

IMAGE = Path(__file__).with_name("dot.jpg")


class Written(unittest.TestCase):
    def setUp(self):
        self.client = GhostClient(os.environ["GHOST_URL"], os.environ["GHOST_ADMIN_API_KEY"])

    def assertDeletes(self, resource, record):
        """Asserts that the record is deleted, although the client reports the empty response of Ghost (204) as an error."""
        with self.assertRaises(GhostAPIError) as mistaken:
            resource.delete(record["id"])
        self.assertEqual(mistaken.exception.status_code, 204)

    def test_a_post_is_created_published_withdrawn_and_deleted(self):
        posts = self.client.posts
        post = posts.create(
            "Written in Python",
            "<p>Indented.</p>",
            tags=["Snakes"],
            authors=["ada@example.com"],
            custom_excerpt="In short",
        )
        self.assertEqual((post["status"], post["custom_excerpt"]), ("draft", "In short"))
        self.assertEqual([tag["name"] for tag in post["tags"]], ["Snakes"])

        post = posts.publish(post["id"], post["updated_at"])
        self.assertEqual(post["status"], "published")
        post = posts.update(post["id"], post["updated_at"], content="<p>Dedented.</p>", content_type="html")
        self.assertEqual(posts.get(post["id"], formats="html")["html"], "<p>Dedented.</p>")
        self.assertEqual(posts.list(filter_="tag:snakes", limit=5)["meta"]["pagination"]["total"], 1)

        post = posts.unpublish(post["id"], post["updated_at"])
        post = posts.schedule(post["id"], post["updated_at"], datetime(2035, 1, 1, tzinfo=timezone.utc))
        self.assertEqual(post["published_at"], "2035-01-01T00:00:00.000Z")
        self.assertDeletes(posts, post)
        with self.assertRaises(NotFoundError):
            posts.get(post["id"])

    def test_a_page_is_created_updated_copied_and_deleted(self):
        pages = self.client.pages
        page = pages.create("About", "<p>Us.</p>", content_type="html")
        page = pages.update(page["id"], page["updated_at"], title="About us")
        page = pages.publish(page["id"], page["updated_at"])
        copy = pages.copy(page["id"])
        self.assertEqual((copy["title"], copy["status"]), ("About us (Copy)", "draft"))
        for one in (page, copy):
            self.assertDeletes(pages, one)
        self.assertEqual(pages.list()["pages"], [])

    def test_members_are_stored_with_labels_and_newsletters(self):
        members = self.client.members
        newsletter = self.client.newsletters.get_default_newsletter()
        member = members.create("guy@example.com", name="Guy", labels=["Early"], newsletters=[newsletter["id"]])
        self.assertEqual(members.get_by_email("guy@example.com")["id"], member["id"])
        self.assertEqual([one["id"] for one in members.get_members_by_label("early")], [member["id"]])
        members.add_labels(member["id"], ["Loud"])
        member = members.remove_labels(member["id"], ["Early"])
        self.assertEqual([label["name"] for label in member["labels"]], ["Loud"])
        member = members.unsubscribe_from_newsletters(member["id"], [newsletter["id"]])
        self.assertEqual(member["newsletters"], [])
        self.assertEqual(members.get_member_statistics()["free"], 1)
        self.assertDeletes(members, member)

    def test_tiers_offers_and_newsletters_are_stored(self):
        tiers, offers, newsletters = self.client.tiers, self.client.offers, self.client.newsletters
        tier = tiers.create("Patrons", monthly_price=900, yearly_price=9000, benefits=["Thanks"])
        self.assertEqual(tiers.update(tier["id"], name="Friends")["name"], "Friends")
        self.assertIn(tier["id"], [one["id"] for one in tiers.get_paid_tiers()])
        self.assertEqual(tiers.get_free_tier()["type"], "free")

        offer = offers.create("Spring", "spring", "Spring", "A tenth off", "percent", 10, "once", tier["id"])
        self.assertEqual(offers.get_by_code("spring")["id"], offer["id"])
        self.assertEqual(offers.update(offer["id"], display_title="Spring!")["display_title"], "Spring!")
        self.assertEqual([one["code"] for one in offers.get_active_offers()], ["spring"])

        letter = newsletters.create("Bulletin")
        self.assertEqual(newsletters.update(letter["id"], name="Bulletins")["name"], "Bulletins")
        self.assertEqual(newsletters.update(letter["id"], status="archived")["status"], "archived")
        self.assertFalse(tiers.archive(tier["id"])["active"])

    def test_users_are_read(self):
        users = self.client.users
        self.assertEqual([user["name"] for user in users.list(include="roles")["users"]], ["Ada Owner"])
        owner = users.get_by_email("ada@example.com")
        self.assertEqual(users.get_by_slug(owner["slug"])["id"], owner["id"])
        self.assertEqual(users.get(owner["id"])["email"], "ada@example.com")

    def test_an_image_is_uploaded(self):
        image = self.client.images.upload(str(IMAGE))
        self.assertRegex(image["url"], r"/content/images/.*dot.*\.jpg$")

    def test_a_webhook_is_registered_changed_and_removed(self):
        webhooks = self.client.webhooks
        webhook = webhooks.create("post.published", "https://build.example/hook", name="Build")
        webhook = webhooks.update(webhook["id"], event="site.changed")
        self.assertEqual(webhook["event"], "site.changed")
        self.assertDeletes(webhooks, webhook)

    def test_webhooks_cannot_be_listed(self):
        """Ghost does not list webhooks either, and responds to an older client with 406."""
        with self.assertRaises(GhostAPIError) as refused:
            self.client.webhooks.list()
        self.assertEqual(refused.exception.status_code, 406)


if __name__ == "__main__":
    unittest.main()
