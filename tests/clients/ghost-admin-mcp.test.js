// ghost-admin-mcp: an assistant lists, drafts, revises and publishes posts with the tools of this server of the Model Context
// Protocol.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { noContent, serve } from "./galley.js";
import { toolServer } from "./mcp.js";

const program = fileURLToPath(new URL("node_modules/ghost-admin-mcp/dist/index.js", import.meta.url));
const photo = fileURLToPath(new URL("content/posts/harvest/basket.svg", import.meta.url));

describe("ghost-admin-mcp", () => {
  let galley;
  let assistant;

  before(async () => {
    galley = await serve(noContent);
    const { adminKey } = await galley.setUp("Assisted");
    const env = { GHOST_API_URL: galley.url, GHOST_ADMIN_API_KEY: adminKey };
    assistant = await toolServer(process.execPath, [program], env);
  });

  after(async () => {
    await assistant.close();
    await galley.stop();
  });

  for (const resource of ["posts", "pages"]) {
    test(`drafts, reads, revises, finds and deletes ${resource}`, async () => {
      const words = { title: "Drafted on request", html: "<p>As you wished.</p>", tags: ["Requests"] };
      const { id, status, tags } = await assistant.call(`${resource}_create`, words);
      assert.deepEqual([status, tags], ["draft", ["Requests"]]);
      const read = await assistant.call(`${resource}_read`, { slug: "drafted-on-request" });
      assert.deepEqual([read.id, read.html], [id, "<p>As you wished.</p>"]);

      const revised = await assistant.call(`${resource}_update`, { id, status: "published", custom_excerpt: "In short" });
      assert.deepEqual([revised.status, revised.custom_excerpt], ["published", "In short"]);
      const stored = await assistant.call(`${resource}_read`, { id });
      assert.equal(stored.html, "<p>As you wished.</p>", "omitted fields are unchanged");

      const search = { filter: "tag:requests+status:published", order: "published_at desc" };
      const found = await assistant.call(`${resource}_browse`, search);
      assert.deepEqual([found[resource].map((one) => one.id), found.pagination.total], [[id], 1]);

      assert.deepEqual(await assistant.call(`${resource}_delete`, { id }), { deleted: id });
      assert.match(await assistant.refusal(`${resource}_read`, { id }), /not found/);
    });

    // Without an order, the client sends `order=`, which Ghost refuses as well.
    test(`does not list ${resource} without an order`, async () => {
      assert.match(await assistant.refusal(`${resource}_browse`), /order/);
    });
  }

  test("adds, edits and deletes tags", async () => {
    const { id } = await assistant.call("tags_create", { name: "Assistants", description: "Helpful" });
    assert.equal((await assistant.call("tags_update", { id, name: "Helpers" })).name, "Helpers");
    await assistant.call("posts_create", { title: "Helped", tags: ["Helpers"] });
    const { tags } = await assistant.call("tags_browse", { filter: "slug:assistants", order: "name asc" });
    assert.deepEqual(tags, [{ id, name: "Helpers", slug: "assistants", description: "Helpful", post_count: 1 }]);
    await assistant.call("tags_delete", { id });
  });

  test("uploads an image from a file and from a URL", async () => {
    const { url } = await assistant.call("images_upload", { file_path: photo });
    assert.match(url, /\/content\/images\/.*basket.*\.svg$/);
    const again = await assistant.call("images_upload", { url });
    assert.equal((await fetch(again.url)).headers.get("content-type"), "image/svg+xml");
  });

  test("reads the site", async () => {
    const { title, version } = await assistant.call("site_info");
    assert.equal(title, "Assisted");
    assert.match(version, /^6\./);
  });
});
