// The Eleventy example, built with the real Eleventy as described in its README.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";

import { assertFits, launch, open } from "../browser/chromium.js";
import { copyOf, eventually, freePort, run, start, succeed } from "./galley.js";
import { assertScripts, environment } from "./reader_scripts.js";

describe("eleventy", () => {
  let copy;
  const page = (path) => readFileSync(join(copy, "_site", path, "index.html"), "utf8");

  before(async () => {
    copy = await copyOf("eleventy");
    await succeed("npm", ["ci"], { cwd: copy, seconds: 300 });
    await succeed("npm", ["run", "build"], { cwd: copy, seconds: 120 });
  });

  test("pages show titles, texts, authors and tags", () => {
    const front = page("");
    assert.match(front, /<h1><a href="\/">Harbour notes<\/a><\/h1>/);
    assert.ok(front.indexOf("Soup at low water") < front.indexOf("Who tends the light"), "the newest is first");
    const post = page("low-water");
    assert.match(post, /<title>Soup at low water<\/title>/);
    assert.match(post, /onions &amp; patience/);
    assert.match(post, /Imke Aalders/);
    assert.match(post, /<a href="\/tag\/kitchen\/">Kitchen<\/a>/);
    assert.match(page("the-light"), /<a href="\/low-water\/">soup<\/a>/);
    const tag = page("tag/kitchen");
    assert.match(tag, /Soup, mostly\./);
    assert.match(tag, /<a href="\/low-water\/">Soup at low water<\/a>/);
    assert.doesNotMatch(tag, /Who tends the light/);
  });

  test("images are copied", () => {
    const photo = "content/images/posts/2026-03-14-low-water/bowl.png";
    assert.match(page("low-water"), new RegExp(`<img src="/${photo}" alt="A bowl of chowder`));
    const own = readFileSync(join(copy, "content/posts/2026-03-14-low-water/bowl.png"));
    assert.deepEqual(readFileSync(join(copy, "_site", photo)), own);
    assert.match(page("the-light"), /src="\/content\/images\/lighthouse\.png"/);
    assert.ok(existsSync(join(copy, "_site/content/images/lighthouse.png")));
  });

  test("the output contains neither the draft nor the server", () => {
    for (const path of ["", "low-water", "the-light", "tag/kitchen", "tag/people"]) {
      assert.doesNotMatch(page(path), /Not for readers|A secret|127\.0\.0\.1/, path);
    }
    assert.ok(!existsSync(join(copy, "_site/not-yet")));
  });

  test("the search box finds posts in a browser, by any form of a word and by a prefix", async () => {
    const port = await freePort();
    const files = start("python3", ["-m", "http.server", "--bind", "127.0.0.1", "--directory", "_site", `${port}`], { cwd: copy });
    const address = `http://127.0.0.1:${port}`;
    const browser = await launch();
    try {
      await eventually("files to be served", async () => (await fetch(address)).ok);
      const page = await open(browser, `${address}/search/`);
      const box = page.getByRole("search").getByLabel("Search");
      for (const [words, found, mark] of [
        ["onion", "Soup at low water", "onions"],
        ["pati", "Soup at low water", "patience"],
        ["tended all", "Who tends the light", "all"],
      ]) {
        await box.fill(words);
        await page.getByRole("link", { name: found }).waitFor();
        await eventually("the mark", async () => (await page.locator("mark").allTextContents()).includes(mark));
      }
      assert.equal(await page.getByRole("listitem").count(), 1);
      assert.equal(await page.getByRole("status").textContent(), "1 result");
      await box.fill("secret");
      await eventually("no result", async () => (await page.getByRole("status").textContent()) === "No results");
      await box.fill("onion");
      await page.getByRole("link", { name: "Soup at low water" }).click();
      await page.getByRole("heading", { name: "Soup at low water" }).waitFor();
      assert.equal(page.url(), `${address}/low-water/`);
      await assertFits(page);
      // The example has no icon.
      const isOfIcon = (complaint) => /favicon\.ico|^Failed to load resource/.test(complaint);
      assert.deepEqual(page.complaints.filter((complaint) => !isOfIcon(complaint)), []);
    } finally {
      await browser.close();
      await files.stop();
    }
  });

  test("an invalid document fails the build and is named", async () => {
    const broken = await copyOf("eleventy");
    await writeFile(join(broken, "content/posts/broken.md"), "+++\ntitle = maybe\n+++\n");
    const { code, stderr } = await run("npm", ["run", "build"], { cwd: broken });
    assert.equal(code, 1);
    assert.match(stderr, /posts\/broken\.md:2:9/);
    assert.match(stderr, /1 error and 0 warnings in the content files: the command is not run/);
  });

  test("scripts for readers are in the pages if a key is set", async () => {
    assert.doesNotMatch(page("low-water"), /<script/);
    const again = await copyOf("eleventy");
    await cp(join(copy, "node_modules"), join(again, "node_modules"), { recursive: true, verbatimSymlinks: true });
    await succeed("npm", ["run", "build"], { cwd: again, env: environment, seconds: 120 });
    await assertScripts(readFileSync(join(again, "_site", "low-water", "index.html"), "utf8"));
  });
});
