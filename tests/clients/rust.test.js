// ghost-io-api, a crate: a program in Rust reads the site with it and prints the parsed records.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import GhostContentAPI from "@tryghost/content-api";

import { orchard, serve } from "./galley.js";

const program = new URL("../../target/client-tools/rust/debug/galley-client-ghost-io-api", import.meta.url);

describe("ghost-io-api", () => {
  let galley;
  let content;
  let understood;

  before(async () => {
    galley = await serve(orchard);
    content = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
    const { adminKey, contentKey } = await galley.createKeys("Rust");
    const env = { GHOST_URL: galley.url, GHOST_CONTENT_API_KEY: contentKey, GHOST_ADMIN_API_KEY: adminKey };
    const { stdout } = await promisify(execFile)(fileURLToPath(program), [], { env });
    understood = JSON.parse(stdout);
  });

  after(() => galley.stop());

  for (const resource of ["posts", "pages", "tags", "authors", "tiers"]) {
    test(`browses the same ${resource} as the official client`, async () => {
      const official = await content[resource].browse();
      assert.ok(official.length > 1);
      const same = (records) => records.map(({ id, slug }) => [id, slug]);
      assert.deepEqual(same(understood[resource]), same(official));
    });
  }

  test("reads a post with its authors and tags", () => {
    const { title, url, html, authors, tags } = understood.post;
    assert.deepEqual([title, url], ["Harvest", "https://orchard.example/harvest/"]);
    assert.match(html, /<p>/);
    assert.deepEqual(authors.map(({ slug }) => slug), ["ada", "ben"]);
    assert.equal(tags[0].slug, "trees");
  });

  test("reads a page, settings and counts", () => {
    assert.equal(understood.page.slug, "about");
    assert.equal(understood.settings.title, "The Orchard");
    assert.deepEqual(understood.settings.navigation.map(({ label }) => label), ["Home", "About"]);
    for (const { slug, count } of [...understood.tags, ...understood.authors]) {
      assert.ok(count.posts > 0, slug);
    }
  });

  test("filters and orders posts", async () => {
    const featured = await content.posts.browse({ filter: "featured:true", order: "title asc" });
    assert.deepEqual(understood.featured, featured.map(({ title }) => title));
  });

  test("reports a post that does not exist", () => {
    assert.equal(understood.missing.type, "NotFoundError");
  });

  // The tokens of the crate have no audience (`aud`), so Ghost refuses them as well.
  test("cannot write", () => {
    assert.equal(understood.admin.type, "UnauthorizedError");
  });
});
