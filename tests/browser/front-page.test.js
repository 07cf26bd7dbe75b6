// The front page: its content, its controls, and its readability.

import assert from "node:assert/strict";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  eventually,
  freePort,
  newFolder,
  program,
  run,
  sampleSite,
  serve,
  start,
  succeed,
} from "../examples/galley.js";
import { assertFits, assertReadable, assertWorks, desk, launch, open, phone, tabStops } from "./chromium.js";
import { awkwardSite, headless } from "./sites.js";

/** A browser context with the header field that a proxy adds for a remote visitor. */
const fromElsewhere = { ...desk, extraHTTPHeaders: { "x-forwarded-for": "192.0.2.60" } };

describe("the front page", () => {
  let browser;
  let galley;
  let awkward;

  before(async () => {
    [browser, galley, awkward] = await Promise.all([launch(), serve(sampleSite, ...headless), serve(awkwardSite, ...headless)]);
  });

  after(async () => {
    await browser?.close();
    await Promise.all([galley?.stop(), awkward?.stop()]);
  });

  for (const [place, device] of Object.entries({ desk, phone })) {
    for (const colorScheme of ["light", "dark"]) {
      test(`is accessible and readable at a ${place}, ${colorScheme}`, async () => {
        for (const { url } of [galley, awkward]) {
          const page = await open(browser, url, { ...device, colorScheme });
          await assertWorks(page);
          await assertReadable(page);
          const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
          const [red] = paper.match(/\d+/g).map(Number);
          assert.equal(red > 128, colorScheme === "light", paper);
          await page.context().close();
        }
      });
    }
  }

  test("shows the site and the state of its sources", async () => {
    const page = await open(browser, galley.url);
    assert.equal(await page.title(), "The Eskerry Letter");
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "The Eskerry Letter");
    const sources = page.getByRole("region", { name: "Content sources" });
    assert.match(await sources.textContent(), /\d+ content files read, no problems/);
    for (const name of ["Content API", "Admin API", "Other paths"]) {
      assert.ok(await page.getByRole("heading", { name }).isVisible(), name);
    }
    await page.context().close();
  });

  test("has a command that can be copied and works", async () => {
    const permissions = ["clipboard-read", "clipboard-write"];
    const page = await open(browser, galley.url, { ...desk, permissions });
    await page.getByRole("button", { name: "Copy" }).click();
    // The browser copies asynchronously, and the page then shows the result.
    await page.getByText(/^(Copied|Selected)/).waitFor();
    assert.equal(await page.getByRole("status").textContent(), "Copied");
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const { posts } = JSON.parse(await succeed("sh", ["-c", line]));
    assert.equal(posts.length, 3);
    assert.ok(posts[0].url.startsWith(galley.url), posts[0].url);
    await page.context().close();
  });

  test("has no broken links", async () => {
    const page = await open(browser, galley.url);
    const links = await page.getByRole("link").evaluateAll((all) => all.map((link) => link.href));
    assert.ok(links.length > 5);
    for (const link of links) {
      assert.equal((await fetch(link)).status, 200, link);
    }
    await page.context().close();
  });

  test("shows the keyboard focus", async () => {
    const page = await open(browser, galley.url);
    const stops = await tabStops(page, 3);
    assert.equal(stops[0].text, "Copy");
    for (const { text, outline } of stops) {
      assert.match(outline, /^solid [2-9]/, text);
    }
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.getByText(/^(Copied|Selected)/).waitFor();
    await page.context().close();
  });

  test("works without scripts", async () => {
    const page = await open(browser, galley.url, { ...phone, javaScriptEnabled: false });
    assert.match(await page.locator("#line").textContent(), /^curl 'http:.*'$/);
    assert.equal(await page.getByRole("button").count(), 0);
    await page.context().close();
  });

  test("shows no key to remote visitors", async () => {
    const page = await open(browser, galley.url, fromElsewhere);
    await assertWorks(page);
    assert.match(await page.locator("#line").textContent(), /key=YOUR_KEY/);
    assert.ok(!(await page.content()).includes(galley.key));
    await page.context().close();
  });

  test("shows diagnostics with their files, on a phone too", async () => {
    const folder = await newFolder();
    await cp(sampleSite, folder, { recursive: true });
    const name = `posts/${"a-name-that-goes-on-".repeat(8)}.md`;
    await writeFile(join(folder, name), "+++\ntitle = \"Broken\"\nfeatured = maybe\n+++\n");
    const broken = await serve(folder, ...headless);
    try {
      const page = await open(browser, broken.url, phone);
      const sources = page.getByRole("region", { name: "Content sources" });
      assert.ok((await sources.textContent()).includes(`${name}:3:`));
      await assertFits(page);
      await assertReadable(page);
      const remote = await open(browser, broken.url, fromElsewhere);
      const text = await remote.getByRole("region", { name: "Content sources" }).textContent();
      assert.match(text, /Some content is invalid/);
      assert.ok(!text.includes("posts/"), text);
    } finally {
      await broken.stop();
    }
  });

  test("shows the served and the rejected commit of a repository", async () => {
    const repository = await newFolder();
    const commit = async (text, message) => {
      await writeFile(join(repository, "posts/a.md"), text);
      const author = ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@example.com"];
      await succeed("git", ["-C", repository, "add", "."]);
      await succeed("git", ["-C", repository, ...author, "commit", "--quiet", "-m", message]);
    };
    await succeed("git", ["init", "--quiet", repository]);
    await mkdir(join(repository, "posts"));
    await commit("+++\ntitle = \"A\"\ndate = 2025-01-01\n+++\n", "Begin <here>");
    const data = await newFolder();
    const address = `127.0.0.1:${await freePort()}`;
    const options = ["--data", data, "--listen", address, "--git", `file://${repository}`];
    const followed = start(program, ["serve", ...options, ...headless]);
    try {
      await eventually(`the server: ${followed.said()}`, async () => (await fetch(`http://${address}/healthz`)).ok);
      const look = async () => {
        const page = await open(browser, `http://${address}/`, phone);
        await assertWorks(page);
        await assertReadable(page);
        return page.getByRole("region", { name: "Content sources" }).innerText();
      };
      assert.match(await look(), /This commit is served:\s+[0-9a-f]{10} Begin <here>\s+Ada Lovelace, \d/);
      await commit("+++\ntitle = \"A\"\nfeatured = maybe\n+++\n", "Break it");
      await run(program, ["sync", "--data", data]);
      const text = await look();
      assert.match(text, /This commit is served:\s+[0-9a-f]{10} Begin <here>/);
      assert.match(text, /The newest commit was rejected:\s+[0-9a-f]{10} Break it/);
      assert.match(text, /posts\/a\.md:3:/);
    } finally {
      await followed.stop();
    }
  });
});
