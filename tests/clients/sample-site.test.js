// The sample site of the repository: both clients read all of it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { TSGhostContentAPI } from "@ts-ghost/content-api";
import GhostContentAPI from "@tryghost/content-api";

import { sampleSite, serve } from "./galley.js";

describe("the sample site", () => {
  let galley;
  let official;
  let strict;

  before(async () => {
    galley = await serve(sampleSite);
    official = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
    strict = new TSGhostContentAPI(galley.url, galley.key, "v6.0");
  });

  after(() => galley.stop());

  for (const resource of ["posts", "pages", "tags", "authors"]) {
    test(`both clients see the same ${resource}`, async () => {
      const records = await official[resource].browse();
      assert.ok(records.length > 1);
      const { success, data } = await strict[resource].browse().fetch();
      assert.equal(success, true);
      assert.deepEqual(
        data.map((record) => record.id),
        records.map((record) => record.id),
      );
    });
  }

  test("both clients read settings, tiers and newsletters", async () => {
    const settings = await strict.settings.fetch();
    assert.equal(settings.success, true);
    assert.equal((await official.settings.browse()).title, settings.data.title);
    const tiers = await strict.tiers.browse().include({ benefits: true }).fetch();
    assert.equal(tiers.success, true);
    assert.equal((await official.tiers.browse()).length, tiers.data.length);
    assert.ok((await official.newsletters.browse()).length > 0);
  });

  test("serves every image of a post", async () => {
    const posts = await official.posts.browse({ limit: "all", fields: "feature_image" });
    const images = new Set(posts.map((post) => post.feature_image).filter(Boolean));
    for (const image of images) {
      assert.equal((await fetch(image)).status, 200, image);
    }
  });
});
