// The official client, @tryghost/content-api, reads all resources that it supports.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import GhostContentAPI from "@tryghost/content-api";

import { orchard, serve } from "./galley.js";

const slugs = (records) => records.map((record) => record.slug);
const newestFirst = ["cider", "frost", "harvest", "bees", "blossom", "grafting", "pruning"];

describe("@tryghost/content-api", () => {
  let galley;
  let api;

  before(async () => {
    galley = await serve(orchard);
    api = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
  });

  after(async () => {
    assert.equal(await galley.stop(), 0, "a stop by signal is a normal exit");
  });

  test("browses posts, newest first, without drafts", async () => {
    const posts = await api.posts.browse();
    assert.deepEqual(slugs(posts), newestFirst);
    assert.deepEqual(posts.meta.pagination, {
      page: 1,
      limit: 15,
      pages: 1,
      total: 7,
      next: null,
      prev: null,
    });
  });

  test("reads a post by slug and by id as one object without meta", async () => {
    const bySlug = await api.posts.read({ slug: "harvest" });
    assert.equal(bySlug.title, "Harvest");
    assert.equal(bySlug.featured, true);
    assert.equal(bySlug.meta, undefined);
    const byId = await api.posts.read({ id: bySlug.id });
    assert.deepEqual(byId, bySlug);
  });

  test("returns absolute URLs and dates in the site's time zone", async () => {
    const post = await api.posts.read({ slug: "harvest" });
    assert.equal(post.url, "https://orchard.example/harvest/");
    assert.equal(
      post.feature_image,
      "https://orchard.example/content/images/posts/harvest/basket.svg",
    );
    assert.match(post.html, /<a href="https:\/\/orchard\.example\/frost\/">/);
    assert.equal(post.published_at, "2025-09-20T10:00:00.000+02:00");
  });

  test("includes tags and authors", async () => {
    const post = await api.posts.read({ slug: "harvest" }, { include: ["tags", "authors"] });
    assert.deepEqual(slugs(post.tags), ["trees", "autumn", "hash-long"]);
    assert.deepEqual(slugs(post.authors), ["ada", "ben"]);
    assert.equal(post.primary_tag.slug, "trees");
    assert.equal(post.primary_author.slug, "ada");
    const plain = await api.posts.read({ slug: "harvest" });
    assert.equal("tags" in plain || "authors" in plain, false);
  });

  test("returns only the requested fields", async () => {
    const posts = await api.posts.browse({ fields: ["title", "url"], limit: 2 });
    for (const post of posts) {
      assert.deepEqual(Object.keys(post).sort(), ["title", "url"]);
    }
  });

  test("returns the requested formats", async () => {
    const both = await api.posts.read({ slug: "pruning" }, { formats: ["html", "plaintext"] });
    assert.equal(both.html, "<p>Cut above a bud that looks outward.</p>\n");
    assert.equal(both.plaintext.trim(), "Cut above a bud that looks outward.");
    const text = await api.posts.read({ slug: "pruning" }, { formats: ["plaintext"] });
    assert.equal("html" in text, false);
  });

  test("filters by tags, authors, texts, dates and groups", async () => {
    const found = async (filter) => slugs(await api.posts.browse({ filter }));
    assert.deepEqual(await found("tag:spring"), ["bees", "blossom"]);
    assert.deepEqual(await found("tag:trees+author:ben"), ["harvest", "blossom"]);
    assert.deepEqual(await found("featured:true,title:~'id'"), ["cider", "harvest"]);
    assert.deepEqual(await found("published_at:<'2025-04-01'"), ["grafting", "pruning"]);
    assert.deepEqual(await found("tag:-[trees,autumn]"), ["bees"]);
    assert.deepEqual(await found("slug:[bees,cider]+(tag:spring,featured:true)"), ["bees"]);
    assert.deepEqual(await found("status:draft"), newestFirst, "a filter by a private field is ignored");
  });

  test("orders posts", async () => {
    const posts = await api.posts.browse({ order: "title asc", fields: "slug", limit: 3 });
    assert.deepEqual(slugs(posts), ["bees", "blossom", "cider"]);
  });

  test("paginates", async () => {
    const seen = [];
    let page = 1;
    while (page) {
      const posts = await api.posts.browse({ limit: 3, page, fields: ["slug"] });
      assert.equal(posts.meta.pagination.pages, 3);
      assert.equal(posts.meta.pagination.prev, page === 1 ? null : page - 1);
      seen.push(...slugs(posts));
      page = posts.meta.pagination.next;
    }
    assert.deepEqual(seen, newestFirst);
  });

  test("does not return members-only content", async () => {
    const paid = await api.posts.read({ slug: "cider" });
    assert.deepEqual([paid.access, paid.html], [false, ""]);
    const half = await api.posts.read({ slug: "grafting" });
    assert.equal(half.access, false);
    assert.match(half.html, /Anybody can look/);
    assert.doesNotMatch(half.html, /knot/);
  });

  test("browses and reads pages", async () => {
    const pages = await api.pages.browse();
    assert.deepEqual(slugs(pages), ["about", "contact"]);
    const about = await api.pages.read({ slug: "about" });
    assert.deepEqual(await api.pages.read({ id: about.id }), about);
    assert.match(about.html, /nineteen trees/);
    await assert.rejects(api.posts.read({ slug: "about" }), { name: "NotFoundError" });
  });

  test("browses and reads tags with their number of posts", async () => {
    const tags = await api.tags.browse({ include: "count.posts", filter: "visibility:public" });
    const counts = tags.map((tag) => [tag.slug, tag.count.posts]);
    assert.deepEqual(counts, [
      ["autumn", 3],
      ["spring", 2],
      ["trees", 4],
    ]);
    const trees = await api.tags.read({ slug: "trees" }, { include: "count.posts" });
    assert.deepEqual([trees.description, trees.count.posts], ["What grows, and how.", 4]);
    assert.equal((await api.tags.read({ id: trees.id })).slug, "trees");
  });

  test("browses and reads authors without their email addresses", async () => {
    const authors = await api.authors.browse({ include: "count.posts" });
    assert.deepEqual(slugs(authors), ["ada", "ben"]);
    const ada = await api.authors.read({ slug: "ada" });
    assert.equal(ada.bio, "Prunes in winter, writes in spring.");
    assert.equal("email" in ada, false);
    assert.equal((await api.authors.read({ id: ada.id })).name, "Ada Apfel");
  });

  test("reads the settings as one object", async () => {
    const settings = await api.settings.browse();
    assert.equal(settings.title, "The Orchard");
    assert.equal(settings.timezone, "Europe/Berlin");
    assert.equal(settings.url, "https://orchard.example/");
    assert.deepEqual(settings.navigation, [
      { label: "Home", url: "/" },
      { label: "About", url: "/about/" },
    ]);
  });

  test("browses tiers, the cheapest first", async () => {
    const tiers = await api.tiers.browse({ include: ["monthly_price", "yearly_price", "benefits"] });
    assert.deepEqual(slugs(tiers), ["free", "grower"]);
    assert.deepEqual(tiers[1].benefits, ["One tree", "Its apples"]);
    assert.deepEqual([tiers[1].monthly_price, tiers[1].currency], [300, "eur"]);
  });

  test("browses newsletters", async () => {
    const [newsletter] = await api.newsletters.browse();
    assert.deepEqual([newsletter.slug, newsletter.description], ["windfall", "Once a month"]);
  });

  test("reports that an offer does not exist", async () => {
    const offer = api.offers.read({ id: "0123456789abcdef01234567" });
    await assert.rejects(offer, { name: "NotFoundError" });
  });

  test("throws the API's error for an invalid key", async () => {
    const unknown = new GhostContentAPI({
      url: galley.url,
      key: "0123456789abcdef0123456789",
      version: "v6.0",
    });
    await assert.rejects(unknown.posts.browse(), (error) => {
      assert.equal(error.name, "UnauthorizedError");
      assert.equal(error.type, "UnauthorizedError");
      assert.equal(error.code, "UNKNOWN_CONTENT_API_KEY");
      assert.equal(error.response.status, 401);
      assert.ok(error.message && error.id);
      return true;
    });
  });

  test("throws the API's error for an invalid parameter", async () => {
    await assert.rejects(api.posts.read({ slug: "nowhere" }), { name: "NotFoundError" });
    await assert.rejects(api.posts.browse({ filter: "title:[" }), { name: "BadRequestError" });
    await assert.rejects(api.posts.browse({ limit: "5x" }), { name: "ValidationError" });
  });

  for (const version of ["v2", "v3", "v4", "v5.0", "v6.65", "canary", true]) {
    test(`is served with Accept-Version ${version}`, async () => {
      const client = new GhostContentAPI({ url: galley.url, key: galley.key, version });
      const posts = await client.posts.browse({ limit: 1 });
      assert.deepEqual(slugs(posts), ["cider"]);
    });
  }
});

test("@tryghost/content-api with limit=all returns the first hundred posts and the total", async () => {
  const content = await mkdtemp(join(tmpdir(), "galley-clients-"));
  await mkdir(join(content, "posts"));
  for (let number = 0; number < 120; number += 1) {
    const text = `---\ntitle: Post ${number}\ndate: 2025-01-01\n---\n\nText.\n`;
    await writeFile(join(content, "posts", `post-${number}.md`), text);
  }
  const galley = await serve(content);
  try {
    const api = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
    const posts = await api.posts.browse({ limit: "all", fields: "slug" });
    assert.equal(posts.length, 100);
    assert.equal(posts.meta.pagination.total, 120);
    assert.equal(posts.meta.pagination.next, 2);
    const rest = await api.posts.browse({ limit: "all", page: 2, fields: "slug" });
    assert.equal(new Set(slugs([...posts, ...rest])).size, 120);
  } finally {
    await galley.stop();
    await rm(content, { recursive: true });
  }
});
