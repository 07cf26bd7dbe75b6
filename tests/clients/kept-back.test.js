// Clients that are not in a registry: their requests, and the parts of responses on which they depend. Zapier's app depends on
// messages and on `config/`, Next.js' example cms-ghost on "not found" in a message, and Ghost's admin app on "Authorization
// failed".

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import AdminAPI from "@tryghost/admin-api";
import ContentAPI from "@tryghost/content-api";

import { noContent, orchard, serve } from "./galley.js";

describe("Zapier's app", () => {
  let galley;
  let key;

  before(async () => {
    galley = await serve(noContent);
    ({ adminKey: key } = await galley.setUp("Zaps"));
  });

  after(() => galley.stop());

  const admin = (adminKey = key) => new AdminAPI({ url: galley.url, key: adminKey, version: "v6.0" });

  test("connects: reads the site's version, then the configuration with a new key", async () => {
    const site = await admin().site.read();
    assert.match(site.version, /^6\./);
    assert.equal((await admin().config.read()).version, site.version);
  });

  test("a wrong secret results in an error about an invalid token", async () => {
    const wrong = `${key.split(":")[0]}:${"0".repeat(64)}`;
    await assert.rejects(admin(wrong).config.read(), /invalid token/i);
  });

  test("a search for an unknown author results in a NotFoundError", async () => {
    await assert.rejects(admin().users.read({ email: "unknown@example.com" }), {
      name: "NotFoundError",
      message: /not found/i,
    });
  });

  test("subscribes with the id of the key as the id of the integration, and unsubscribes", async () => {
    const [keyId] = key.split(":");
    const target = { integration_id: keyId, target_url: "https://hooks.example.com/1", event: "member.added" };
    const webhook = await admin().webhooks.add(target);
    await assert.rejects(admin().webhooks.add(target), { name: "ValidationError", message: /already exists/ });
    await admin().webhooks.delete({ id: webhook.id });
    await admin().webhooks.add(target);
  });
});

describe("Next.js' example cms-ghost", () => {
  let galley;
  let api;

  before(async () => {
    galley = await serve(orchard);
    api = new ContentAPI({ url: galley.url, key: galley.key, version: "v3" });
  });

  after(() => galley.stop());

  test("a missing post is reported by its message", async () => {
    await assert.rejects(api.posts.read({ slug: "no-such-post", include: "authors" }), /not found/i);
  });

  test("reads all slugs, the home page, and a post with related posts", async () => {
    const slugs = await api.posts.browse({ fields: "slug", limit: "all" });
    assert.ok(slugs.length > 3);
    const home = await api.posts.browse({ limit: "all", include: "authors", order: "published_at DESC" });
    assert.equal(home.length, slugs.length);
    assert.ok(home.every((post) => post.authors.length > 0));
    const [{ slug }] = home;
    assert.equal((await api.posts.read({ slug, include: "authors" })).slug, slug);
    assert.equal((await api.posts.browse({ limit: 3, include: "authors" })).length, 3);
  });
});

describe("Ghost's admin app", () => {
  test("opens its sign-in form only for this message", async () => {
    const galley = await serve(noContent);
    try {
      const response = await fetch(`${galley.url}/ghost/api/admin/users/me/?include=roles`);
      const { errors } = await response.json();
      assert.equal(response.status, 403);
      assert.equal(errors[0].message, "Authorization failed");
    } finally {
      await galley.stop();
    }
  });
});
