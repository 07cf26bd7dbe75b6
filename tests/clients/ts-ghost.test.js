// @ts-ghost/content-api: its schemas reject a response in which a key is missing or has another type.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { TSGhostContentAPI } from "@ts-ghost/content-api";

import { orchard, serve } from "./galley.js";

/** Returns the data of a successful response. The client has already thrown if its schema does not accept the response. */
async function accepted(request) {
  const result = await request.fetch();
  assert.equal(result.success, true, JSON.stringify(result.errors));
  return result.data;
}

describe("@ts-ghost/content-api", () => {
  let galley;
  let api;

  before(async () => {
    galley = await serve(orchard);
    api = new TSGhostContentAPI(galley.url, galley.key, "v6.0");
  });

  after(() => galley.stop());

  for (const resource of ["posts", "pages", "tags", "authors"]) {
    test(`browses ${resource} and reads each by slug and by id`, async () => {
      const records = await accepted(api[resource].browse());
      assert.ok(records.length > 1);
      for (const { id, slug } of records) {
        assert.equal((await accepted(api[resource].read({ slug }))).id, id);
        assert.equal((await accepted(api[resource].read({ id }))).slug, slug);
      }
    });
  }

  for (const resource of ["posts", "pages"]) {
    test(`browses and reads ${resource} with tags, authors and all formats`, async () => {
      const relations = { tags: true, authors: true };
      const formats = { html: true, plaintext: true };
      const records = await accepted(api[resource].browse().include(relations).formats(formats));
      for (const record of records) {
        assert.ok(record.authors.length > 0);
        assert.equal(typeof record.plaintext, "string");
        const read = api[resource].read({ id: record.id }).include(relations).formats(formats);
        assert.deepEqual(await accepted(read), record);
      }
    });

    test(`selects fields of ${resource}`, async () => {
      const fields = { slug: true, title: true, url: true, published_at: true };
      const records = await accepted(api[resource].browse({ limit: 2 }).fields(fields));
      assert.deepEqual(Object.keys(records[0]).sort(), Object.keys(fields).sort());
      const { slug } = records[0];
      assert.deepEqual(await accepted(api[resource].read({ slug }).fields(fields)), records[0]);
    });
  }

  for (const resource of ["tags", "authors"]) {
    test(`counts the posts of ${resource}`, async () => {
      const count = { "count.posts": true };
      const records = await accepted(api[resource].browse().include(count));
      for (const record of records) {
        assert.ok(record.count.posts > 0);
        const read = api[resource].read({ id: record.id }).include(count);
        assert.deepEqual(await accepted(read), record);
      }
    });
  }

  // The client's schema requires the benefits, which are only included on request (specification 2.6).
  test("browses tiers with prices and benefits", async () => {
    const include = { monthly_price: true, yearly_price: true, benefits: true };
    const tiers = await accepted(api.tiers.browse().include(include));
    assert.deepEqual(
      tiers.map((tier) => [tier.type, tier.monthly_price, tier.benefits.length]),
      [
        ["free", null, 1],
        ["paid", 300, 2],
      ],
    );
  });

  test("reads the settings", async () => {
    const settings = await accepted(api.settings);
    assert.equal(settings.title, "The Orchard");
    assert.equal(settings.lang, "en");
  });

  test("filters and orders posts", async () => {
    const filter = "featured:false+slug:-cider";
    const posts = await accepted(api.posts.browse({ filter, order: "title DESC", limit: 2 }));
    assert.deepEqual(posts.map((post) => post.slug), ["pruning", "grafting"]);
  });

  test("paginates", async () => {
    const titles = [];
    let cursor = await api.posts.browse({ limit: 3, order: "title asc" }).paginate();
    while (cursor) {
      assert.equal(cursor.current.success, true);
      titles.push(...cursor.current.data.map((post) => post.title));
      cursor = await cursor.next?.paginate();
    }
    assert.deepEqual(titles, [
      "Bees",
      "Blossom",
      "Cider",
      "Frost",
      "Grafting",
      "Harvest",
      "Pruning",
    ]);
  });

  test("reads all posts", async () => {
    assert.equal((await accepted(api.posts.browse({ limit: "all" }))).length, 7);
  });

  test("parses the errors for an invalid key and an unknown slug", async () => {
    const unknown = new TSGhostContentAPI(galley.url, "0123456789abcdef0123456789", "v6.0");
    const refused = await unknown.posts.browse().fetch();
    assert.deepEqual([refused.success, refused.status], [false, 401]);
    assert.equal(refused.errors[0].type, "UnauthorizedError");
    const missing = await api.posts.read({ slug: "nowhere" }).fetch();
    assert.deepEqual([missing.success, missing.status], [false, 404]);
    assert.equal(missing.errors[0].type, "NotFoundError");
  });
});
