// astro-ghostcms-loader: `astro build` creates a static site of all published records. The schemas of the loader and of its
// client reject responses that do not have Ghost's format.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import GhostContentAPI from "@tryghost/content-api";

import { orchard, serve } from "./galley.js";

const project = fileURLToPath(new URL("astro", import.meta.url));
const installed = fileURLToPath(new URL("node_modules", import.meta.url));

describe("astro-ghostcms-loader", () => {
  let galley;
  let content;
  let folder;
  let index;

  before(async () => {
    galley = await serve(orchard);
    content = new GhostContentAPI({ url: galley.url, key: galley.key, version: "v6.0" });
    folder = await mkdtemp(join(tmpdir(), "galley-astro-"));
    await build();
    index = await readFile(join(folder, "dist/index.html"), "utf8");
  });

  after(async () => {
    await galley.stop();
    await rm(folder, { recursive: true });
  });

  async function build() {
    await cp(project, folder, { recursive: true });
    await symlink(installed, join(folder, "node_modules"));
    const env = {
      PATH: process.env.PATH,
      ASTRO_TELEMETRY_DISABLED: "1",
      GHOST_URL: galley.url,
      GHOST_CONTENT_API_KEY: galley.key,
    };
    const astro = join(installed, "astro/astro.js");
    await promisify(execFile)(process.execPath, [astro, "build"], { cwd: folder, env }).catch((error) =>
      assert.fail(error.stdout + error.stderr),
    );
  }

  /** Returns the texts of the elements that `pattern` matches. */
  const said = (pattern) => [...index.matchAll(pattern)].map(([, words]) => words);

  test("builds a page for each post", async () => {
    const posts = await content.posts.browse({ limit: "all" });
    assert.ok(posts.length > 1);
    const pages = await readdir(join(folder, "dist/posts"));
    assert.deepEqual(pages.sort(), posts.map(({ slug }) => slug).sort());
    assert.deepEqual(said(/<a href="\/posts\/([^/]+)\/">/g), posts.map(({ slug }) => slug));
  });

  test("a page shows the text and authors of its post", async () => {
    const html = await readFile(join(folder, "dist/posts/harvest/index.html"), "utf8");
    const post = await content.posts.read({ slug: "harvest" });
    assert.ok(html.includes(post.html));
    assert.match(html, /data-authors="ada ben"/);
  });

  test("loads settings, pages, tags, authors and tiers", async () => {
    assert.deepEqual(said(/<title>(.*)<\/title>/g), ["The Orchard"]);
    for (const { url, title } of await content.pages.browse()) {
      assert.ok(index.includes(`<a href="${url}">${title}</a>`), title);
    }
    for (const { slug, count } of await content.tags.browse({ include: "count.posts" })) {
      assert.ok(index.includes(`<li>${slug} ${count.posts}</li>`), slug);
    }
    for (const { name } of await content.authors.browse()) {
      assert.ok(index.includes(`<li>${name}</li>`), name);
    }
    for (const { name, benefits } of await content.tiers.browse({ include: "benefits" })) {
      assert.ok(index.includes(`<li>${name}: ${benefits.join(", ")}</li>`), name);
    }
  });
});
