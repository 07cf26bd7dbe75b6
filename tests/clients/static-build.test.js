// The output of `galley build` on a static file server. The official client reads it unmodified.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";

import { TSGhostContentAPI } from "@ts-ghost/content-api";
import GhostContentAPI from "@tryghost/content-api";

import { program, sampleSite, serve, withoutSettings } from "./galley.js";

/** Any key works, because it is not checked. */
const key = "0123456789abcdef0123456789";

/** Serves a folder as static hosts do: for a path that ends with a slash, the file `index.html` there, as HTML. */
async function hostOf(folder) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    const content = await readFile(file).catch(() => null);
    response.writeHead(content ? 200 : 404, { "content-type": "text/html" });
    response.end(content ?? "<h1>not found</h1>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

describe("a static build", () => {
  let folder;
  let host;
  let galley;
  let still;
  let live;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "galley-build-test-"));
    host = await hostOf(join(folder, "public"));
    const build = ["build", "public", "--content", sampleSite, "--url", host.url, "--page-size", "4"];
    const options = { cwd: folder, env: withoutSettings(process.env) };
    await promisify(execFile)(program, build, options);
    galley = await serve(sampleSite, "--url", host.url);
    still = new GhostContentAPI({ url: host.url, key, version: "v6.0" });
    live = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
  });

  after(async () => {
    host?.close();
    await galley?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [resource, include] of [
    ["posts", "tags,authors,tiers"],
    ["pages", "tags,authors,tiers"],
    ["tags", "count.posts"],
    ["authors", "count.posts"],
    ["tiers", "benefits,monthly_price,yearly_price"],
    ["newsletters", undefined],
  ]) {
    test(`the client browses the same ${resource} as on the server`, async () => {
      const options = { limit: 100, ...(include && { include }) };
      const [found, expected] = [await still[resource].browse(options), await live[resource].browse(options)];
      assert.deepEqual([...found], [...expected]);
      const { total, pages, next } = found.meta.pagination;
      assert.deepEqual([total, pages, next], [expected.length, 1, null]);
    });
  }

  test("the client reads by id and slug", async () => {
    const options = { include: "tags,authors,tiers" };
    const expected = await live.posts.read({ slug: "the-night-ferry" }, options);
    assert.deepEqual(await still.posts.read({ slug: "the-night-ferry" }, options), expected);
    assert.deepEqual(await still.posts.read({ id: expected.id }, options), expected);
    const tag = await still.tags.read({ slug: "kitchen" }, { include: "count.posts" });
    assert.equal(tag.count.posts, 2);
    await assert.rejects(still.posts.read({ slug: "the-ferrys-hundredth-winter" }));
  });

  test("the client reads the settings", async () => {
    assert.deepEqual(await still.settings.browse(), await live.settings.browse());
  });

  test("pagination uses paths", async () => {
    const makeRequest = async ({ url, params }) => {
      const page = params.page ? `page/${params.page}/` : "";
      const response = await fetch(`${url}${page}`);
      return { data: await response.json() };
    };
    const paged = new GhostContentAPI({ url: host.url, key, version: "v6.0", makeRequest });
    const titles = [];
    for (let page = 1; page; ) {
      const posts = await paged.posts.browse({ page });
      assert.ok(posts.length <= 4);
      titles.push(...posts.map((post) => post.title));
      page = posts.meta.pagination.next;
    }
    const all = await live.posts.browse({ limit: 100 });
    assert.deepEqual(titles, all.map((post) => post.title));
  });

  test("the client with strict schemas accepts the responses", async () => {
    const strict = new TSGhostContentAPI(host.url, key, "v6.0");
    for (const resource of ["posts", "pages", "tags", "authors"]) {
      const reply = await strict[resource].browse().fetch();
      assert.equal(reply.success, true, JSON.stringify(reply.errors));
      assert.ok(reply.data.length > 1);
    }
  });

  test("images are at the URLs in the documents", async () => {
    const posts = await still.posts.browse();
    const photos = posts.map((post) => post.feature_image).filter(Boolean);
    assert.ok(photos.length > 2);
    for (const photo of photos) {
      assert.equal((await fetch(photo)).status, 200, photo);
    }
  });
});
