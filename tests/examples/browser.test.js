// The page of the example in a real browser, served by a static server, with the data of a running
// Galley.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { assertFits, assertReadable, desk, launch, open, phone } from "../browser/chromium.js";
import { copyOf, eventually, freePort, sampleSite, serve, start, succeed } from "./galley.js";

describe("the page that uses the Content API in the browser", () => {
  let browser;
  let galley;
  let files;
  let address;

  before(async () => {
    const folder = await copyOf("browser");
    const port = await freePort();
    [browser, galley] = await Promise.all([launch(), serve(sampleSite), succeed("npm", ["ci"], { cwd: folder })]);
    await succeed("npm", ["run", "client"], { cwd: folder });
    const settings = `export const settings = ${JSON.stringify({ url: galley.url, key: galley.key })};\n`;
    await writeFile(join(folder, "site/settings.js"), settings);
    files = start("python3", ["-m", "http.server", "--bind", "127.0.0.1", "--directory", "site", `${port}`], { cwd: folder });
    address = `http://127.0.0.1:${port}`;
    await eventually("files to be served", async () => (await fetch(address)).ok);
  });

  after(async () => {
    await browser?.close();
    await files?.stop();
    await galley?.stop();
  });

  const isOurs = (request) => [address, galley.url].some((origin) => request.startsWith(`${origin}/`));

  async function look(path, options) {
    const page = await open(browser, address + path, options);
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(page.requests.filter((request) => !isOurs(request) && !request.startsWith("data:")), []);
    return page;
  }

  const titles = (page) => page.locator(".posts h2").allTextContents();

  test("lists posts with images, and older ones on request", async () => {
    const page = await look("/");
    assert.equal(await page.title(), "The Eskerry Letter");
    assert.equal((await titles(page)).length, 6);
    assert.equal((await titles(page))[0], "The winter timetable");
    await page.locator(".posts img").first().scrollIntoViewIfNeeded();
    const isThere = (image) => image.complete && image.naturalWidth > 0;
    await eventually("the photo", () => page.locator(".posts img").first().evaluate(isThere));
    await page.getByRole("button", { name: "Older posts" }).click();
    await eventually("the rest", async () => (await titles(page)).length === 11);
    assert.equal(await page.getByRole("button", { name: "Older posts" }).isVisible(), false);
    await page.context().close();
  });

  test("filters by a tag", async () => {
    const page = await look("/");
    await page.getByRole("navigation").getByRole("link", { name: "Kitchen" }).click();
    await eventually("the posts about food", async () => (await titles(page)).length === 2);
    assert.deepEqual(await titles(page), ["Low water chowder", "The November dinner"]);
    await page.context().close();
  });

  test("shows a post, and the public part of a gated one", async () => {
    const page = await look("/");
    await page.getByRole("link", { name: "The night ferry" }).click();
    await page.getByRole("article").waitFor();
    assert.equal(await page.title(), "The night ferry");
    assert.ok((await page.locator(".text").textContent()).length > 100);
    assert.equal(await page.getByText("The rest is for members.").count(), 0);
    await page.goto(`${address}/#/post/the-november-dinner`);
    await page.getByText("The rest is for members.").waitFor();
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test("searches all texts", async () => {
    const page = await look("/");
    const box = page.getByRole("search").getByLabel("Search");
    await box.fill("foghorns");
    await box.press("Enter");
    await page.getByText("1 result").waitFor();
    assert.equal(await page.locator("mark").first().textContent(), "foghorn");
    await box.fill("\"night ferry\" -market");
    await box.press("Enter");
    await page.getByRole("link", { name: "The night ferry" }).click();
    await page.getByRole("article").waitFor();
    assert.equal(await page.getByRole("status").textContent(), "");
    await page.goto(`${address}/#/search/zeppelin`);
    await page.getByText("No results").waitFor();
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  });

  test("reports a missing post", async () => {
    const page = await open(browser, `${address}/#/post/no-such-post`);
    assert.equal(await page.getByRole("alert").textContent(), "There is no such post.");
    await page.context().close();
  });

  test("is readable on a desktop and on a phone", async () => {
    for (const device of [desk, phone]) {
      for (const path of ["/", "/#/post/how-a-letter-is-set", "/#/search/ferry"]) {
        const page = await look(path, device);
        await assertFits(page);
        await assertReadable(page);
        await page.context().close();
      }
    }
  });
});
