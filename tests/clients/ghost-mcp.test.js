// ghost-mcp, from PyPI: an assistant reads the published site with one key and writes with another.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { noContent, owner, serve } from "./galley.js";
import { toolServer } from "./mcp.js";

const program = fileURLToPath(new URL("../../target/client-tools/python/bin/ghost-mcp", import.meta.url));

/** Returns an editor document with one paragraph. */
function lexical(text) {
  const common = { direction: "ltr", format: "", indent: 0, version: 1 };
  const words = { type: "text", text, detail: 0, format: 0, mode: "normal", style: "", version: 1 };
  return JSON.stringify({ root: { ...common, type: "root", children: [{ ...common, type: "paragraph", children: [words] }] } });
}

describe("ghost-mcp", () => {
  let galley;
  let assistant;

  before(async () => {
    galley = await serve(noContent);
    const { adminKey, contentKey } = await galley.setUp("Assisted");
    const env = { GHOST_URL: galley.url, GHOST_CONTENT_API_KEY: contentKey, GHOST_ADMIN_API_KEY: adminKey };
    assistant = await toolServer(program, [], env);
  });

  after(async () => {
    await assistant.close();
    await galley.stop();
  });

  test("verifies both keys", async () => {
    const status = await assistant.call("check_ghost_connection");
    assert.deepEqual([status.content_api_status, status.admin_api_status], ["connected", "connected"]);
    const { site_info } = await assistant.call("get_site_info");
    assert.deepEqual([site_info.title, site_info.lang], ["Assisted", "en"]);
    assert.equal((await assistant.call("get_settings")).settings.timezone, "Etc/UTC");
  });

  test("drafts a post; publishes, reads and deletes another", async () => {
    const words = { title: "Drafted by an assistant", content: lexical("Good words."), tags: "Robots, News" };
    const { posts: [draft] } = await assistant.call("create_post", words);
    assert.deepEqual([draft.status, draft.tags.map(({ name }) => name)], ["draft", ["Robots", "News"]]);
    const drafts = await assistant.call("get_admin_posts", { filter: "status:draft", fields: "id,title" });
    assert.deepEqual(drafts.posts, [{ id: draft.id, title: words.title }]);

    const { posts: [post] } = await assistant.call("create_post", { ...words, title: "Published", status: "published" });
    const include = "tags,authors";
    const { posts: [read] } = await assistant.call("get_post_by_slug", { slug: post.slug, include });
    assert.deepEqual([read.id, read.html, read.primary_tag.slug], [post.id, "<p>Good words.</p>", "robots"]);
    assert.equal((await assistant.call("get_post_by_id", { post_id: post.id })).posts[0].title, "Published");
    assert.equal((await assistant.call("get_posts", { limit: 5, filter: "tag:news" })).posts.length, 1);
    assert.deepEqual((await assistant.call("search_posts", { query: "Publ" })).posts.map(({ id }) => id), [post.id]);

    await assistant.call("delete_post", { post_id: post.id });
    assert.deepEqual((await assistant.call("get_posts")).posts, []);
  });

  // This tool does not send the version (`updated_at`) of the post that it changes, so Ghost refuses the change as well.
  test("cannot change a post", async () => {
    const { posts: [{ id }] } = await assistant.call("create_post", { title: "As it was" });
    assert.match((await assistant.call("update_post", { post_id: id, title: "As it is" })).error, /updated_at/);
    const { posts } = await assistant.call("get_admin_posts", { filter: `id:'${id}'` });
    assert.deepEqual(posts.map(({ title }) => title), ["As it was"]);
  });

  test("writes, changes, reads and deletes pages", async () => {
    const words = { title: "About us", content: lexical("We are."), status: "published" };
    const { pages: [page] } = await assistant.call("create_page", words);
    await assistant.call("update_page", { page_id: page.id, title: "About them" });
    assert.equal((await assistant.call("get_page_by_id", { page_id: page.id })).pages[0].title, "About them");
    assert.equal((await assistant.call("get_page_by_slug", { slug: "about-us" })).pages[0].html, "<p>We are.</p>");
    assert.equal((await assistant.call("get_pages")).pages.length, 1);
    await assistant.call("delete_page", { page_id: page.id });
    assert.deepEqual((await assistant.call("get_admin_pages")).pages, []);
  });

  test("reads tags and authors", async () => {
    const { tags: [tag] } = await assistant.call("create_tag", { name: "Made for it", description: "By request" });
    await assistant.call("create_post", { title: "Tagged", status: "published", tags: tag.name });
    const counted = { include: "count.posts" };
    assert.equal((await assistant.call("get_tags", { ...counted, filter: "slug:made-for-it" })).tags[0].count.posts, 1);
    assert.equal((await assistant.call("get_tag_by_id", { tag_id: tag.id })).tags[0].description, "By request");
    assert.equal((await assistant.call("get_tag_by_slug", { slug: tag.slug })).tags[0].id, tag.id);
    const { authors: [author] } = await assistant.call("get_authors", counted);
    assert.deepEqual([author.name, author.count.posts], [owner.name, 1]);
    assert.equal((await assistant.call("get_author_by_id", { author_id: author.id })).authors[0].slug, author.slug);
    assert.equal((await assistant.call("get_author_by_slug", { slug: author.slug })).authors[0].id, author.id);
  });

  test("reports records that do not exist", async () => {
    assert.match((await assistant.call("get_post_by_slug", { slug: "nowhere" })).error, /Post not found/);
  });
});
