// The Astro example, built with the real Astro as described in its README.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { copyOf, succeed } from "./galley.js";
import { assertScripts, environment } from "./reader_scripts.js";

const env = { ASTRO_TELEMETRY_DISABLED: "1" };

describe("astro", () => {
  let copy;
  const file = (path) => readFileSync(join(copy, "dist", path));
  const page = (path) => file(join(path, "index.html")).toString();

  before(async () => {
    copy = await copyOf("astro");
    await succeed("npm", ["ci"], { cwd: copy, env, seconds: 300 });
    await succeed("npm", ["run", "build"], { cwd: copy, env, seconds: 300 });
  });

  test("pages show titles, texts, authors and tags", () => {
    const front = page("");
    assert.match(front, /<a href="\/">Harbour notes<\/a>/);
    assert.ok(front.indexOf("Soup at low water") < front.indexOf("Who tends the light"), "the newest is first");
    const post = page("low-water");
    assert.match(post, /<title>Soup at low water<\/title>/);
    assert.match(post, /onions &amp; patience/);
    assert.match(post, /Imke Aalders/);
    assert.match(post, /<a href="\/tag\/kitchen\/">Kitchen<\/a>/);
    const tag = page("tag/kitchen");
    assert.match(tag, /Soup, mostly\./);
    assert.match(tag, /<a href="\/low-water\/">Soup at low water<\/a>/);
    assert.doesNotMatch(tag, /Who tends the light/);
  });

  test("images and the API are at the URLs in the pages", () => {
    const photo = "content/images/posts/2026-03-14-low-water/bowl.png";
    assert.match(page("low-water"), new RegExp(`<img src="https://harbour.example/${photo}"`));
    assert.deepEqual(file(photo), readFileSync(join(copy, "content/posts/2026-03-14-low-water/bowl.png")));
    const { posts } = JSON.parse(page("ghost/api/content/posts"));
    assert.deepEqual(
      posts.map(({ url }) => url),
      ["https://harbour.example/low-water/", "https://harbour.example/the-light/"],
    );
  });

  test("the output contains neither the draft nor the server", () => {
    for (const path of ["", "low-water", "the-light", "tag/kitchen", "ghost/api/content/posts"]) {
      assert.doesNotMatch(page(path), /Not for readers|A secret|127\.0\.0\.1/, path);
    }
    assert.ok(!existsSync(join(copy, "dist/not-yet")));
  });

  test("scripts for readers are in the pages if a key is set", async () => {
    assert.doesNotMatch(page("low-water"), /<script/);
    const again = await copyOf("astro");
    await cp(join(copy, "node_modules"), join(again, "node_modules"), { recursive: true, verbatimSymlinks: true });
    await succeed("npm", ["run", "build"], { cwd: again, env: { ...env, ...environment }, seconds: 300 });
    await assertScripts(readFileSync(join(again, "dist", "low-water", "index.html"), "utf8"));
  });
});
