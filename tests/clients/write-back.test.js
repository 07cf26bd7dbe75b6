// @tryghost/admin-api edits a post of a content file, and only the edited parts of the file change.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import GhostAdminAPI from "@tryghost/admin-api";

import { serve } from "./galley.js";

const FERRY = `---
# The ferry
title: 'The night ferry'   # in quotes
pubDate: 2025-01-05
tags: [sea, "Quay"]
---

A *first* paragraph,
on two lines.

The   end.
`;

describe("@tryghost/admin-api on a folder whose edits are written back", () => {
  let content;
  let galley;
  let admin;

  before(async () => {
    content = await mkdtemp(join(tmpdir(), "galley-content-"));
    await mkdir(join(content, "posts"));
    await writeFile(join(content, "posts/night-ferry.md"), FERRY);
    galley = await serve(content, "--write-back", "folder");
    const { adminKey } = await galley.createKeys("Writer");
    admin = new GhostAdminAPI({ url: galley.url, key: adminKey, version: "v6.0" });
  });

  after(async () => {
    assert.equal(await galley.stop(), 0, "a stop by signal is a normal exit");
    await rm(content, { recursive: true });
  });

  /** Waits until `isExpected` returns true for the content of the file at `path`, and resolves to the content. */
  async function file(path, isExpected) {
    for (let attempt = 0; attempt < 400; attempt++) {
      const text = await readFile(join(content, path), "utf8").catch(() => null);
      if (isExpected(text)) return text;
      await pause(25);
    }
    assert.fail(`${path} does not get the expected content: ${await readFile(join(content, path), "utf8").catch(String)}`);
  }

  test("an edit changes what was edited and no other byte", async () => {
    const { id, updated_at } = await admin.posts.read({ slug: "night-ferry" });
    await admin.posts.edit({ id, updated_at, title: "The day ferry" });
    const written = await file("posts/night-ferry.md", (text) => text?.includes("The day ferry"));
    assert.equal(written, FERRY.replace("The night ferry", "The day ferry"));
  });

  test("an edit of HTML keeps unchanged blocks", async () => {
    const { id, updated_at, html } = await admin.posts.read({ slug: "night-ferry" }, { formats: "html" });
    const other = html.replace(/The\s+end\./, "Another end.");
    assert.notEqual(other, html);
    await admin.posts.edit({ id, updated_at, html: other }, { source: "html" });
    const written = await file("posts/night-ferry.md", (text) => text?.includes("Another end."));
    assert.ok(written.includes("A *first* paragraph,\non two lines.\n"), written);
    assert.ok(written.includes("title: 'The day ferry'   # in quotes\n"), written);
  });

  test("a new post gets a file, which is removed with the post", async () => {
    const post = await admin.posts.add({ title: "A new post", html: "<p>x</p>", status: "published" }, { source: "html" });
    await file("posts/a-new-post.md", (text) => text?.includes("A new post"));
    await admin.posts.delete({ id: post.id });
    await file("posts/a-new-post.md", (text) => text === null);
  });
});
