"""aioghost, the client of Home Assistant's integration: all of its calls, with the key that Galley creates by default."""

import os
import unittest

from aioghost import GhostAdminAPI, GhostAuthError, GhostConnectionError, GhostValidationError
from pyghost import GhostClient

URL, KEY = os.environ["GHOST_URL"], os.environ["GHOST_ADMIN_API_KEY"]
RECEIVER = "https://home.example.com/ghost"


def client(key):
    """Returns a client for http. The client requires https by default, which a proxy would provide; this test has no proxy."""
    api = GhostAdminAPI("https://site.example", key)
    api.api_url = URL
    return api


class Shown(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.api = client(KEY)
        self.addAsyncCleanup(self.api.close)

    async def test_site_has_its_name_and_version(self):
        self.assertTrue(await self.api.validate_credentials())
        site = await self.api.get_site()
        self.assertEqual(site["title"], "Programs")
        self.assertTrue(site["version"].startswith("6."))

    async def test_a_wrong_secret_is_an_error_of_authentication(self):
        other = client(KEY.split(":")[0] + ":" + "0" * 64)
        self.addAsyncCleanup(other.close)
        with self.assertRaises(GhostAuthError):
            await other.get_comments_count()

    async def test_posts_are_counted_by_status_and_the_latest_is_shown(self):
        posts = GhostClient(URL, KEY).posts
        post = posts.create("Shown at home", "<p>Text.</p>")
        self.assertEqual((await self.api.get_posts_count())["drafts"], 1)
        posts.publish(post["id"], post["updated_at"])
        self.assertEqual(await self.api.get_posts_count(), {"published": 1, "drafts": 0, "scheduled": 0})
        self.assertEqual((await self.api.get_latest_post())["title"], "Shown at home")
        self.assertIsNone(await self.api.get_latest_email())

    async def test_members_and_income_are_counted(self):
        counts = await self.api.get_members_count()
        self.assertEqual(counts, {"total": 0, "paid": 0, "free": 0, "comped": 0, "gift": 0})
        self.assertEqual((await self.api.get_mrr(), await self.api.get_arr()), ({}, {}))

    async def test_newsletters_tiers_and_comments_are_read_with_a_key(self):
        self.assertEqual([one["name"] for one in await self.api.get_newsletters()], ["Programs"])
        self.assertEqual([one["slug"] for one in await self.api.get_tiers()], ["free", "default-product"])
        self.assertEqual(await self.api.get_comments_count(), 0)

    async def test_missing_features_are_counted_as_zero(self):
        self.assertEqual(await self.api.get_activitypub_stats(), {"followers": 0, "following": 0})

    async def test_webhooks_are_created_once_and_deleted(self):
        webhook = await self.api.create_webhook("member.added", RECEIVER)
        with self.assertRaisesRegex(GhostValidationError, "already exists"):
            await self.api.create_webhook("member.added", RECEIVER)
        # The client reports the empty response of Ghost (204) as an error, although the webhook is
        # deleted.
        with self.assertRaisesRegex(GhostConnectionError, "204"):
            await self.api.delete_webhook(webhook["id"])
        again = await self.api.create_webhook("member.added", RECEIVER)
        self.assertNotEqual(again["id"], webhook["id"])
