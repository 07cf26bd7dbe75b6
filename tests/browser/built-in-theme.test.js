// The theme that is built into Galley: it passes axe-core at each width and in both color schemes, works without scripts, and
// respects the reader's settings.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";

import { sampleSite, serve } from "../examples/galley.js";
import { assertFits, desk, launch, open, phone } from "./chromium.js";
import { awkwardSite, draft, furtherCards } from "./sites.js";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Pages of the sample site: each template, a text with a table of contents, and a gated post. */
const PAGES = ["/", "/how-a-letter-is-set/", "/the-winter-timetable/", "/about/", "/archive/", "/tag/letters/", "/author/nora-quill/", "/nowhere/"];

let axe;
let browser;
let sites;

before(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  browser = await launch();
  sites = { sample: await serve(sampleSite), awkward: await serve(awkwardSite) };
});

after(async () => {
  await browser?.close();
  await Promise.all(Object.values(sites ?? {}).map((site) => site.stop()));
});

/** Opens a page without files from other hosts, such as Ghost's scripts. */
async function openAlone(url, options) {
  const context = await browser.newContext(options);
  await context.route((address) => address.origin !== new URL(url).origin, (route) => route.abort());
  const page = await context.newPage();
  await page.goto(url, { waitUntil: "load" });
  return page;
}

async function violations(page, disabled = []) {
  await page.evaluate(axe);
  const rules = Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }]));
  const found = await page.evaluate((options) => axe.run(document, options), { runOnly: RULES, rules });
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
}

for (const [name, device] of Object.entries({ desk, phone })) {
  for (const colorScheme of ["light", "dark"]) {
    describe(`axe-core at a ${name}, ${colorScheme}`, () => {
      for (const path of PAGES) {
        test(`accepts ${path}`, async () => {
          const page = await openAlone(sites.sample.url + path, { ...device, colorScheme });
          assert.deepEqual(await violations(page), []);
          await page.context().close();
        });
      }

      test("accepts every card of the editor", async () => {
        for (const path of [draft, furtherCards]) {
          const page = await openAlone(sites.awkward.url + path, { ...device, colorScheme });
          // The heading of a toggle card is an h4 at any position, as in Ghost.
          assert.deepEqual(await violations(page, ["heading-order"]), [], path);
          await page.context().close();
        }
      });
    });
  }
}

for (const width of [320, 360, 768, 1024, 1280, 1920, 2560]) {
  test(`nothing overflows at ${width} pixels`, async () => {
    const options = { viewport: { width, height: 900 } };
    for (const url of [...PAGES.map((path) => sites.sample.url + path), sites.awkward.url + draft, sites.awkward.url + furtherCards, `${sites.awkward.url}/`]) {
      const page = await openAlone(url, options);
      await assertFits(page);
      await page.context().close();
    }
  });
}

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("the switch changes the colors, and the next page remembers them", async () => {
  const page = await openAlone(`${sites.sample.url}/`, { ...desk, colorScheme: "light" });
  const light = await ground(page);
  const button = page.getByRole("button", { name: "Dark colors" });
  await button.click();
  const dark = await ground(page);
  assert.notEqual(dark, light);
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  await page.goto(`${sites.sample.url}/about/`);
  assert.equal(await ground(page), dark);
  await button.click();
  assert.equal(await ground(page), light);
  assert.equal(await page.evaluate(() => localStorage.getItem("color-scheme")), "");
  await page.context().close();
});

test("the table of contents links to the headings", async () => {
  for (const width of [360, 1600]) {
    const page = await openAlone(`${sites.sample.url}/how-a-letter-is-set/`, { viewport: { width, height: 900 } });
    const contents = page.locator("details.contents");
    if (width === 360) await contents.locator("summary").click();
    await contents.getByRole("link", { name: "Lists" }).click();
    assert.equal(new URL(page.url()).hash, "#lists");
    await page.context().close();
  }
});

test("a page is complete without scripts", async () => {
  const page = await openAlone(`${sites.sample.url}/how-a-letter-is-set/`, { ...desk, javaScriptEnabled: false });
  assert.match(await page.textContent(".gh-content"), /galley proofs read/);
  assert.equal(await page.locator("button:visible").count(), 1, "only the sign-up form has a button");
  assert.equal(await page.locator("details.contents").isVisible(), false);
  await page.context().close();
});

test("images do not shift the layout when they load", async () => {
  for (const path of ["/", "/the-night-ferry/"]) {
    const page = await open(browser, sites.sample.url + path, desk);
    const shift = await page.evaluate(
      () =>
        new Promise((resolve) => {
          new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))).observe({ type: "layout-shift", buffered: true });
          setTimeout(() => resolve(0), 500);
        }),
    );
    assert.ok(shift < 0.02, `${path}: ${shift}`);
    await page.context().close();
  }
});
