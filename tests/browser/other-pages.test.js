// Other pages: previews of drafts, and the unsubscribe page.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { adminToken, serve } from "../examples/galley.js";
import { assertFits, assertReadable, assertWorks, desk, launch, open, phone } from "./chromium.js";
import { awkwardSite, draft, headless } from "./sites.js";

let browser;
let galley;

before(async () => {
  [browser, galley] = await Promise.all([launch(), serve(awkwardSite, ...headless)]);
});

after(async () => {
  await browser?.close();
  await galley?.stop();
});

describe("the preview of a draft", () => {
  for (const [place, device] of Object.entries({ desk, phone })) {
    for (const colorScheme of ["light", "dark"]) {
      test(`is accessible and readable at a ${place}, ${colorScheme}`, async () => {
        const page = await open(browser, galley.url + draft, { ...device, colorScheme });
        await assertWorks(page);
        await assertReadable(page);
        await page.context().close();
      });
    }
  }

  test("shows its status and the header of the post", async () => {
    const page = await open(browser, galley.url + draft);
    assert.match(await page.getByRole("complementary").textContent(), /^Preview of a draft of a post\./);
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Every card, once");
    assert.ok(await page.getByText("Ada Lovelace").isVisible());
    const photo = page.getByRole("img", { name: "A ferry at night" });
    assert.ok(await photo.evaluate((image) => image.complete && image.naturalWidth > 0));
    await page.context().close();
  });

  test("limits the line length but not the width of images", async () => {
    const page = await open(browser, galley.url + draft);
    const widthOf = (selector) => page.locator(selector).first().evaluate((one) => one.getBoundingClientRect().width);
    const text = await widthOf("article > p");
    assert.ok(text > 500 && text < 700, `${text}`);
    assert.ok((await widthOf(".kg-width-wide")) > text);
    assert.equal(await widthOf(".kg-width-full"), desk.viewport.width);
    const [left, right] = await page.locator(".kg-gallery-image").evaluateAll((all) => all.map((one) => one.offsetTop));
    assert.equal(left, right, "side by side");
    await page.context().close();
  });

  test("has an origin separate from the site", async () => {
    const page = await open(browser, galley.url + draft);
    assert.equal(await page.evaluate(() => self.origin), "null");
    await page.context().close();
  });
});

// The site is in German.
describe("the unsubscribe page", () => {
  async function newMember(email) {
    const { adminKey } = await galley.createKeys(email);
    const ask = async (method, path, body) => {
      const headers = { Authorization: `Ghost ${adminToken(adminKey)}`, "Content-Type": "application/json" };
      const response = await fetch(`${galley.url}/ghost/api/admin/${path}`, { method, headers, body: JSON.stringify(body) });
      assert.ok(response.ok, await response.clone().text());
      return response.json();
    };
    const { newsletters } = await ask("GET", "newsletters/");
    const { members } = await ask("POST", "members/", { members: [{ email, newsletters: newsletters.map(({ id }) => ({ id })) }] });
    const read = async () => (await ask("GET", `members/${members[0].id}/`)).members[0];
    return { address: members[0].unsubscribe_url, newsletters: async () => (await read()).newsletters.length };
  }

  test("unsubscribes with a click, can be undone, and is readable on a phone", async () => {
    const member = await newMember("ana@example.com");
    for (const colorScheme of ["light", "dark"]) {
      const page = await open(browser, member.address, { ...phone, colorScheme });
      // Mail scanners also open links, some of them in a browser.
      await page.waitForLoadState("networkidle");
      assert.ok((await member.newsletters()) > 0);
      await page.getByRole("button", { name: "Abbestellen" }).click();
      await page.getByRole("heading", { name: "Sie haben abbestellt" }).waitFor();
      assert.equal(await member.newsletters(), 0);
      await assertReadable(page);
      await assertFits(page);
      const again = page.getByRole("button", { name: "Wieder abonnieren" });
      const { height } = await again.boundingBox();
      assert.ok(height >= 44, `a thumb needs more than ${height} points`);
      await again.click();
      await page.getByRole("heading", { name: "Sie haben abonniert" }).waitFor();
      assert.ok((await member.newsletters()) > 0);
      await assertWorks(page);
      await page.context().close();
    }
  });

  test("works without scripts", async () => {
    const member = await newMember("ben@example.com");
    const page = await open(browser, member.address, { ...phone, javaScriptEnabled: false });
    assert.ok((await member.newsletters()) > 0);
    await page.getByRole("button", { name: "Abbestellen" }).click();
    await page.getByRole("heading", { name: "Sie haben abbestellt" }).waitFor();
    assert.equal(await member.newsletters(), 0);
    await page.context().close();
  });
});
