// The two official clients together: @tryghost/content-api reads the records that @tryghost/admin-api writes.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import GhostAdminAPI from "@tryghost/admin-api";
import GhostContentAPI from "@tryghost/content-api";

import { noContent, owner, serve } from "./galley.js";

describe("@tryghost/admin-api and @tryghost/content-api", () => {
  let galley;
  let keys;
  let admin;
  let content;

  before(async () => {
    galley = await serve(noContent);
    keys = await galley.setUp("Two clients");
    admin = new GhostAdminAPI({ url: galley.url, key: keys.adminKey, version: "v6.0" });
    content = new GhostContentAPI({ url: galley.url, key: keys.contentKey, version: "v6.0" });
  });

  after(async () => {
    assert.equal(await galley.stop(), 0, "a stop by signal is a normal exit");
  });

  const isNamed = (name) => (error) => {
    assert.equal(error.name, name, `${error.name}: ${error.message}`);
    return true;
  };

  /** Sends a request for which the client has no method, with a token that the client creates. */
  async function ask(method, path) {
    let headers;
    const makeRequest = async (request) => {
      headers = request.headers;
      return { site: {} };
    };
    const options = { url: galley.url, key: keys.adminKey, version: "v6.0", makeRequest };
    await new GhostAdminAPI(options).site.read();
    const response = await fetch(`${galley.url}/ghost/api/admin${path}`, { method, headers });
    assert.ok(response.ok, `${method} ${path}: ${response.status}`);
    return response.json();
  }

  test("both clients read the same site", async () => {
    const site = await admin.site.read();
    assert.equal(site.title, "Two clients");
    assert.equal((await content.settings.browse()).title, "Two clients");
    assert.match(site.version, /^6\.\d+$/);
  });

  test("adds, publishes, reads, edits and deletes a post", async () => {
    const draft = await admin.posts.add({ title: "From draft to page", custom_excerpt: "In short" });
    assert.equal(draft.status, "draft");
    await assert.rejects(content.posts.read({ slug: draft.slug }), isNamed("NotFoundError"));

    const { id, updated_at } = draft;
    const published = await admin.posts.edit({ id, updated_at, status: "published", featured: true });
    const read = await content.posts.read({ slug: "from-draft-to-page" });
    assert.equal(read.id, id);
    assert.equal(read.excerpt, "In short");
    assert.equal(read.featured, true);
    assert.equal(Date.parse(read.published_at), Math.floor(Date.parse(published.published_at) / 1000) * 1000);

    const title = "Another title, the same address";
    await admin.posts.edit({ id, updated_at: published.updated_at, title });
    assert.equal((await content.posts.read({ slug: "from-draft-to-page" })).title, title);
    assert.equal((await admin.posts.read({ slug: "from-draft-to-page" })).id, id);

    await admin.posts.delete({ id });
    await assert.rejects(content.posts.read({ id }), isNamed("NotFoundError"));
    await assert.rejects(admin.posts.read({ id }), isNamed("NotFoundError"));
  });

  test("stores HTML without its scripts", async () => {
    const html = '<p onclick="x()">Some <strong>bold</strong> words</p><ul><li>One</li></ul><script>x()</script>';
    const post = await admin.posts.add({ title: "From HTML", html, status: "published" }, { source: "html" });
    assert.equal(post.html, undefined, "the response contains the document, not the HTML");
    assert.equal(JSON.parse(post.lexical).root.children.length, 2);

    const read = await content.posts.read({ slug: "from-html" });
    assert.equal(read.html, "<p>Some <strong>bold</strong> words</p><ul><li>One</li></ul>");
    const formats = { formats: "html,plaintext" };
    assert.match((await admin.posts.read({ id: post.id }, formats)).plaintext, /^Some bold words/);
  });

  test("keeps the order of tags and authors", async () => {
    const post = await admin.posts.add({
      title: "Tagged",
      status: "published",
      tags: ["Second to none", { name: "A first" }, { name: "#hidden" }],
      authors: [owner.email],
    });
    assert.deepEqual(post.tags.map((tag) => tag.name), ["Second to none", "A first", "#hidden"]);

    const read = await content.posts.read({ slug: "tagged", include: "tags,authors" });
    assert.deepEqual(read.tags.map((tag) => tag.slug), ["second-to-none", "a-first", "hash-hidden"]);
    assert.equal(read.primary_tag.name, "Second to none");
    assert.equal(read.primary_author.name, owner.name);
    assert.equal(read.primary_author.email, undefined);

    const { id, updated_at } = post;
    await admin.posts.edit({ id, updated_at, tags: [{ slug: "a-first" }] });
    const now = await content.posts.read({ id, include: "tags" });
    assert.deepEqual(now.tags.map((tag) => tag.name), ["A first"]);
  });

  test("rejects the second of two concurrent updates", async () => {
    const { id, updated_at } = await admin.posts.add({ title: "Wanted by two" });
    await admin.posts.edit({ id, updated_at, title: "Mine" });
    await assert.rejects(
      admin.posts.edit({ id, updated_at, title: "No, mine" }),
      isNamed("UpdateCollisionError"),
    );
    assert.equal((await admin.posts.read({ id })).title, "Mine");
  });

  test("a copy is an independent draft", async () => {
    const tags = ["Copied"];
    const post = await admin.posts.add({ title: "An original", status: "published", tags });
    const { posts: [copy] } = await ask("POST", `/posts/${post.id}/copy/`);
    assert.equal(copy.title, "An original (Copy)");
    assert.equal(copy.status, "draft");
    assert.notEqual(copy.id, post.id);
    assert.deepEqual((await admin.posts.read({ id: copy.id })).tags.map((tag) => tag.name), tags);
    await assert.rejects(content.posts.read({ id: copy.id }), isNamed("NotFoundError"));
  });

  test("publishes a scheduled post at its time", async () => {
    const published_at = new Date(Date.now() + 3000).toISOString();
    const post = await admin.posts.add({ title: "Out soon", status: "scheduled", published_at });
    await assert.rejects(content.posts.read({ id: post.id }), isNamed("NotFoundError"));
    for (let tries = 0; tries < 100; tries += 1) {
      await pause(100);
      if ((await admin.posts.read({ id: post.id })).status === "published") break;
    }
    assert.equal((await content.posts.read({ id: post.id })).slug, "out-soon");
  });

  test("a page is not a post", async () => {
    const page = await admin.pages.add({ title: "About", html: "<p>Us</p>", status: "published" }, { source: "html" });
    assert.equal((await content.pages.read({ slug: "about" })).html, "<p>Us</p>");
    await assert.rejects(content.posts.read({ slug: "about" }), isNamed("NotFoundError"));

    const { id, updated_at } = page;
    await admin.pages.edit({ id, updated_at, title: "About us" });
    assert.deepEqual((await content.pages.browse()).map((one) => one.title), ["About us"]);
    await admin.pages.delete({ id });
    assert.equal((await admin.pages.browse()).length, 0);
  });

  test("adds, reads, edits and deletes a tag", async () => {
    const tag = await admin.tags.add({ name: "Weather", description: "Rain, mostly" });
    await admin.posts.add({ title: "On rain", status: "published", tags: [{ id: tag.id }] });
    const count = { include: "count.posts" };
    const read = await content.tags.read({ slug: "weather", ...count });
    assert.equal(read.description, "Rain, mostly");
    assert.equal(read.count.posts, 1);

    await admin.tags.edit({ id: tag.id, name: "The weather" });
    assert.equal((await content.tags.read({ id: tag.id })).name, "The weather");
    await admin.tags.delete({ id: tag.id });
    await assert.rejects(content.tags.read({ id: tag.id }), isNamed("NotFoundError"));
    assert.deepEqual((await admin.posts.read({ slug: "on-rain" })).tags, []);
  });

  test("reads users by id, slug and email address", async () => {
    const [user] = await admin.users.browse();
    assert.equal(user.name, owner.name);
    for (const by of [{ id: user.id }, { slug: user.slug }, { email: owner.email }]) {
      assert.equal((await admin.users.read(by)).id, user.id);
    }
    assert.equal((await content.authors.read({ id: user.id })).slug, user.slug);
  });

  test("filters, orders and paginates lists", async () => {
    for (const number of [1, 2, 3]) {
      await admin.posts.add({ title: `Listed ${number}`, tags: ["Listed"], featured: number === 2 });
    }
    const listed = { filter: "tag:listed", order: "title desc", limit: 2 };
    const posts = await admin.posts.browse({ ...listed, page: 2, fields: "title" });
    assert.deepEqual(posts.map((post) => post.title), ["Listed 1"]);
    assert.equal(posts.meta.pagination.total, 3);
    const featured = await admin.posts.browse({ filter: "tag:listed+featured:true" });
    assert.deepEqual(featured.map((post) => post.title), ["Listed 2"]);
  });

  test("errors have the types of Ghost", async () => {
    await assert.rejects(admin.posts.add({ title: " " }), isNamed("ValidationError"));
    await assert.rejects(admin.posts.add({ title: "x".repeat(256) }), isNamed("ValidationError"));
    await assert.rejects(admin.posts.browse({ filter: "no:such" }), isNamed("BadRequestError"));
    await assert.rejects(
      admin.posts.edit({ id: "0".repeat(24), title: "x", updated_at: new Date().toISOString() }),
      isNamed("NotFoundError"),
    );
    const [id] = keys.adminKey.split(":");
    const options = { url: galley.url, version: "v6.0" };
    const guessed = new GhostAdminAPI({ ...options, key: `${id}:${"0".repeat(64)}` });
    await assert.rejects(guessed.posts.browse(), isNamed("UnauthorizedError"));
  });

  test("equal tokens of one second are all valid", async () => {
    const titles = Array.from({ length: 20 }, (_, number) => `At once ${number}`);
    const posts = await Promise.all(titles.map((title) => admin.posts.add({ title })));
    assert.equal(new Set(posts.map((post) => post.slug)).size, titles.length);
  });
});
